//! Reads with pread: by the calling thread if there are few, else by a small thread pool, for systems without io_uring
//! and for files that must be read through the page cache.

use super::contract::{Port, Transfer};
use super::file::OpenFile;
use crossbeam_channel::{Receiver, Sender, unbounded};
use outcrop_types::Stopwatch;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::thread::{JoinHandle, ThreadId};
use std::time::Duration;

/// Maximum number of threads of one reader.
const MAX_THREADS: usize = 16;

/// Maximum number and bytes of reads that the calling thread performs one after the other. It takes longer to create a
/// ring with registered buffers, or threads.
const FEW_READS: usize = 4;
const FEW_BYTES: u64 = 32 << 10;
/// Number of reads after which a reader is worth a ring or threads even if it always has few in flight.
const MANY_READS: usize = 64;

type Completion = (u32, io::Result<usize>);

/// Port for few and small reads: the calling thread performs them.
pub(super) struct CallerPort {
    file: Arc<OpenFile>,
    queued: Vec<Transfer>,
    finished: Option<Completion>,
    /// Number of reads started so far.
    started: usize,
}

impl CallerPort {
    pub(super) const fn new(file: Arc<OpenFile>) -> Self {
        Self { file, queued: Vec::new(), finished: None, started: 0 }
    }

    /// Returns true if another port should perform the queued reads.
    pub(super) fn is_outgrown(&self) -> bool {
        let bytes = self.queued.iter().map(|transfer| u64::from(transfer.length)).sum::<u64>();
        self.queued.len() > FEW_READS || bytes > FEW_BYTES || self.started > MANY_READS
    }

    /// Takes the queued reads, and discards a completion.
    pub(super) fn take_queued(&mut self) -> Vec<Transfer> {
        self.finished = None;
        std::mem::take(&mut self.queued)
    }
}

impl Port for CallerPort {
    unsafe fn start(&mut self, transfer: Transfer) -> io::Result<()> {
        self.queued.push(transfer);
        self.started += 1;
        Ok(())
    }

    fn submit(&mut self, _most: usize) -> io::Result<()> {
        Ok(())
    }

    fn wait(&mut self) -> io::Result<Duration> {
        let watch = Stopwatch::start();
        if self.finished.is_none() && !self.queued.is_empty() {
            let transfer = self.queued.remove(0);
            self.finished = Some((transfer.slot, read(&self.file, &transfer)));
        }
        Ok(watch.elapsed())
    }

    fn completion(&mut self) -> Option<Completion> {
        self.finished.take()
    }

    fn serves(&self, _thread: ThreadId) -> bool {
        true
    }
}

pub(super) struct PoolPort {
    file: Arc<OpenFile>,
    jobs: Option<Sender<Transfer>>,
    intake: Receiver<Transfer>,
    report: Sender<Completion>,
    reports: Receiver<Completion>,
    waited_for: Option<Completion>,
    threads: Vec<JoinHandle<()>>,
    in_flight: usize,
}

/// Creates a pool without threads, which are started as the queue gets deeper.
pub(super) fn make(file: &Arc<OpenFile>, _buffers: *mut u8, _bytes: usize) -> io::Result<Box<dyn Port>> {
    let (jobs, intake) = unbounded();
    let (report, reports) = unbounded();
    let file = Arc::clone(file);
    let (threads, jobs) = (Vec::new(), Some(jobs));
    Ok(Box::new(PoolPort { file, jobs, intake, report, reports, waited_for: None, threads, in_flight: 0 }))
}

impl PoolPort {
    /// Starts a thread if there are fewer than reads in flight and the limit. If the system refuses more, fewer threads
    /// suffice.
    fn grow(&mut self) -> io::Result<()> {
        if self.threads.len() >= MAX_THREADS.min(self.in_flight + 1) {
            return Ok(());
        }
        let (file, intake, report) = (Arc::clone(&self.file), self.intake.clone(), self.report.clone());
        let work = move || intake.iter().all(|job| report.send((job.slot, read(&file, &job))).is_ok());
        match std::thread::Builder::new().name("outcrop-read".to_owned()).spawn(move || _ = work()) {
            Ok(thread) => self.threads.push(thread),
            Err(error) if self.threads.is_empty() => return Err(error),
            Err(_) => {}
        }
        Ok(())
    }
}

fn read(file: &OpenFile, job: &Transfer) -> io::Result<usize> {
    // SAFETY: the target is valid for writes until this job's completion is reported, its memory is initialized (the
    // arena starts zeroed), and no other thread accesses it meanwhile.
    let target = unsafe { std::slice::from_raw_parts_mut(job.target, job.length as usize) };
    Ok(rustix::io::pread(&file.fd, target, job.offset)?)
}

impl Port for PoolPort {
    unsafe fn start(&mut self, transfer: Transfer) -> io::Result<()> {
        self.grow()?;
        let sent = self.jobs.as_ref().is_some_and(|jobs| jobs.send(transfer).is_ok());
        if !sent {
            return Err(ErrorKind::BrokenPipe.into());
        }
        self.in_flight += 1;
        Ok(())
    }

    fn submit(&mut self, _most: usize) -> io::Result<()> {
        Ok(())
    }

    fn wait(&mut self) -> io::Result<Duration> {
        if self.waited_for.is_some() || !self.reports.is_empty() {
            return Ok(Duration::ZERO);
        }
        let watch = Stopwatch::start();
        self.waited_for = Some(self.reports.recv().map_err(|_| io::Error::from(ErrorKind::BrokenPipe))?);
        Ok(watch.elapsed())
    }

    fn completion(&mut self) -> Option<Completion> {
        let completion = self.waited_for.take().or_else(|| self.reports.try_recv().ok())?;
        self.in_flight = self.in_flight.saturating_sub(1);
        Some(completion)
    }

    fn serves(&self, _thread: ThreadId) -> bool {
        true
    }
}

impl Drop for PoolPort {
    fn drop(&mut self) {
        // Without senders, the threads finish their jobs and end, so that none writes to the buffers afterwards.
        self.jobs = None;
        self.threads.drain(..).for_each(|thread| _ = thread.join());
    }
}
