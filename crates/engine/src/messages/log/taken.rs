//! Messages that were taken out of a log, to be loaded.

use super::pool::Pool;
use super::single::Sorted;
use outcrop_types::VertexRange;
use std::sync::Arc;

/// Messages that waited for an interval when it was taken. What is not loaded is forgotten when this is dropped.
#[derive(Debug)]
pub struct Taken {
    pub(super) range: VertexRange,
    pub(super) count: u64,
    /// Bytes of their entries.
    pub(super) bytes: u64,
    pub(super) kept: Kept,
}

/// Place of the messages.
#[derive(Debug)]
pub(super) enum Kept {
    /// Nowhere: there are none.
    Nothing,
    /// In a list of the pool.
    Pages { pool: Arc<Pool>, list: usize },
    /// In a sorted log, from this entry on.
    Sorted { sorted: Arc<Sorted>, first: u64 },
}

impl Taken {
    /// The interval.
    pub const fn range(&self) -> VertexRange {
        self.range
    }

    /// Number of messages that were sent. In a single log those that were combined count once.
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Forgets the messages.
    pub(super) fn clear(&mut self) {
        (self.count, self.bytes) = (0, 0);
        if let Kept::Pages { pool, list } = std::mem::replace(&mut self.kept, Kept::Nothing) {
            pool.forget(list);
        }
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        self.clear();
    }
}
