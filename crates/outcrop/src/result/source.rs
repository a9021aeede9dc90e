//! Source of the ids of a result's rows, and the memory of batches of them.

use crate::graph::Graph;
use outcrop_io::IoChoice;
use outcrop_store::Store;
use outcrop_types::{Cancellation, Error, MemoryBudget, Purpose, Result};
use std::sync::Arc;

/// Rows of a batch.
pub(crate) const BATCH_ROWS: u32 = 1 << 15;

/// Memory that batches on their way out may take, in bytes.
pub(crate) const BATCH_MEMORY: u64 = 8 << 20;

/// Memory that the texts of a column of a batch may take, in bytes, where it has more than one row.
pub(crate) const TEXT_MEMORY: u64 = BATCH_MEMORY / 4;

/// The refusal of rows whose texts take more than all that `budget` has left.
pub(super) fn no_room(budget: &MemoryBudget) -> Error {
    let missing = budget.reserve(budget.available().saturating_add(1), Purpose::Results);
    missing.err().unwrap_or(Error::Internal { message: "a budget holds more than it has".to_owned() })
}

/// Source of a table's ids, and what pays for its batches.
pub(crate) struct TableSource {
    pub(crate) store: Arc<Store>,
    pub(crate) io: IoChoice,
    pub(crate) budget: MemoryBudget,
    pub(crate) cancellation: Cancellation,
}

impl TableSource {
    /// A source that does not keep the store of `graph` from being replaced.
    ///
    /// # Errors
    /// What the store keeps of ids is missing or of the wrong length.
    pub(crate) fn new(graph: &Graph, budget: MemoryBudget) -> Result<Self> {
        let cancellation = graph.cancellation().clone();
        Ok(Self { store: graph.store.unlocked(graph.io)?, io: graph.io, budget, cancellation })
    }
}
