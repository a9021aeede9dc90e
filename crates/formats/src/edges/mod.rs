//! Edges in and out of files: texts with one edge a line, plain or compressed, and a compact binary format.

mod options;
mod sink;

pub use options::{ColumnNames, EdgeListOptions, Header, IdRule, OnError, Separator};
pub use sink::EdgeSink;

use outcrop_store::build::EdgeSource;
use outcrop_types::{Error, MemoryBudget, Result};
use std::path::{Path, PathBuf};

/// The longest line that is read, in bytes with its line end.
pub const LONGEST_LINE: usize = 1 << 20;

/// The longest text that can be an id, in bytes.
pub const LONGEST_NAME: usize = 1 << 16;

/// Where edges come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EdgeInput {
    /// A file.
    Path(PathBuf),
    /// The standard input.
    StandardInput,
}

/// The edges of `inputs`, one after the other.
///
/// # Errors
/// A file that is missing or cannot be read, options that contradict each other or the files, a budget without room for
/// [`buffer_bytes`] of one thread.
pub fn open_edges(
    inputs: &[EdgeInput],
    options: &EdgeListOptions,
    budget: &MemoryBudget,
    threads: usize,
) -> Result<Box<dyn EdgeSource>> {
    _ = (inputs, options, budget, threads);
    Err(Error::Usage("reading edges is not built yet".to_owned()))
}

/// What reading takes from the budget with `threads` parsing, in bytes; independent of the input.
pub const fn buffer_bytes(threads: usize) -> u64 {
    (threads as u64) << 20
}

/// A new file of edges in the format that the extension of `path` asks for: `.bin` for the binary format; `.el`, `.txt`, `.csv`, `.tsv`,
/// each also with `.gz` or `.zst` behind it, for text.
///
/// # Errors
/// Another extension; a file that exists, unless `overwrite`; failures of writing.
pub fn create_edges(
    path: &Path,
    weighted: bool,
    num_vertices: Option<u64>,
    overwrite: bool,
) -> Result<Box<dyn EdgeSink>> {
    _ = (path, weighted, num_vertices, overwrite);
    Err(Error::Usage("writing edges is not built yet".to_owned()))
}
