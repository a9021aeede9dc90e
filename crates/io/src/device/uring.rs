//! Reads through io_uring: one ring per reader, used by the thread that created it.

use super::contract::{Port, Transfer};
use super::file::OpenFile;
use super::queue::MAX_DEPTH;
use io_uring::{IoUring, Submitter, opcode, squeue, types};
use outcrop_types::Stopwatch;
use std::io::{self, ErrorKind};
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::thread::ThreadId;
use std::time::Duration;

/// Retries of a submission while the kernel is short of memory, 100 microseconds apart.
const MAX_RETRIES: u32 = 50_000;

pub(super) struct UringPort {
    ring: IoUring,
    owner: ThreadId,
    registered_file: bool,
    registered_buffers: bool,
    /// Buffers to register, and the bytes read without.
    unregistered: Option<Buffers>,
    read: usize,
    not_begun: usize,
    // The file stays open as long as the ring refers to it.
    file: Arc<OpenFile>,
}

/// Buffers of a reader.
struct Buffers {
    start: *mut u8,
    bytes: usize,
}

// SAFETY: the buffers are only passed to the kernel.
unsafe impl Send for Buffers {}

/// Creates a ring for the calling thread, with the file registered if the system allows it. The buffers are registered
/// once as many bytes have been read: both pin the memory, and a ring may not read more.
pub(super) fn make(file: &Arc<OpenFile>, buffers: *mut u8, bytes: usize) -> io::Result<Box<dyn Port>> {
    let ring = new_ring()?;
    let registered_file = ring.submitter().register_files(&[file.fd.as_raw_fd()]).is_ok();
    let owner = std::thread::current().id();
    let file = Arc::clone(file);
    let (registered_buffers, unregistered) = (false, Some(Buffers { start: buffers, bytes }));
    Ok(Box::new(UringPort {
        ring,
        owner,
        registered_file,
        registered_buffers,
        unregistered,
        read: 0,
        not_begun: 0,
        file,
    }))
}

/// Creates a ring with the flags for a single thread, or a plain one on kernels without these flags.
fn new_ring() -> io::Result<IoUring> {
    let entries = MAX_DEPTH as u32;
    let modern = IoUring::builder().setup_single_issuer().setup_defer_taskrun().build(entries);
    match modern {
        Err(error) if error.kind() == ErrorKind::InvalidInput => IoUring::new(entries),
        outcome => outcome,
    }
}

fn register_buffers(submitter: &Submitter<'_>, buffers: &Buffers) -> bool {
    let whole = libc::iovec { iov_base: buffers.start.cast(), iov_len: buffers.bytes };
    // SAFETY: address and length are those of the reader's arena, which outlives the ring: the reader drops its port
    // first, and leaks the arena if the ring could not be drained.
    unsafe { submitter.register_buffers(&[whole]) }.is_ok()
}

impl UringPort {
    fn entry(&self, transfer: &Transfer) -> squeue::Entry {
        let &Transfer { slot, offset, target, length } = transfer;
        let raw = types::Fd(self.file.fd.as_raw_fd());
        let entry = match (self.registered_file, self.registered_buffers) {
            (true, true) => opcode::ReadFixed::new(types::Fixed(0), target, length, 0).offset(offset).build(),
            (false, true) => opcode::ReadFixed::new(raw, target, length, 0).offset(offset).build(),
            (true, false) => opcode::Read::new(types::Fixed(0), target, length).offset(offset).build(),
            (false, false) => opcode::Read::new(raw, target, length).offset(offset).build(),
        };
        entry.user_data(u64::from(slot))
    }

    fn push(&mut self, entry: &squeue::Entry) -> bool {
        // SAFETY: the caller of `start` keeps the target valid until the completion; the port holds the file.
        unsafe { self.ring.submission().push(entry) }.is_ok()
    }

    fn has_completion(&mut self) -> bool {
        !self.ring.completion().is_empty()
    }

    /// Submits the queued reads to the kernel and waits for `want` completions. Interruptions and temporary shortages
    /// of memory are not errors.
    fn enter(&mut self, want: usize) -> io::Result<()> {
        for _ in 0..MAX_RETRIES {
            let error = match self.ring.submit_and_wait(want) {
                Ok(_) => {
                    self.not_begun = self.ring.submission().len();
                    return Ok(());
                }
                Err(error) => error,
            };
            match error.raw_os_error() {
                Some(libc::EINTR) => {}
                Some(libc::EAGAIN | libc::EBUSY) if self.has_completion() => return Ok(()),
                Some(libc::EAGAIN | libc::EBUSY) => std::thread::sleep(Duration::from_micros(100)),
                _ => return Err(error),
            }
        }
        Err(ErrorKind::TimedOut.into())
    }
}

impl Port for UringPort {
    unsafe fn start(&mut self, transfer: Transfer) -> io::Result<()> {
        self.read = self.read.saturating_add(transfer.length as usize);
        if let Some(buffers) = self.unregistered.take_if(|buffers| buffers.bytes < self.read) {
            self.registered_buffers = register_buffers(&self.ring.submitter(), &buffers);
        }
        let entry = self.entry(&transfer);
        if !self.push(&entry) {
            self.enter(0)?;
            if !self.push(&entry) {
                return Err(ErrorKind::OutOfMemory.into());
            }
        }
        self.not_begun += 1;
        Ok(())
    }

    fn submit(&mut self, most: usize) -> io::Result<()> {
        if self.not_begun > most { self.enter(0) } else { Ok(()) }
    }

    fn wait(&mut self) -> io::Result<Duration> {
        if self.has_completion() {
            return Ok(Duration::ZERO);
        }
        let watch = Stopwatch::start();
        while !self.has_completion() {
            self.enter(1)?;
        }
        Ok(watch.elapsed())
    }

    fn completion(&mut self) -> Option<(u32, io::Result<usize>)> {
        let entry = self.ring.completion().next()?;
        let outcome = usize::try_from(entry.result()).map_err(|_| io::Error::from_raw_os_error(-entry.result()));
        Some((entry.user_data() as u32, outcome))
    }

    fn serves(&self, thread: ThreadId) -> bool {
        self.owner == thread
    }
}
