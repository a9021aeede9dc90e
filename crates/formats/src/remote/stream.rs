//! Range of an object, fetched in pieces ahead of their use.

use bytes::Bytes;
use crossbeam_channel::Receiver;
use outcrop_types::{index_from, length_from};
use std::collections::VecDeque;
use std::io::{self, Read};
use std::ops::Range;
use std::sync::Arc;

/// Bytes of an object.
pub(crate) trait Ranges: Send + Sync {
    /// Starts to fetch a range; the receiver gets either all of its bytes or an error.
    fn request(&self, range: Range<u64>) -> Receiver<io::Result<Bytes>>;
}

/// Returns the result of a request, or an error if the fetching thread has ended.
pub(super) fn outcome(receiver: &Receiver<io::Result<Bytes>>) -> io::Result<Bytes> {
    receiver.recv().unwrap_or_else(|_| Err(io::Error::other("the request was canceled")))
}

/// Number and size of the pieces requested ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ahead {
    piece: u64,
    requests: u64,
}

impl Ahead {
    #[cfg(feature = "remote")]
    /// Returns the read-ahead for a budget of `limit` bytes: one sixteenth, between 1 and 64 MiB, not counting
    /// connection buffers.
    pub(crate) fn within(limit: u64) -> Self {
        Self { piece: (limit / 128).clamp(128 << 10, 8 << 20), requests: 7 }
    }

    /// Returns the share of each of `streams` concurrent streams.
    pub(super) fn shared(self, streams: u64) -> Self {
        Self { requests: (self.requests / streams.max(1)).max(1), ..self }
    }

    /// Returns the memory of a stream, in bytes: pieces in flight, the piece being read, and connection buffers.
    pub(crate) const fn bytes(self) -> u64 {
        const CONNECTION: u64 = 512 << 10;
        (self.requests + 1) * self.piece + self.requests * CONNECTION
    }
}

/// Size of the first request of a stream, in bytes. Later ones are larger, since many streams are not read to their
/// end.
const FIRST: u64 = 128 << 10;

/// Range of an object that is read sequentially.
pub(crate) struct RangeStream {
    ranges: Arc<dyn Ranges>,
    ahead: Ahead,
    /// Position of the next byte, and the end.
    at: u64,
    end: u64,
    /// Piece that is being read, and its start.
    piece: Bytes,
    piece_start: u64,
    pending: VecDeque<Receiver<io::Result<Bytes>>>,
    /// Start of the next request.
    next: u64,
    /// Number of pieces received.
    taken: u32,
}

impl RangeStream {
    pub(super) fn new(ranges: Arc<dyn Ranges>, range: Range<u64>, ahead: Ahead) -> Self {
        let Range { start: at, end } = range;
        let (piece, pending) = (Bytes::new(), VecDeque::new());
        Self { ranges, ahead, at, end, piece, piece_start: at, pending, next: at, taken: 0 }
    }

    /// Reads up to the length of `buffer` at `at`; returns 0 at the end of the range. Sequential reading is fast.
    pub(super) fn read_at(&mut self, buffer: &mut [u8], at: u64) -> io::Result<usize> {
        if at < self.piece_start || at > self.next {
            *self = Self::new(Arc::clone(&self.ranges), at..self.end, self.ahead);
        }
        self.at = at;
        self.read(buffer)
    }

    /// Requests pieces up to the limit of pieces in flight, and receives the next one.
    fn advance(&mut self) -> io::Result<()> {
        let most = self.ahead.requests.min(u64::from(self.taken) + 1);
        while length_from(self.pending.len()) < most && self.next < self.end {
            let size =
                FIRST.checked_shl(self.taken.min(16)).map_or(self.ahead.piece, |size| size.min(self.ahead.piece));
            let range = self.next..self.end.min(self.next + size);
            self.next = range.end;
            self.pending.push_back(self.ranges.request(range));
        }
        let Some(first) = self.pending.front() else { return Err(io::ErrorKind::UnexpectedEof.into()) };
        // A failed piece stays in front, so that a later read does not skip it.
        let piece = outcome(first)?;
        self.pending.pop_front();
        self.taken = self.taken.saturating_add(1);
        self.piece_start += length_from(self.piece.len());
        self.piece = piece;
        Ok(())
    }
}

