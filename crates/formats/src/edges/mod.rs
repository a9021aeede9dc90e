//! Readers and writers of edges: texts with one edge per line, plain or compressed, and binary, columnar and adjacency
//! formats.

mod adjacency;
mod binary;
pub(crate) mod columnar;
mod declared_facts;
mod explain;
mod folder;
mod foreign;
mod format;
pub(crate) mod input;
mod ldbc;
mod options;
pub(crate) mod reader;
mod roles;
mod sink;
mod source;
mod target_file;
pub(crate) mod text;
mod weight;

pub use binary::{BinaryEdgeWriter, IdWidth};
pub use columnar::{ColumnError, EdgeColumns, EdgeRows};
pub use explain::{ExplainedFile, explain_edges};
pub use format::EdgeFormat;
pub use options::{ColumnNames, EdgeInput, EdgeListOptions, Header, IdRule, LONGEST_LINE, OnError, Separator};
pub use sink::{EdgeSink, NewEdges};
pub use target_file::is_standard_output;
pub use text::EdgeListWriter;
pub use weight::weight_as;

use crate::remote::Client;
use crate::table::TableFormat;
use adjacency::GapWriter;
use columnar::TableSink;
use input::Origin;
use outcrop_store::writing::{EdgeSource, IdKind};
use outcrop_types::{Error, MemoryBudget, Result, WeightType};
use source::EdgeInputs;
use std::io::Read;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use text::BlockSizes;

/// Opened edge files and their statements.
pub struct OpenedEdges {
    /// Edges of all files, one file after the other.
    pub source: Box<dyn EdgeSource>,
    /// Direction (true for directed edges), and the file that states it.
    pub directed: Option<(bool, String)>,
    /// IDs that are vertices even without edges.
    pub vertices: Vec<RangeInclusive<u64>>,
    /// Companion vertex files.
    pub vertex_files: Vec<PathBuf>,
    /// Notes for the user: skipped files of folders (hidden ones, and names that start with `_`), and objects without a
    /// version.
    pub notes: Vec<String>,
    /// Name and version ([`version_of`]) of each file.
    pub versions: Vec<(String, Option<String>)>,
}

/// Returns the length and modification time of a file, which identify its version; `None` for an input that can be read
/// only once.
///
/// # Errors
///
/// Returns an error if the input cannot be read.
pub fn version_of(input: &EdgeInput, budget: &MemoryBudget) -> Result<Option<String>> {
    Origin::inspect(input, &Client::new(budget))?.version()
}

/// Opens the edges of `inputs`, one after the other. A folder, or a pattern with `*` or `?` in the last path component,
/// stands for its files in the order of their names.
///
/// # Errors
///
/// Returns an error if a file is missing or unreadable, if options contradict each other or the files, or if the budget
/// cannot hold [`buffer_bytes`] of one thread.
pub fn open_edges(
    inputs: &[EdgeInput],
    options: &EdgeListOptions,
    budget: &MemoryBudget,
    threads: usize,
) -> Result<OpenedEdges> {
    if inputs.is_empty() {
        return Err(Error::Usage("no input; pass at least one edge file".to_owned()));
    }
    let client = Client::new(budget);
    let (inputs, passed_over) = folder::expand(inputs, options, &client)?;
    let mut notes: Vec<_> = passed_over.into_iter().map(|name| format!("skipped {name}")).collect();
    let origins = inputs.iter().map(|input| Origin::inspect(input, &client)).collect::<Result<Vec<_>>>()?;
    let version = |origin: &Origin| Ok((origin.name.clone(), origin.version()?));
    let versions = origins.iter().map(version).collect::<Result<_>>()?;
    notes.extend(origins.iter().filter_map(Origin::doubt));
    let mut edges = EdgeInputs::open(origins, options, budget, threads, BlockSizes::usual())?;
    let source::Stated { directed, vertices, vertex_files } = std::mem::take(&mut edges.stated);
    Ok(OpenedEdges { source: Box::new(edges), directed, vertices, vertex_files, notes, versions })
}

/// Opens the edges of a stream, which messages call `name`.
///
/// # Errors
///
/// Returns an error under the same conditions as [`open_edges`].
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

/// Returns the bytes that reading texts with `threads` parsers reserves from the budget, without the zstd window;
/// independent of the input. If the budget has less room, fewer threads parse.
pub const fn buffer_bytes(threads: usize) -> u64 {
    text::pipeline_bytes(threads, BlockSizes::usual(), false)
}

/// Creates a file of edges. Text is compressed if the name ends in `.gz` or `.zst`. The binary format rounds weights to
/// single precision unless that would lose precision of their type.
///
/// # Errors
///
/// Returns an error if the format is read-only or cannot represent such edges, if the file exists and may not be
/// overwritten, or if writing fails.
pub fn create_edges(path: &Path, file: &NewEdges) -> Result<Box<dyn EdgeSink>> {
    let text = file.ids == IdKind::Text;
    match (file.format, file.lists) {
        (EdgeFormat::Parquet, _) => Ok(Box::new(TableSink::create(path, TableFormat::Parquet, file)?)),
        (EdgeFormat::EdgeList, _) if text => Ok(Box::new(TableSink::create(path, quoted(path)?, file)?)),
        (EdgeFormat::EdgeList, _) => {
            Ok(Box::new(EdgeListWriter::create(path, file.weights.is_some(), file.overwrite)?))
        }
        (format, _) if text => Err(texts_in(path, format.name())),
        (EdgeFormat::Outcrop, _) => {
            let (width, weights) = (IdWidth::for_vertices(file.num_vertices), file.weights.map(floating));
            let NewEdges { num_vertices, num_edges, overwrite, .. } = *file;
            Ok(Box::new(BinaryEdgeWriter::create(path, weights, width, num_vertices, num_edges, overwrite)?))
        }
        (EdgeFormat::Sg | EdgeFormat::Wsg, Some(directed)) => Ok(Box::new(GapWriter::create(path, directed, file)?)),
        (EdgeFormat::Sg | EdgeFormat::Wsg, None) => {
            let message = "serialized graphs are written from a store: build one, then use `outcrop export`";
            Err(Error::Usage(format!("{}: {message}", path.display())))
        }
        (format, _) => Err(Error::internal(format!("edge files cannot be written as {}", format.name()))),
    }
}

/// Returns the floating-point type that represents all weights of a type.
const fn floating(kind: WeightType) -> WeightType {
    match kind {
        WeightType::F64 | WeightType::U32 => WeightType::F64,
        WeightType::F32 | WeightType::U8 | WeightType::U16 => WeightType::F32,
    }
}

/// Returns the text format that can store any text.
fn quoted(path: &Path) -> Result<TableFormat> {
    match format::text_extension(path).map(str::to_lowercase).as_deref() {
        Some("csv") => Ok(TableFormat::Csv),
        Some("tsv") => Ok(TableFormat::Tsv),
        _ if is_standard_output(path) => Ok(TableFormat::Tsv),
        _ => Err(texts_in(path, "unquoted text")),
    }
}

fn texts_in(path: &Path, format: &str) -> Error {
    let path = path.display();
    Error::Usage(format!("{path}: {format} does not support string IDs; use .csv, .tsv or .parquet"))
}

#[cfg(test)]
mod tests;
