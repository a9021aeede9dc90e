//! Readers of files that are not lines of text.

use super::input::{Origin, Progress};
use super::options::EdgeListOptions;
use super::statement::Statement;
use outcrop_store::writing::{EdgeBatch, IdKind};
use outcrop_types::{FileSummary, MemoryBudget, Result};
use std::sync::Arc;

/// Surroundings of a reader.
pub(crate) struct ReaderContext<'c> {
    pub(crate) options: &'c EdgeListOptions,
    pub(crate) progress: &'c Arc<Progress>,
    /// From which a reader reserves its memory while it is open.
    pub(crate) budget: &'c MemoryBudget,
    /// The kind of ids that all batches of the build have, as options or earlier files decided: a reader gives ids of this kind or
    /// refuses. `None` while files are asked for their statements.
    pub(crate) kind: Option<IdKind>,
}

/// Opens a file.
pub(crate) type OpenReader = fn(Origin, &ReaderContext<'_>) -> Result<Box<dyn FileReader>>;

/// A reader of one file of a format that is not lines of text.
pub(crate) trait FileReader: Send {
    /// Statements of the file about its graph.
    fn statement(&self) -> Statement;

    /// Replaces the content of `batch` with the next edges; `false` at the end.
    fn next_batch(&mut self, batch: &mut EdgeBatch) -> Result<bool>;

    /// An account of what was read so far.
    fn summary(&self) -> FileSummary;
}
