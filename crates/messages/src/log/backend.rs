//! The seam for a log of another kind: what measures the multi-log brings one to compare with.

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

/// Makes one message of two, as bytes, in the place of the first.
pub type CombineBytes<'c> = dyn Fn(&mut [u8], &[u8]) + Sync + 'c;

/// A kind of log that takes the place of a log for each interval.
pub trait LogBackend: Sync + Debug {
    /// Name in records of runs.
    fn name(&self) -> &'static str;

    /// Opens an empty log for entries of so many bytes: a destination of 4 bytes, then a message. It works in
    /// [`LogSetup::memory`] bytes, which the caller has reserved.
    ///
    /// # Errors
    /// [`outcrop_types::Error::Io`]; [`outcrop_types::Error::DiskFull`].
    fn open(&self, setup: &LogSetup<'_>, entry_bytes: usize) -> Result<Box<dyn BackendLog>>;
}

/// A log of a [`LogBackend`]. Messages are combined where there is a function for that.
pub trait BackendLog: Send + Sync + Debug {
    /// Takes what the worker with this slot sends, until it is dropped.
    fn writer(&self, slot: usize) -> Box<dyn BackendWriter + '_>;

    /// Number of messages that wait for an interval at the most; 0 where none does.
    fn waiting(&self, interval: usize) -> u64;

    /// Takes entries to an interval, with how many there are; `None` where there are none now.
    ///
    /// # Errors
    /// Failed reads and writes; interruption.
    fn drain(
        &self,
        interval: usize,
        combine: Option<&CombineBytes<'_>>,
    ) -> Result<Option<(u64, Box<dyn DrainedEntries>)>>;

    /// Bytes read and bytes written so far.
    fn traffic(&self) -> (u64, u64);
}

/// Writer of one worker to a [`BackendLog`].
pub trait BackendWriter {
    /// Sends a message to each of `to`, which are vertices of some interval.
    ///
    /// # Errors
    /// Failed writes; interruption.
    fn send(&mut self, to: &[VertexId], message: &[u8], combine: Option<&CombineBytes<'_>>) -> Result<()>;
}

/// Entries that were drained from a [`BackendLog`].
pub trait DrainedEntries: Send + Debug {
    /// Hands over all entries, whole ones at a time, read through `staging`.
    ///
    /// # Errors
    /// Failed reads; what `take` returns; interruption.
    fn scan(&self, staging: &mut [u8], take: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()>;
}

/// Calls `with` with what combines messages as bytes, where `C` does.
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

/// A log of another kind, with what is counted and kept for it.
#[derive(Debug)]
pub(super) struct OtherLog {
    pub(super) log: Box<dyn BackendLog>,
    failure: Mutex<Failure>,
    pub(super) sent: AtomicU64,
    /// Vertices are below this.
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
