//! Counts of an update.

use serde::{Deserialize, Serialize};

/// Counts of an update, in edges; an undirected edge counts once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UpdateCounts {
    /// Inserted edges.
    pub added: u64,
    /// Deleted edges.
    pub removed: u64,
    /// Removals of edges that do not exist.
    pub absent: u64,
    /// Additions of existing edges, in a store without duplicates.
    pub present: u64,
    /// Additions of existing edges that changed the weight.
    pub reweighted: u64,
    /// Loops that were dropped, in a store without loops.
    pub loops_dropped: u64,
}

impl UpdateCounts {
    pub(super) const fn add(&mut self, other: &Self) {
        self.added += other.added;
        self.removed += other.removed;
        self.absent += other.absent;
        self.present += other.present;
        self.reweighted += other.reweighted;
        self.loops_dropped += other.loops_dropped;
    }

    /// Returns true if the update changed the store.
    pub(super) const fn changed(&self) -> bool {
        self.added + self.removed + self.reweighted > 0
    }
}
