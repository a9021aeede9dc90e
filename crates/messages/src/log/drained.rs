//! Drained messages, to be loaded.

use super::backend::DrainedEntries;
use super::pages::Pool;
use outcrop_types::{Error, Result, VertexRange};
use std::sync::Arc;

/// Pending messages of an interval at the time of draining. Dropping this discards the messages that were not loaded.
#[derive(Debug)]
pub struct Drained {
    pub(super) range: VertexRange,
    count: u64,
    /// Size of the entries in bytes.
    pub(super) bytes: u64,
    entries: Entries,
}

/// Storage of the entries.
#[derive(Debug)]
enum Entries {
    /// No entries.
    Nothing,
    /// Entries in a list of the pool.
    Pages { pool: Arc<Pool>, list: usize },
    /// Entries in a log of another backend.
    Other(Box<dyn DrainedEntries>),
}

impl Drained {
    pub(super) const fn nothing(range: VertexRange) -> Self {
        Self { range, count: 0, bytes: 0, entries: Entries::Nothing }
    }

    pub(super) fn of_pages(range: VertexRange, count: u64, bytes: u64, pool: &Arc<Pool>, list: usize) -> Self {
        Self { range, count, bytes, entries: Entries::Pages { pool: Arc::clone(pool), list } }
    }

    pub(super) fn of_backend(
        range: VertexRange,
        entry_bytes: u64,
        entries: Option<(u64, Box<dyn DrainedEntries>)>,
    ) -> Self {
        match entries {
            Some((count, entries)) => {
                Self { range, count, bytes: count * entry_bytes, entries: Entries::Other(entries) }
            }
            None => Self::nothing(range),
        }
    }

    /// Returns the interval.
    pub const fn range(&self) -> VertexRange {
        self.range
    }

    /// Returns the number of messages sent; for other backends, the number after combination.
    pub const fn count(&self) -> u64 {
        self.count
    }

    pub(super) fn scan(
        &mut self,
        last: bool,
        staging: &mut [u8],
        take: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        match &self.entries {
            Entries::Nothing => {}
            Entries::Pages { pool, list } => pool.scan(*list, last, staging, take)?,
            Entries::Other(entries) => entries.scan(staging, take)?,
        }
        if last {
            self.clear();
        }
        Ok(())
    }

    /// Makes the messages pending again. No messages may have been sent to the interval in between.
    ///
    /// # Errors
    /// Returns [`Error::Internal`] for other backends.
    pub(super) fn give_back(mut self) -> Result<()> {
        match std::mem::replace(&mut self.entries, Entries::Nothing) {
            Entries::Nothing => Ok(()),
            Entries::Pages { pool, list } => {
                pool.give_back(list, self.count);
                Ok(())
            }
            Entries::Other(_) => Err(Error::internal("messages of a custom log cannot be saved")),
        }
    }

    /// Discards the messages.
    fn clear(&mut self) {
        (self.count, self.bytes) = (0, 0);
        if let Entries::Pages { pool, list } = std::mem::replace(&mut self.entries, Entries::Nothing) {
            pool.forget(list);
        }
    }
}

impl Drop for Drained {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Passes the entries of consecutive intervals to `take`, in chunks read through `staging`. Discards them if this is
/// the `last` pass.
///
/// # Errors
/// Returns an error if a read fails or is damaged, if `take` returns one, or on interruption.
pub(super) fn scan_all(
    drained: &mut [Drained],
    last: bool,
    staging: &mut [u8],
    take: &mut dyn FnMut(&[u8]) -> Result<()>,
) -> Result<()> {
    drained.iter_mut().try_for_each(|drained| drained.scan(last, staging, take))
}
