//! Bodies of responses, which a query thread writes while a client reads.

use super::refusal::Refusal;
use hyper::body::{Body, Bytes, Frame, SizeHint};
use outcrop::Cancellation;
use std::io::{self, Write};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::runtime;
use tokio::sync::{Notify, mpsc};

/// Bytes per part.
const PART_BYTES: usize = 64 << 10;
/// Parts between the query and the client.
const PARTS: usize = 8;

/// Part of an answer.
pub(super) struct Part {
    /// Generation of the graph that was asked.
    pub(super) generation: u64,
    pub(super) bytes: Bytes,
    /// True if the answer is complete.
    pub(super) last: bool,
}

/// Parts of an answer, which end early after a failure.
pub(super) type Parts = mpsc::Receiver<Result<Part, Refusal>>;

/// Creates the channel of an answer.
pub(super) fn channel() -> (mpsc::Sender<Result<Part, Refusal>>, Parts) {
    mpsc::channel(PARTS)
}

/// Cancels a query on drop.
pub(super) struct CancelOnDrop(pub(super) Cancellation);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Body of a response: bytes, and parts that follow.
pub(super) struct ResponseBody {
    bytes: Option<Bytes>,
    rest: Option<(Parts, CancelOnDrop)>,
}

impl ResponseBody {
    pub(super) fn whole(bytes: impl Into<Bytes>) -> Self {
        Self { bytes: Some(bytes.into()), rest: None }
    }

    /// Creates the body of an answer from its first part. The query is cancelled if the client disconnects.
    pub(super) fn of(first: Part, parts: Parts, query: CancelOnDrop) -> Self {
        Self { bytes: Some(first.bytes), rest: (!first.last).then_some((parts, query)) }
    }
}

