//! Source of the IDs of a result's rows, and memory limits of batches.

use crate::graph::Graph;
use crate::lists::Warm;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::Schema;
use outcrop_io::IoChoice;
use outcrop_store::{OriginalIdReader, Store};
use outcrop_types::{Cancellation, Error, MemoryBudget, Result};
use std::sync::Arc;

/// Rows per batch.
pub(crate) const BATCH_ROWS: u32 = 1 << 15;

/// Maximum memory of outgoing batches, in bytes, with the readers of IDs. See [`batch_memory`].
pub(crate) const BATCH_MEMORY: u64 = 8 << 20;

/// Maximum memory of the texts of a column of a batch, in bytes, if it has more than one row.
pub(crate) const TEXT_MEMORY: u64 = BATCH_MEMORY / 4;

/// Returns the memory of the pending new vertices of `store` in a reader of IDs, in bytes.
pub(crate) fn new_id_bytes(store: &Store) -> u64 {
    OriginalIdReader::memory(store.manifest()) - OriginalIdReader::LISTED_BYTES
}

/// Returns the maximum memory of outgoing batches with IDs of `store`, in bytes.
pub(crate) fn batch_memory(store: &Store) -> u64 {
    BATCH_MEMORY + new_id_bytes(store)
}

/// Creates a batch of rows with columns of `schema`.
pub(crate) fn rows_of(schema: Schema, columns: Vec<ArrayRef>) -> Result<RecordBatch> {
    let batch = RecordBatch::try_new(Arc::new(schema), columns);
    batch.map_err(|error| Error::internal(format!("rows of a result: {error}")))
}

/// Source of a table's IDs, and the budget of its batches.
pub(crate) struct TableSource {
    pub(crate) store: Arc<Store>,
    pub(crate) io: IoChoice,
    pub(crate) budget: MemoryBudget,
    pub(crate) cancellation: Cancellation,
    /// IDs in memory for this table only.
    pub(crate) _kept: Option<Arc<Warm>>,
}

impl TableSource {
    /// Creates a source that does not lock the store of `graph`.
    ///
    /// # Errors
    ///
    /// Returns an error if an ID component of the store is missing or has the wrong length.
    pub(crate) fn new(graph: &Graph, budget: MemoryBudget) -> Result<Self> {
        let cancellation = graph.cancellation().clone();
        Ok(Self { store: graph.store.unlocked(graph.io)?, io: graph.io, budget, cancellation, _kept: None })
    }
}
