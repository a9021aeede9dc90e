//! Bodies of responses, which a query thread writes while a client reads.

use super::refusal::Refusal;
use hyper::body::{Body, Bytes, Frame, SizeHint};
use outcrop::Cancellation;
use std::io::{self, Write};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use tokio::sync::mpsc;

/// Maximum size of a part, in bytes. The parts of a client that does not read are outside the memory budget.
const PART_BYTES: usize = 32 << 10;
/// Maximum number of parts between the query and the connection.
const PARTS: usize = 2;

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
/// Sender of the parts.
pub(super) type Client = mpsc::Sender<Result<Part, Refusal>>;

/// Creates the channel of an answer.
pub(super) fn channel() -> (Client, Parts) {
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
    client: Client,
    generation: u64,
    bytes: Vec<u8>,
    rows: Rows,
}

impl AnswerWriter {
    /// Creates a writer for the generation of the graph; with `array`, it joins lines into a JSON array.
    pub(super) fn new(client: Client, generation: u64, array: bool) -> Self {
        let rows = if array { Rows::Empty } else { Rows::AsWritten };
        Self(Arc::new(Mutex::new(Pending { client, generation, bytes: Vec::new(), rows })))
    }

    /// Sends the last part.
    pub(super) fn finish(&self) -> io::Result<()> {
        let mut pending = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match pending.rows {
            Rows::AsWritten => {}
            Rows::Empty => pending.push(b"[]\n")?,
            Rows::Between | Rows::Inside => pending.push(b"]\n")?,
        }
        pending.send(true)
    }
}

impl Write for AnswerWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut pending = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match pending.rows {
            Rows::AsWritten => pending.push(bytes)?,
            _ => bytes.split_inclusive(|byte| *byte == b'\n').try_for_each(|line| pending.push_line(line))?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Pending {
    /// Appends a line of JSON, or a part of it, to the array.
    fn push_line(&mut self, line: &[u8]) -> io::Result<()> {
        match self.rows {
            Rows::Empty => self.push(b"[")?,
            Rows::Between => self.push(b",\n")?,
            Rows::AsWritten | Rows::Inside => {}
        }
        let row = line.strip_suffix(b"\n");
        self.rows = if row.is_some() { Rows::Between } else { Rows::Inside };
        self.push(row.unwrap_or(line))
    }

    /// Appends bytes, and sends full parts.
    fn push(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while self.bytes.len() + bytes.len() >= PART_BYTES {
            let (now, later) = bytes.split_at(PART_BYTES - self.bytes.len());
            self.bytes.extend(now);
            self.send(false)?;
            bytes = later;
        }
        self.bytes.extend(bytes);
        Ok(())
    }

    /// Sends a part, as soon as the client has read earlier ones.
    fn send(&mut self, last: bool) -> io::Result<()> {
        let next = Vec::with_capacity(if last { 0 } else { PART_BYTES });
        let bytes = std::mem::replace(&mut self.bytes, next).into();
        let part = Part { generation: self.generation, bytes, last };
        self.client.blocking_send(Ok(part)).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(array: bool, lines: &[&str]) -> String {
        let (client, mut received) = channel();
        let mut writer = AnswerWriter::new(client, 3, array);
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
    fn large_writes_become_small_parts() {
        let (client, mut received) = channel();
        let mut writer = AnswerWriter::new(client, 0, false);
        let bytes: Vec<u8> = (0..300_000_u32).map(|place| (place % 251) as u8).collect();
        let sent = bytes.clone();
        let query = std::thread::spawn(move || {
            [&sent[..7], &sent[7..280_000], &sent[280_000..]].iter().for_each(|some| writer.write_all(some).unwrap());
            writer.finish().unwrap();
        });
        let mut answer = Vec::new();
        while let Some(part) = received.blocking_recv().transpose().unwrap() {
            assert!(part.bytes.len() == PART_BYTES || part.last, "{}", part.bytes.len());
            assert!(received.len() <= PARTS);
            answer.extend(part.bytes);
        }
        query.join().unwrap();
        assert!(answer == bytes);
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
