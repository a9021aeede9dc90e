//! Message log with an interchangeable backend.

use super::backend::{LogBackend, OtherLog, with_bytes};
use super::combine::Combine;
use super::drained::Drained;
use super::entry::entry_bytes;
use super::intervals::Intervals;
use super::multi::MultiLog;
use super::plan::LogSetup;
use super::writer::LogWriter;
use outcrop_engine::Plain;
use outcrop_io::PageFile;
use outcrop_types::{Error, Purpose, Reservation, Result, length_from};
use std::marker::PhantomData;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Stores messages until they are drained.
#[derive(Debug)]
pub struct MessageLog<M> {
    backend: Backend,
    intervals: Intervals,
    pub(super) delivered: AtomicU64,
    message: PhantomData<fn() -> M>,
    _held: Reservation,
}

/// Storage of the messages.
#[derive(Debug)]
enum Backend {
    Multi(MultiLog),
    Other(OtherLog),
}

/// Figures of a log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogFigures {
    /// Number of messages sent.
    pub sent: u64,
    /// Number of messages grouped, after combination.
    pub delivered: u64,
    /// Bytes written to disk.
    pub bytes_written: u64,
    /// Bytes read from disk.
    pub bytes_read: u64,
}

impl<M: Plain> MessageLog<M> {
    /// Creates an empty log per interval. Messages are combined while sending if it `combines`.
    ///
    /// # Errors
    /// Returns an error if the budget is less than [`super::LogPlan::bytes`], on [`outcrop_types::Error::Io`] or
    /// [`outcrop_types::Error::DiskFull`].
    pub fn new(setup: LogSetup<'_>, combines: bool) -> Result<Self> {
        let file = PageFile::new(setup.spill, setup.plan::<M>(combines).page_size());
        Self::over(file, setup, combines)
    }

    fn over(file: PageFile, setup: LogSetup<'_>, combines: bool) -> Result<Self> {
        let plan = setup.plan::<M>(combines);
        let held = setup.budget.reserve(plan.bytes(), Purpose::IoBuffers)?;
        let intervals = Intervals::new(setup.intervals)?;
        Ok(Self::of(Backend::Multi(MultiLog::new::<M>(file, &setup, &plan)?), intervals, held))
    }

    /// Creates an empty log of another backend, which uses [`LogSetup::memory`].
    ///
    /// # Errors
    /// Returns an error if the budget is too small, or the errors of [`LogBackend::open`].
    pub fn with_backend(setup: LogSetup<'_>, backend: &dyn LogBackend) -> Result<Self> {
        let held = setup.budget.reserve(setup.memory, Purpose::IoBuffers)?;
        let intervals = Intervals::new(setup.intervals)?;
        Ok(Self::of(Backend::Other(OtherLog::open::<M>(backend, &setup, intervals.end())?), intervals, held))
    }

    const fn of(backend: Backend, intervals: Intervals, held: Reservation) -> Self {
        Self { backend, intervals, delivered: AtomicU64::new(0), message: PhantomData, _held: held }
    }

