//! Event loop shared by all asynchronous readers: fills the queue, waits, passes on completed requests, drains on
//! errors.

use super::arena::{Arena, Piece};
use super::contract::{Port, ReadRequest, ReadSource, Reader, Transfer};
use super::file::OpenFile;
use super::pread::CallerPort;
use outcrop_types::{Error, Result, length_from};
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::time::Duration;

/// Maximum number of requests in flight per reader.
pub(super) const MAX_DEPTH: usize = 256;
/// Retries of one request after `EAGAIN` before it counts as failed.
const MAX_RETRIES: u32 = 10_000;

/// Constructor of a port for a file and the buffers at the address.
pub(super) type PortMaker = fn(&Arc<OpenFile>, *mut u8, usize) -> io::Result<Box<dyn Port>>;

struct InFlight {
    request: ReadRequest,
    piece: Piece,
    done: usize,
    retries: u32,
}

/// Next step for a slot after a completion.
enum Step {
    ReadOn,
    Deliver,
    Fail(Error),
}

/// [`Reader`] that uses a [`Port`].
pub(super) struct QueueReader {
    // The port must be dropped before the arena that it writes to.
    /// Port for many reads, created when they are too many for the calling thread.
    port: Option<Box<dyn Port>>,
    caller: CallerPort,
    arena: Arena,
    slots: Vec<Option<InFlight>>,
    free: Vec<u32>,
    /// Request that did not fit in the arena.
    held_back: Option<ReadRequest>,
    file: Arc<OpenFile>,
    make: Vec<PortMaker>,
}

impl QueueReader {
    /// Creates a reader of `file` with buffers of `bytes`; the first of `make` that succeeds creates its port for many
    /// reads.
    pub(super) fn new(file: Arc<OpenFile>, bytes: usize, make: Vec<PortMaker>) -> Result<Self> {
        let slots = (0..MAX_DEPTH).map(|_| None).collect();
        let free = (0..MAX_DEPTH as u32).rev().collect();
        let caller = CallerPort::new(Arc::clone(&file));
        Ok(Self { port: None, caller, arena: Arena::new(bytes)?, slots, free, held_back: None, file, make })
    }

    fn in_flight(&self) -> usize {
        MAX_DEPTH - self.free.len()
    }

    fn fail(&self, error: io::Error) -> Error {
        Error::io("read", &self.file.path, error)
    }

    /// Drains requests that a caught panic left in flight, and drops a port that this thread must not use.
    fn prepare(&mut self) {
        self.drain();
        let here = std::thread::current().id();
        self.port = self.port.take().filter(|port| port.serves(here));
    }

    /// Creates the port for many reads, which takes over the queued ones.
    ///
    /// # Errors
    ///
    /// Returns an error if the system refuses it.
    pub(super) fn open_port(&mut self) -> Result<()> {
        self.port = Some(self.new_port()?);
        let mut outcome = Ok(());
        for transfer in self.caller.take_queued() {
            match outcome {
                Ok(()) => outcome = self.begin(transfer),
                Err(_) => self.release(transfer.slot),
            }
        }
        outcome
    }

    fn new_port(&self) -> Result<Box<dyn Port>> {
        let mut refusal = io::Error::from(ErrorKind::Unsupported);
        for make in &self.make {
            match make(&self.file, self.arena.start(), self.arena.bytes()) {
                Ok(port) => return Ok(port),
                Err(error) => refusal = error,
            }
        }
        Err(self.fail(refusal))
    }

    fn port(&mut self) -> &mut dyn Port {
        match &mut self.port {
            Some(port) => port.as_mut(),
            None => &mut self.caller,
        }
    }

