//! Source of the ids of a result's rows, and the memory of batches of them.

use crate::graph::Graph;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::Schema;
use outcrop_io::IoChoice;
use outcrop_store::Store;
use outcrop_types::{Cancellation, Error, MemoryBudget, Result};
use std::sync::Arc;

/// Rows of a batch.
pub(crate) const BATCH_ROWS: u32 = 1 << 15;

/// Memory that batches on their way out may take, in bytes.
pub(crate) const BATCH_MEMORY: u64 = 8 << 20;

/// Memory that the texts of a column of a batch may take, in bytes, if it has more than one row.
pub(crate) const TEXT_MEMORY: u64 = BATCH_MEMORY / 4;

/// Rows in columns of `schema`.
pub(crate) fn rows_of(schema: Schema, columns: Vec<ArrayRef>) -> Result<RecordBatch> {
    let batch = RecordBatch::try_new(Arc::new(schema), columns);
    batch.map_err(|error| Error::internal(format!("rows of a result: {error}")))
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