impl Read for RangeStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() || self.at >= self.end {
            return Ok(0);
        }
        while self.at >= self.piece_start + length_from(self.piece.len()) {
            self.advance()?;
        }
        let from = index_from(self.at - self.piece_start);
        let count = buffer.len().min(self.piece.len() - from);
        buffer[..count].copy_from_slice(&self.piece[from..from + count]);
        self.at += length_from(count);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    /// Bytes in memory, and all requests for them; requests that contain the byte `broken` fail.
    struct Memory {
        bytes: Vec<u8>,
        broken: u64,
        requests: Mutex<Vec<Range<u64>>>,
    }

    impl Memory {
        fn new(length: u32, broken: u64) -> Arc<Self> {
            let bytes = (0..length).map(|place| (place.wrapping_mul(0x9e37_79b1) >> 24) as u8).collect();
            Arc::new(Self { bytes, broken, requests: Mutex::default() })
        }
    }

    impl Ranges for Memory {
        fn request(&self, range: Range<u64>) -> Receiver<io::Result<Bytes>> {
            let (sender, receiver) = crossbeam_channel::bounded(1);
            let outcome = match range.contains(&self.broken) {
                true => Err(io::Error::other("broken")),
                false => Ok(Bytes::copy_from_slice(&self.bytes[range.start as usize..range.end as usize])),
            };
            self.requests.lock().unwrap().push(range);
            sender.send(outcome).unwrap();
            receiver
        }
    }

    const AHEAD: Ahead = Ahead { piece: 300 << 10, requests: 3 };

    #[test]
    fn every_byte_is_requested_once_and_no_more_than_is_allowed_ahead() {
        let memory = Memory::new(3_000_001, u64::MAX);
        let mut stream = RangeStream::new(memory.clone(), 17..2_900_000, AHEAD);
        let (mut read, mut buffer) = (Vec::new(), [0; 7777]);
        loop {
            let count = stream.read(&mut buffer).unwrap();
            read.extend_from_slice(&buffer[..count]);
            let requested = memory.requests.lock().unwrap().last().unwrap().end;
            assert!(requested - read.len() as u64 - 17 <= 4 * AHEAD.piece);
            if count == 0 {
                break;
            }
        }
        assert!(read == memory.bytes[17..2_900_000]);
        let requests = memory.requests.lock().unwrap();
        assert_eq!((requests[0].start, requests[0].end, requests.last().unwrap().end), (17, 17 + FIRST, 2_900_000));
        assert!(requests.windows(2).all(|pair| pair[0].end == pair[1].start));
    }

    #[test]
    fn any_place_can_be_read_in_any_order() {
        let memory = Memory::new(2_000_000, u64::MAX);
        let mut stream = RangeStream::new(memory.clone(), 0..2_000_000, AHEAD);
        for at in [0, 100, 50, 700_000, 699_000, 10, 1_999_999, 1_500_000, 2_000_000] {
            let mut buffer = [0; 100];
            let count = stream.read_at(&mut buffer, at).unwrap();
            assert!(count > 0 || at == 2_000_000);
            assert_eq!(buffer[..count], memory.bytes[at as usize..at as usize + count], "{at}");
        }
    }

    #[test]
    fn nothing_is_read_past_what_failed() {
        let mut stream = RangeStream::new(Memory::new(2_000_000, 1_000_000), 0..2_000_000, AHEAD);
        let mut read = Vec::new();
        assert_eq!(stream.read_to_end(&mut read).unwrap_err().to_string(), "broken");
        assert!(read.len() < 1_000_000);
        assert!(stream.read(&mut [0; 10]).is_err());
    }
}