    fn run(&mut self, depth: usize, source: &mut dyn ReadSource) -> Result<Duration> {
        let mut waited = Duration::ZERO;
        loop {
            self.fill(depth, source)?;
            if self.in_flight() == 0 {
                return Ok(waited);
            }
            waited += self.wait()?;
            while let Some((slot, outcome)) = self.port().completion() {
                self.complete(slot, outcome, source)?;
                self.fill(depth, source)?;
                // Submit in batches, since a system call per request would cost more than it gains. Long requests fill
                // the buffers before there are many.
                self.submit(self.in_flight() / 4)?;
            }
        }
    }

    fn wait(&mut self) -> Result<Duration> {
        let outcome = self.port().wait();
        outcome.map_err(|error| self.fail(error))
    }

    fn submit(&mut self, most: usize) -> Result<()> {
        let outcome = self.port().submit(most);
        outcome.map_err(|error| self.fail(error))
    }

    /// Accepts requests from `source` while there is room.
    fn fill(&mut self, depth: usize, source: &mut dyn ReadSource) -> Result<()> {
        while self.in_flight() < depth {
            let request = match self.held_back.take() {
                Some(request) => request,
                None => match source.next()? {
                    Some(request) => request,
                    None => return Ok(()),
                },
            };
            check(&request, self.arena.bytes(), &self.file)?;
            let Some(piece) = self.arena.take(request.length) else {
                self.held_back = Some(request);
                return Ok(());
            };
            self.admit(InFlight { request, piece, done: 0, retries: 0 })?;
        }
        Ok(())
    }

    fn admit(&mut self, entry: InFlight) -> Result<()> {
        let Some(slot) = self.free.pop() else {
            self.arena.give_back(entry.piece);
            return Err(self.fail(ErrorKind::OutOfMemory.into()));
        };
        self.slots[slot as usize] = Some(entry);
        self.start(slot)
    }

    /// Starts the rest of a slot's request; frees the slot if that fails.
    fn start(&mut self, slot: u32) -> Result<()> {
        let Some(Some(entry)) = self.slots.get(slot as usize) else { return Ok(()) };
        let left = entry.request.length - entry.done;
        // SAFETY: `done` is less than the request's length, which the piece holds.
        let target = unsafe { self.arena.address(entry.piece).add(entry.done) };
        let offset = entry.request.offset + length_from(entry.done);
        let length = u32::try_from(left).unwrap_or(1 << 30);
        self.begin(Transfer { slot, offset, target, length })?;
        if self.port.is_none() && self.caller.is_outgrown() { self.open_port() } else { Ok(()) }
    }

    fn begin(&mut self, transfer: Transfer) -> Result<()> {
        let slot = transfer.slot;
        // SAFETY: the piece stays allocated until `release`, which runs only after the slot's completion; if
        // completions are no longer available, `abandon` leaks the arena.
        let outcome = unsafe { self.port().start(transfer) };
        outcome.map_err(|error| {
            self.release(slot);
            self.fail(error)
        })
    }

    fn release(&mut self, slot: u32) {
        if let Some(entry) = self.slots.get_mut(slot as usize).and_then(Option::take) {
            self.arena.give_back(entry.piece);
            self.free.push(slot);
        }
    }

    fn complete(&mut self, slot: u32, outcome: io::Result<usize>, source: &mut dyn ReadSource) -> Result<()> {
        let Some(Some(entry)) = self.slots.get_mut(slot as usize) else { return Ok(()) };
        match entry.advance(outcome, &self.file) {
            Step::ReadOn => self.start(slot),
            Step::Deliver => self.deliver(slot, source),
            Step::Fail(error) => {
                self.release(slot);
                Err(error)
            }
        }
    }

    fn deliver(&mut self, slot: u32, source: &mut dyn ReadSource) -> Result<()> {
        let Some(Some(entry)) = self.slots.get(slot as usize) else { return Ok(()) };
        // SAFETY: the read is complete, so there are no writers to the piece, and it stays allocated during the call.
        let bytes = unsafe { std::slice::from_raw_parts(self.arena.address(entry.piece), entry.request.length) };
        let token = entry.request.token;
        // The slot is freed after the call, even if the call panics: it receives no further completion.
        let delivered = Delivered { reader: self, slot };
        let outcome = source.ready(token, bytes);
        drop(delivered);
        outcome
    }