impl Body for ResponseBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if let Some(bytes) = self.bytes.take() {
            return Poll::Ready(Some(Ok(Frame::data(bytes))));
        }
        let Some((parts, _)) = &mut self.rest else { return Poll::Ready(None) };
        let Some(Ok(part)) = ready!(parts.poll_recv(context)) else {
            // The client must not take a part for the whole answer.
            return Poll::Ready(Some(Err(io::Error::other("the query failed"))));
        };
        if part.last {
            self.rest = None;
        }
        Poll::Ready(Some(Ok(Frame::data(part.bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.bytes.is_none() && self.rest.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        let known = self.bytes.as_ref().map_or(0, |bytes| bytes.len() as u64);
        if self.rest.is_none() { SizeHint::with_exact(known) } else { SizeHint::default() }
    }
}

/// Destination of the parts of an answer.
pub(super) struct Client {
    pub(super) parts: mpsc::Sender<Result<Part, Refusal>>,
    pub(super) runtime: runtime::Handle,
    /// Maximum time without reading.
    pub(super) patience: Duration,
    /// Informs the connection that its client does not read.
    pub(super) stalled: Arc<Notify>,
}

impl Client {
    fn send(&self, part: Part) -> io::Result<()> {
        let part = match self.parts.try_send(Ok(part)) {
            Ok(()) => return Ok(()),
            Err(mpsc::error::TrySendError::Closed(_)) => return Err(io::ErrorKind::BrokenPipe.into()),
            Err(mpsc::error::TrySendError::Full(part)) => part,
        };
        let sent = async { tokio::time::timeout(self.patience, self.parts.send(part)).await };
        match self.runtime.block_on(sent) {
            Ok(sent) => sent.map_err(|_| io::ErrorKind::BrokenPipe.into()),
            Err(_) => {
                self.stalled.notify_one();
                Err(io::ErrorKind::TimedOut.into())
            }
        }
    }
}

/// Lines in progress of a JSON array.
#[derive(Clone, Copy, PartialEq)]
enum Rows {
    /// Bytes without change.
    AsWritten,
    /// Array without rows.
    Empty,
    /// Between two rows.
    Between,
    /// Within a row.
    Inside,
}

/// Writer of an answer, which collects bytes in parts. Clones write to the same answer.
#[derive(Clone)]
pub(super) struct AnswerWriter(Arc<Mutex<Pending>>);

/// Bytes of the next part.
struct Pending {
    client: Arc<Client>,
    generation: u64,
    bytes: Vec<u8>,
    rows: Rows,
}

impl AnswerWriter {
    /// Creates a writer for the generation of the graph; with `array`, it joins lines into a JSON array.
    pub(super) fn new(client: Arc<Client>, generation: u64, array: bool) -> Self {
        let rows = if array { Rows::Empty } else { Rows::AsWritten };
        Self(Arc::new(Mutex::new(Pending { client, generation, bytes: Vec::new(), rows })))
    }

    /// Sends the last part.
    pub(super) fn finish(&self) -> io::Result<()> {
        let mut pending = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match pending.rows {
            Rows::AsWritten => {}
            Rows::Empty => pending.bytes.extend(b"[]\n"),
            Rows::Between | Rows::Inside => pending.bytes.extend(b"]\n"),
        }
        pending.send(true)
    }
}

impl Write for AnswerWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut pending = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match pending.rows {
            Rows::AsWritten => pending.bytes.extend(bytes),
            _ => bytes.split_inclusive(|byte| *byte == b'\n').for_each(|line| pending.push_line(line)),
        }
        if pending.bytes.len() >= PART_BYTES {
            pending.send(false)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Pending {
    /// Appends a line of JSON, or a part of it, to the array.
    fn push_line(&mut self, line: &[u8]) {
        match self.rows {
            Rows::Empty => self.bytes.push(b'['),
            Rows::Between => self.bytes.extend(b",\n"),
            Rows::AsWritten | Rows::Inside => {}
        }
        let row = line.strip_suffix(b"\n");
        self.rows = if row.is_some() { Rows::Between } else { Rows::Inside };
        self.bytes.extend(row.unwrap_or(line));
    }

    fn send(&mut self, last: bool) -> io::Result<()> {
        let bytes = std::mem::take(&mut self.bytes).into();
        self.client.send(Part { generation: self.generation, bytes, last })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::runtime::Builder;

    fn write(array: bool, lines: &[&str]) -> String {
        let runtime = Builder::new_current_thread().enable_time().build().unwrap();
        let (parts, mut received) = channel();
        let client = Client {
            parts,
            runtime: runtime.handle().clone(),
            patience: Duration::from_secs(60),
            stalled: Arc::default(),
        };
        let mut writer = AnswerWriter::new(Arc::new(client), 3, array);
        lines.iter().for_each(|line| writer.write_all(line.as_bytes()).unwrap());
        writer.finish().unwrap();
        let part = received.try_recv().unwrap().unwrap();
        assert!(part.last && part.generation == 3);
        String::from_utf8(part.bytes.to_vec()).unwrap()
    }

    #[test]
    fn lines_become_an_array() {
        assert_eq!(write(true, &[]), "[]\n");
        assert_eq!(write(true, &["{\"a\":1}\n"]), "[{\"a\":1}]\n");
        assert_eq!(write(true, &["1\n2", "2", "\n", "3\n"]), "[1,\n22,\n3]\n");
        assert_eq!(write(false, &["1\n", "2\n"]), "1\n2\n");
    }

    #[test]
    fn answers_without_their_last_part_are_errors() {
        let part = |bytes, last| Part { generation: 0, bytes: Bytes::from_static(bytes), last };
        for is_whole in [true, false] {
            let (sender, parts) = channel();
            sender.try_send(Ok(part(b"b", is_whole))).unwrap();
            drop(sender);
            let query = Cancellation::new();
            let mut body = ResponseBody::of(part(b"a", false), parts, CancelOnDrop(query.clone()));
            let mut next = || {
                let frame = Pin::new(&mut body).poll_frame(&mut Context::from_waker(std::task::Waker::noop()));
                let Poll::Ready(frame) = frame else { panic!("a part is missing") };
                frame.transpose().map(|frame| frame.and_then(|frame| frame.into_data().ok()))
            };
            assert_eq!(next().unwrap().unwrap(), "a");
            assert_eq!(next().unwrap().unwrap(), "b");
            assert_eq!(next().is_ok(), is_whole);
            drop(body);
            assert!(query.is_cancelled());
        }
    }
}
