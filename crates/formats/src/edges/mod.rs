//! Edges in and out of files: texts with one edge a line, plain or compressed, and a compact binary format.

mod adjacency;
mod binary;
pub(crate) mod columnar;
mod folder;
mod format;
pub(crate) mod input;
mod ldbc;
mod options;
mod reader;
mod sink;
mod source;
mod statement;
mod target_file;
pub(crate) mod text;
mod weight;

pub use binary::{BinaryEdgeWriter, IdWidth};
pub use columnar::{ColumnError, EdgeColumns, EdgeRows};
pub use format::EdgeFormat;
pub use options::{
    ColumnNames, EdgeInput, EdgeListOptions, Header, IdRule, LONGEST_LINE, LONGEST_NAME, OnError, Separator,
};
pub use sink::EdgeSink;
pub use text::EdgeListWriter;
pub use weight::weight_as;

use format::text_extension;
use input::Origin;
use outcrop_store::writing::EdgeSource;
use outcrop_types::{Error, MemoryBudget, Result, WeightType};
use source::EdgeInputs;
use std::io::Read;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use text::BlockSizes;

/// Files of edges that were opened, and what they state.
pub struct OpenedEdges {
    /// The edges of all files, one after the other.
    pub source: Box<dyn EdgeSource>,
    /// Direction: true if edges have one, and the file that says so.
    pub directed: Option<(bool, String)>,
    /// Ids that are vertices whether or not they have edges.
    pub vertices: Vec<RangeInclusive<u64>>,
    /// Files of vertices beside the files of edges.
    pub vertex_files: Vec<PathBuf>,
    /// Files of folders that were passed over: hidden ones, and those that begin with `_`.
    pub passed_over: Vec<String>,
}

/// The edges of `inputs`, one after the other: a folder, and a pattern with `*` or `?` in the last part of its path, are the files that they
/// stand for, in the order of their names.
///
/// # Errors
/// A file that is missing or cannot be read, options that contradict each other or the files, a budget without room for
/// [`buffer_bytes`] of one thread.
pub fn open_edges(
    inputs: &[EdgeInput],
    options: &EdgeListOptions,
    budget: &MemoryBudget,
    threads: usize,
) -> Result<OpenedEdges> {
    if inputs.is_empty() {
        return Err(Error::Usage("no input was given; name at least one file of edges".to_owned()));
    }
    let (inputs, passed_over) = folder::expand(inputs, options)?;
    let origins = inputs.iter().map(Origin::inspect).collect::<Result<Vec<_>>>()?;
    let mut edges = EdgeInputs::open(origins, options, budget, threads, BlockSizes::usual())?;
    let source::Stated { directed, vertices, vertex_files } = std::mem::take(&mut edges.stated);
    Ok(OpenedEdges { source: Box::new(edges), directed, vertices, vertex_files, passed_over })
}

/// The edges that a stream brings, called `name` in messages.
///
/// # Errors
/// As [`open_edges`].
pub fn read_edges(
    name: &str,
    reader: Box<dyn Read + Send>,
    options: &EdgeListOptions,
    budget: &MemoryBudget,
    threads: usize,
) -> Result<Box<dyn EdgeSource>> {
    let origins = vec![Origin::of_reader(name, reader)?];
    Ok(Box::new(EdgeInputs::open(origins, options, budget, threads, BlockSizes::usual())?))
}

/// Bytes that reading texts takes from the budget with `threads` parsing, beside the window of zstd; independent of the input. Where
/// the budget has less room, fewer threads parse.
pub const fn buffer_bytes(threads: usize) -> u64 {
    text::pipeline_bytes(threads, BlockSizes::usual(), false)
}

/// A new file of edges in the format that the extension of `path` asks for: `.bin` for the binary format; `.el`, `.txt`, `.csv`, `.tsv`,
/// each also with `.gz` or `.zst` behind it, for text. The binary format rounds `weights` to single precision unless they are of double.
///
/// # Errors
/// Another extension; a file that exists, unless `overwrite`; failures of writing.
pub fn create_edges(
    path: &Path,
    weights: Option<WeightType>,
    num_vertices: Option<u64>,
    overwrite: bool,
) -> Result<Box<dyn EdgeSink>> {
    if path.extension().is_some_and(|extension| extension == "bin") {
        let width = IdWidth::for_vertices(num_vertices);
        return Ok(Box::new(BinaryEdgeWriter::create(path, weights, width, num_vertices, overwrite)?));
    }
    match text_extension(path) {
        Some("el" | "txt" | "csv" | "tsv") => Ok(Box::new(EdgeListWriter::create(path, weights.is_some(), overwrite)?)),
        _ => Err(Error::Usage(format!(
            "{} has none of the endings of edge files: .bin (binary); .el, .txt, .csv, .tsv, each also with .gz or .zst (text)",
            path.display()
        ))),
    }
}

#[cfg(test)]
mod tests;