    /// Waits for all requests in flight, or removes them from the calling thread's queue, and discards them. If that is
    /// impossible, leaks the buffers.
    fn drain(&mut self) {
        self.held_back = None;
        while self.in_flight() > 0 {
            let Some(port) = &mut self.port else {
                self.caller.take_queued();
                return (0..MAX_DEPTH as u32).for_each(|slot| self.release(slot));
            };
            if port.wait().is_err() {
                return self.abandon();
            }
            while let Some((slot, _)) = self.port.as_mut().and_then(|port| port.completion()) {
                self.release(slot);
            }
        }
    }

    /// Abandons a port that cannot report completions. The kernel may still write to the arena, so the arena is leaked.
    fn abandon(&mut self) {
        let fresh = Arena::new(self.arena.bytes()).unwrap_or_else(|_| Arena::empty());
        std::mem::replace(&mut self.arena, fresh).leak();
        self.slots.iter_mut().for_each(|slot| *slot = None);
        self.free = (0..MAX_DEPTH as u32).rev().collect();
        self.port = None;
    }
}

/// Frees the slot of a delivered request when it is dropped.
struct Delivered<'a> {
    reader: &'a mut QueueReader,
    slot: u32,
}

impl Drop for Delivered<'_> {
    fn drop(&mut self) {
        self.reader.release(self.slot);
    }
}

impl InFlight {
    /// Records the outcome of one read.
    fn advance(&mut self, outcome: io::Result<usize>, file: &OpenFile) -> Step {
        match outcome {
            Ok(bytes) => self.book(bytes, file),
            Err(error) if is_transient(&error) && self.retries < MAX_RETRIES => {
                self.retries += 1;
                if self.retries.is_multiple_of(64) {
                    std::thread::sleep(Duration::from_micros(100));
                }
                Step::ReadOn
            }
            Err(error) => Step::Fail(Error::io("read", &file.path, error)),
        }
    }

    fn book(&mut self, bytes: usize, file: &OpenFile) -> Step {
        let reached = self.done + bytes;
        if reached >= self.request.length {
            return Step::Deliver;
        }
        // A direct read must continue at an aligned offset.
        let aligned = if file.direct { reached - reached % file.alignment } else { reached };
        if aligned <= self.done {
            return Step::Fail(ends_early(file, &self.request, reached));
        }
        self.done = aligned;
        Step::ReadOn
    }
}

fn is_transient(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock)
}

fn ends_early(file: &OpenFile, request: &ReadRequest, found: usize) -> Error {
    let wanted = request.length;
    Error::corrupt(&file.path, format!("it ends after {found} of {wanted} bytes at offset {}", request.offset))
}

/// Refuses requests that no reader can perform.
pub(super) fn check_shape(request: &ReadRequest, alignment: usize, buffer_bytes: usize) -> io::Result<()> {
    let aligned = request.offset.is_multiple_of(length_from(alignment)) && request.length.is_multiple_of(alignment);
    if !aligned {
        return Err(io::Error::new(ErrorKind::InvalidInput, "a request is not aligned"));
    }
    if request.length > buffer_bytes {
        return Err(io::Error::new(ErrorKind::InvalidInput, "a request exceeds the buffers of the reader"));
    }
    Ok(())
}

fn check(request: &ReadRequest, buffer_bytes: usize, file: &OpenFile) -> Result<()> {
    check_shape(request, file.alignment, buffer_bytes).map_err(|error| Error::io("read", &file.path, error))?;
    match request.offset.checked_add(length_from(request.length)) {
        Some(end) if end <= file.length => Ok(()),
        _ => {
            let found = file.length.saturating_sub(request.offset).min(length_from(request.length));
            Err(ends_early(file, request, outcrop_types::index_from(found)))
        }
    }
}

