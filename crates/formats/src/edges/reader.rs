//! Readers of non-text files.

use super::declared_facts::DeclaredFacts;
use super::input::{Origin, Progress};
use super::options::EdgeListOptions;
use super::text::Listing;
use outcrop_store::writing::{EdgeBatch, IdBatch, IdKind};
use outcrop_types::{Error, FileSummary, Location, MemoryBudget, Result};
use std::sync::Arc;

/// Context of a reader.
pub(crate) struct ReaderContext<'c> {
    pub(crate) options: &'c EdgeListOptions,
    pub(crate) progress: &'c Arc<Progress>,
    /// Content of tables: edges, or vertices, each returned as a self-loop.
    pub(crate) listing: Listing,
    /// Budget from which a reader reserves its memory while it is open.
    pub(crate) budget: &'c MemoryBudget,
    /// ID kind of all batches of the build, as set by options or earlier files: a reader returns IDs of this kind or
    /// fails. `None` while only the statements of files are collected.
    pub(crate) kind: Option<IdKind>,
}

impl ReaderContext<'_> {
    /// Refuses the file `name` with integer IDs if all IDs are read as strings.
    pub(crate) fn expect_whole_ids(&self, name: &str) -> Result<()> {
        if self.kind != Some(IdKind::Text) {
            return Ok(());
        }
        let message = "the file has integer IDs, expected strings as required by --ids, the store or other files; convert it to text";
        Err(Error::bad_input(Location::file(name), message))
    }
}

/// Returns the error for the file `name`, whose format has no times.
pub(crate) fn no_times(name: &str) -> Error {
    let message = "this format does not support timestamps; use text with columns, Parquet or Arrow";
    Error::bad_input(Location::file(name), message)
}

/// Clears `batch` for integer IDs.
pub(crate) fn clear_for_ids(batch: &mut EdgeBatch) {
    if !matches!(batch.endpoints, IdBatch::Integers(_)) {
        batch.endpoints = IdBatch::empty(IdKind::Integer);
    }
    batch.clear();
}

/// Returns the IDs of a batch of integers.
#[inline]
pub(crate) fn whole_ids(batch: &mut EdgeBatch) -> Result<&mut Vec<u64>> {
    match &mut batch.endpoints {
        IdBatch::Integers(ids) => Ok(ids),
        IdBatch::Texts { .. } => Err(Error::internal("edges with integer IDs go into a batch of strings")),
    }
}

/// Function that opens a file.
pub(crate) type OpenReader = fn(Origin, &ReaderContext<'_>) -> Result<Box<dyn FileReader>>;

/// Reader of one file in a non-text format.
pub(crate) trait FileReader: Send {
    /// Returns the statements of the file about its graph.
    fn declared_facts(&self) -> DeclaredFacts;

    /// Replaces the content of `batch` with the next edges; returns `false` at the end.
    fn next_batch(&mut self, batch: &mut EdgeBatch) -> Result<bool>;

    /// Returns a summary of the edges read so far.
    fn summary(&self) -> FileSummary;
}
