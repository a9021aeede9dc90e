//! Messages that were drained from a log, to be loaded.

use super::backend::DrainedEntries;
use super::pages::Pool;
use outcrop_types::{Error, Result, VertexRange};
use std::sync::Arc;

/// Messages that waited for an interval when it was drained. What is not loaded is forgotten when this is dropped.
#[derive(Debug)]
pub struct Drained {
    pub(super) range: VertexRange,
    count: u64,
    /// Bytes of their entries.
    pub(super) bytes: u64,
    entries: Entries,
}

/// Place of the entries.
#[derive(Debug)]
enum Entries {
    /// Nowhere: there are none.
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

    /// The interval.
    pub const fn range(&self) -> VertexRange {
        self.range
    }

    /// Number of messages that were sent; of another kind of log, after they were combined.
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

    /// Lets the messages wait again, where none were sent to the interval meanwhile.
    ///
    /// # Errors
    /// [`Error::Internal`] for a log of another kind.
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

    /// Forgets the messages.
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

/// Hands over the entries of consecutive intervals, some at a time, read through `staging`; they are forgotten where
/// this is the `last` time.
///
/// # Errors
/// A failed or damaged read; what `take` returns; interruption.
pub(super) fn scan_all(
    drained: &mut [Drained],
    last: bool,
    staging: &mut [u8],
    take: &mut dyn FnMut(&[u8]) -> Result<()>,
) -> Result<()> {
    drained.iter_mut().try_for_each(|drained| drained.scan(last, staging, take))
}
