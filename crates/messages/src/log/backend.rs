//! Interface for alternative logs: benchmarks compare the multi-log with other backends.

use super::combine::Combine;
use super::entry::entry_bytes;
use super::pages::Failure;
use super::plan::LogSetup;
use outcrop_engine::Plain;
use outcrop_types::{Error, Result, VertexId};
use std::fmt::Debug;
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, PoisonError};

/// Combines two messages, as bytes, into the first.
pub type CombineBytes<'c> = dyn Fn(&mut [u8], &[u8]) + Sync + 'c;

/// Backend that replaces the log per interval.
pub trait LogBackend: Sync + Debug {
    /// Name in run records.
    fn name(&self) -> &'static str;

    /// Opens an empty log for entries of `entry_bytes` bytes: a destination of 4 bytes, then a message. The log uses
    /// [`LogSetup::memory`] bytes, which the caller has reserved.
    ///
    /// # Errors
    /// Returns an error on [`outcrop_types::Error::Io`] or [`outcrop_types::Error::DiskFull`].
    fn open(&self, setup: &LogSetup<'_>, entry_bytes: usize) -> Result<Box<dyn BackendLog>>;
}

/// Log of a [`LogBackend`]. It combines messages if it is given a function.
pub trait BackendLog: Send + Sync + Debug {
    /// Returns the writer of the worker with this slot.
    fn writer(&self, slot: usize) -> Box<dyn BackendWriter + '_>;

    /// Returns an upper bound for the number of pending messages of an interval; 0 if there are none.
    fn waiting(&self, interval: usize) -> u64;

    /// Takes the entries of an interval, with their number; `None` if there are none.
    ///
    /// # Errors
    /// Returns an error if a read or write fails, or on interruption.
    fn drain(
        &self,
        interval: usize,
        combine: Option<&CombineBytes<'_>>,
    ) -> Result<Option<(u64, Box<dyn DrainedEntries>)>>;

    /// Returns the bytes read and written so far.
    fn traffic(&self) -> (u64, u64);
}

/// Writer of one worker to a [`BackendLog`].
pub trait BackendWriter {
    /// Sends a message to each vertex in `to`; all of them are in some interval.
    ///
    /// # Errors
    /// Returns an error if a write fails, or on interruption.
    fn send(&mut self, to: &[VertexId], message: &[u8], combine: Option<&CombineBytes<'_>>) -> Result<()>;
}

/// Drained entries of a [`BackendLog`].
pub trait DrainedEntries: Send + Debug {
    /// Passes all entries to `take`, in chunks of whole entries, read through `staging`.
    ///
    /// # Errors
    /// Returns an error if a read fails, if `take` returns one, or on interruption.
    fn scan(&self, staging: &mut [u8], take: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()>;
}

/// Calls `with` with a byte-wise combine function, if `C` combines.
pub(super) fn with_bytes<M: Plain, C: Combine<M>, T>(
    combine: &C,
    with: impl FnOnce(Option<&CombineBytes<'_>>) -> T,
) -> T {
    let bytes = |one: &mut [u8], other: &[u8]| {
        let combined = combine.combine(bytemuck::pod_read_unaligned(one), bytemuck::pod_read_unaligned(other));
        one.copy_from_slice(bytemuck::bytes_of(&combined));
    };
    let erased: &CombineBytes<'_> = &bytes;
    with(C::COMBINES.then_some(erased))
}

/// Log of another backend, with its counters and failures.
#[derive(Debug)]
pub(super) struct OtherLog {
    pub(super) log: Box<dyn BackendLog>,
    failure: Mutex<Failure>,
    pub(super) sent: AtomicU64,
    /// Upper bound of the vertex IDs, exclusive.
    pub(super) vertices: VertexId,
    pub(super) folder: PathBuf,
}

impl OtherLog {
    pub(super) fn open<M>(backend: &dyn LogBackend, setup: &LogSetup<'_>, vertices: VertexId) -> Result<Self> {
        let log = backend.open(setup, entry_bytes::<M>())?;
        let folder = setup.spill.path().to_owned();
        Ok(Self { log, failure: Mutex::default(), sent: AtomicU64::new(0), vertices, folder })
    }

    pub(super) fn fail(&self, error: Error) {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).keep(error);
    }

    pub(super) fn check(&self) -> Result<()> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).check()
    }
}