impl Reader for QueueReader {
    fn read_many(&mut self, depth: usize, source: &mut dyn ReadSource) -> Result<Duration> {
        self.prepare();
        let outcome = self.run(depth.clamp(1, MAX_DEPTH), source);
        if outcome.is_err() {
            self.drain();
        }
        outcome
    }
}

impl Drop for QueueReader {
    fn drop(&mut self) {
        self.drain();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::os::unix::fs::FileExt;
    use std::thread::ThreadId;

    const UNIT: usize = crate::ALIGNMENT;

    /// Port with scripted failures that otherwise serves zeros.
    struct BadPort {
        taken: Vec<Transfer>,
        /// Outcomes to return before successful ones; `None` breaks the port.
        script: Vec<Option<Result<usize, ErrorKind>>>,
    }

    impl Port for BadPort {
        unsafe fn start(&mut self, transfer: Transfer) -> io::Result<()> {
            self.taken.push(transfer);
            Ok(())
        }

        fn submit(&mut self, _most: usize) -> io::Result<()> {
            Ok(())
        }

        fn wait(&mut self) -> io::Result<Duration> {
            if self.script.last() == Some(&None) { Err(ErrorKind::BrokenPipe.into()) } else { Ok(Duration::ZERO) }
        }

        fn completion(&mut self) -> Option<(u32, io::Result<usize>)> {
            if self.script.last() == Some(&None) {
                return None;
            }
            let transfer = self.taken.pop()?;
            let whole = Ok(transfer.length as usize);
            let outcome = self.script.pop().flatten().unwrap_or(whole);
            Some((transfer.slot, outcome.map_err(io::Error::from)))
        }

        fn serves(&self, _thread: ThreadId) -> bool {
            true
        }
    }

    fn port(script: &[Option<Result<usize, ErrorKind>>]) -> io::Result<Box<dyn Port>> {
        Ok(Box::new(BadPort { taken: Vec::new(), script: script.iter().rev().copied().collect() }))
    }

    struct Units {
        left: usize,
        arrived: usize,
    }

    impl ReadSource for Units {
        fn next(&mut self) -> outcrop_types::Result<Option<ReadRequest>> {
            let more = self.left > 0;
            self.left -= usize::from(more);
            Ok(more.then_some(ReadRequest { offset: 0, length: 4 * UNIT, token: 0 }))
        }

        fn ready(&mut self, _token: u64, bytes: &[u8]) -> outcrop_types::Result<()> {
            assert_eq!(bytes.len(), 4 * UNIT);
            self.arrived += 1;
            Ok(())
        }
    }

    fn reader(direct: bool, make: PortMaker) -> QueueReader {
        let fd = tempfile::tempfile().unwrap().into();
        let file = OpenFile { fd, path: "file".into(), length: 64 * UNIT as u64, direct, alignment: 512 };
        QueueReader::new(Arc::new(file), 32 * UNIT, vec![make]).unwrap()
    }

    fn read(reader: &mut QueueReader) -> Result<usize> {
        let mut source = Units { left: 10, arrived: 0 };
        reader.read_many(4, &mut source)?;
        Ok(source.arrived)
    }

    /// Requests of units, each of which is filled with its number.
    struct Numbered(Vec<u64>);

    impl ReadSource for Numbered {
        fn next(&mut self) -> outcrop_types::Result<Option<ReadRequest>> {
            let token = self.0.pop();
            Ok(token.map(|token| ReadRequest { offset: token * UNIT as u64, length: UNIT, token }))
        }

        fn ready(&mut self, token: u64, bytes: &[u8]) -> outcrop_types::Result<()> {
            assert!(bytes == [token as u8; UNIT]);
            Ok(())
        }
    }

    #[test]
    fn threads_and_the_caller_write_only_to_the_piece_of_their_request() {
        let mut reader = reader(false, super::super::pread::make);
        let contents = Vec::from_iter((0..64_u8).map(|unit| [unit; UNIT])).concat();
        File::from(reader.file.fd.try_clone().unwrap()).write_all_at(&contents, 0).unwrap();
        for (depth, requests) in [(1, 5), (16, 24), (3, 8), (128, 10)] {
            let tokens = Vec::from_iter((0..64).map(|place| place * 29 % 64).take(requests));
            reader.read_many(depth, &mut Numbered(tokens)).unwrap();
            assert_eq!(reader.in_flight(), 0);
        }
        assert!(reader.port.is_some());
    }

    #[test]
    fn interruptions_are_retried_and_short_reads_continued() {
        let make: PortMaker = |_, _, _| {
            let (short, odd) = (Some(Ok(UNIT)), Some(Ok(UNIT + 100)));
            port(&[Some(Err(ErrorKind::Interrupted)), short, short, odd, Some(Err(ErrorKind::WouldBlock)), short])
        };
        for direct in [false, true] {
            assert_eq!(read(&mut reader(direct, make)).unwrap(), 10);
        }
    }

    #[test]
    fn a_read_of_nothing_is_the_end_of_the_file() {
        let make: PortMaker = |_, _, _| port(&[Some(Ok(UNIT)), Some(Ok(0))]);
        let mut reader = reader(true, make);
        assert!(matches!(read(&mut reader), Err(Error::Corrupt { .. })));
        assert_eq!((reader.in_flight(), read(&mut reader).unwrap()), (0, 10));
    }

    #[test]
    #[cfg_attr(miri, ignore = "10,000 retries")]
    fn a_retry_without_end_is_an_error() {
        let make: PortMaker = |_, _, _| port(&vec![Some(Err(ErrorKind::Interrupted)); 50_000]);
        assert!(matches!(read(&mut reader(false, make)), Err(Error::Io { .. })));
    }

    #[test]
    fn buffers_of_a_broken_port_are_never_used_again() {
        let make: PortMaker = |_, _, _| port(&[Some(Ok(4 * UNIT)), None]);
        let mut reader = reader(false, make);
        let before = reader.arena.start();
        assert!(matches!(read(&mut reader), Err(Error::Io { .. })));
        assert!(reader.port.is_none() && reader.in_flight() == 0 && reader.arena.start() != before);
        let works: PortMaker = |_, _, _| port(&[]);
        reader.make = vec![works];
        assert_eq!(read(&mut reader).unwrap(), 10);
    }

    #[test]
    fn the_next_way_is_taken_where_one_is_refused() {
        let refuses: PortMaker = |_, _, _| Err(ErrorKind::OutOfMemory.into());
        let mut reader = reader(false, refuses);
        assert!(matches!(read(&mut reader), Err(Error::Io { .. })));
        reader.make.push(|_, _, _| port(&[]));
        assert_eq!(read(&mut reader).unwrap(), 10);
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri shortens reads, whose rests count as reads")]
    fn few_small_reads_need_no_port() {
        let refuses: PortMaker = |_, _, _| Err(ErrorKind::OutOfMemory.into());
        let mut reader = reader(false, refuses);
        rustix::fs::ftruncate(&reader.file.fd, 64 * UNIT as u64).unwrap();
        let mut read = |depth, left| {
            let mut source = Units { left, arrived: 0 };
            let outcome = reader.read_many(depth, &mut source);
            assert_eq!(reader.in_flight(), 0);
            outcome.map(|_| source.arrived)
        };
        assert_eq!(read(2, 20).unwrap(), 20);
        // More in flight, or many in all, are worth one.
        assert!(matches!(read(3, 20), Err(Error::Io { .. })));
        assert_eq!(read(2, 20).unwrap(), 20);
        assert!(matches!(read(2, 60), Err(Error::Io { .. })));
    }
}