    /// Returns the writer of the worker with this slot ([`outcrop_store::access::Workers::run`]). There may be one
    /// writer per slot at a time.
    pub fn writer(&self, slot: usize) -> LogWriter<'_, M> {
        match &self.backend {
            Backend::Multi(log) => LogWriter::to_pages(log, slot, &self.intervals),
            Backend::Other(log) => LogWriter::to_other(log, slot),
        }
    }

    /// Reports failures of sending messages and of writing them to disk.
    ///
    /// # Errors
    /// Returns an error on [`outcrop_types::Error::DiskFull`] or [`outcrop_types::Error::Io`], or if a message was sent
    /// to a vertex in no interval.
    pub fn check(&self) -> Result<()> {
        match &self.backend {
            Backend::Multi(log) => log.pool.check(),
            Backend::Other(log) => log.check(),
        }
    }

    pub(super) fn fail(&self, error: Error) {
        match &self.backend {
            Backend::Multi(log) => log.pool.fail(error),
            Backend::Other(log) => log.fail(error),
        }
    }

    /// Returns the folder of temporary files.
    pub(super) fn folder(&self) -> &Path {
        match &self.backend {
            Backend::Multi(log) => log.pool.file.folder(),
            Backend::Other(log) => &log.folder,
        }
    }

    /// Returns the bytes per page.
    pub(super) fn page_bytes(&self) -> usize {
        match &self.backend {
            Backend::Multi(log) => log.pool.file.page_bytes(),
            Backend::Other(_) => 0,
        }
    }

    /// Returns the number of destination intervals.
    pub fn intervals(&self) -> usize {
        self.intervals.len()
    }

    /// Returns the number of pending messages of an interval, before combination, so that it does not depend on the
    /// number of threads. Messages of open writers are not counted yet. Other backends may return an upper bound.
    pub fn waiting(&self, interval: usize) -> u64 {
        match &self.backend {
            Backend::Multi(log) => log.pool.waiting(interval),
            Backend::Other(log) => log.log.waiting(interval),
        }
    }

    /// Takes the pending messages of an interval; later messages are not included. No messages may be sent meanwhile.
    ///
    /// # Errors
    /// Returns the errors of [`MessageLog::check`]. Other backends may also fail to read or write, or return an error
    /// on interruption.
    pub fn drain<C: Combine<M>>(&self, interval: usize, combine: &C) -> Result<Drained> {
        self.check()?;
        match &self.backend {
            Backend::Multi(log) => Ok(log.drain(interval, &self.intervals)),
            Backend::Other(log) => {
                let entries = with_bytes(combine, |combine| log.log.drain(interval, combine))?;
                Ok(Drained::of_backend(self.intervals.range(interval), length_from(entry_bytes::<M>()), entries))
            }
        }
    }

    /// Returns the figures so far. Messages of open writers are not counted yet.
    pub fn figures(&self) -> LogFigures {
        let (sent, (bytes_read, bytes_written)) = match &self.backend {
            Backend::Multi(log) => (log.sent(), log.pool.file.traffic()),
            Backend::Other(log) => (log.sent.load(Relaxed), log.log.traffic()),
        };
        LogFigures { sent, delivered: self.delivered.load(Relaxed), bytes_written, bytes_read }
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use outcrop_io::SpillFolder;
    use outcrop_store::access::Workers;
    use outcrop_types::{Cancellation, MemoryBudget, VertexRange};

    struct Keep;

    impl Combine<u32> for Keep {
        const COMBINES: bool = false;

        fn combine(&self, one: u32, _: u32) -> u32 {
            one
        }
    }

    #[test]
    fn a_full_disk_is_told_to_all_and_stops_nobody() {
        let folder = tempfile::tempdir().unwrap();
        let setup = LogSetup {
            intervals: &[VertexRange::new(0, 1000)],
            page_bytes: 4096,
            memory: 0,
            messages: 0,
            spill: &SpillFolder::new(folder.path()).unwrap(),
            workers: &Workers::start(2, Cancellation::new()).unwrap(),
            budget: &MemoryBudget::new(1 << 20),
        };
        let full = std::fs::File::options().read(true).write(true).open("/dev/full").unwrap();
        let log = MessageLog::over(PageFile::over(full, folder.path(), 4096), setup, false).unwrap();
        let send = |slot: usize| {
            let mut writer = log.writer(slot);
            (0..1_000_000).for_each(|message| writer.send(&[message % 1000], message, &Keep));
            Ok(())
        };
        setup.workers.run(false, &send).unwrap();
        for _ in 0..2 {
            let error = log.check().unwrap_err();
            assert!(matches!(&error, Error::DiskFull { path, .. } if path == folder.path()), "{error}");
            assert_eq!(log.drain(0, &Keep).unwrap_err().exit_code(), 5);
        }
    }
}
