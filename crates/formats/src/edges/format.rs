//! Formats of edge files: their names, extensions, first bytes and readers.

use super::binary::BinaryReader;
use super::columnar::{open_arrow, open_parquet};
use super::gap::{open_sg, open_wsg};
use super::input::{BINARY, Origin, Progress};
use super::metis::open_metis;
use super::options::EdgeListOptions;
use outcrop_store::build::{EdgeBatch, IdKind};
use outcrop_types::{Error, FileSummary, MemoryBudget, Result};
use std::ops::RangeInclusive;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

/// A format of edge files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeFormat {
    /// Text with one edge a line.
    EdgeList,
    /// The binary format that `outcrop generate` writes.
    Outcrop,
    /// Apache Parquet.
    Parquet,
    /// Arrow IPC, file or stream.
    Arrow,
    /// A serialized graph of the GAP Benchmark Suite.
    Sg,
    /// The same with weights.
    Wsg,
    /// Matrix Market, coordinate format.
    MatrixMarket,
    /// DIMACS: arcs of shortest paths (`p sp`), or edges (`p edge`, `p col`).
    Dimacs,
    /// METIS: a line a vertex with its neighbours.
    Metis,
    /// The edges of a graph of LDBC Graphalytics, with the vertices in a file beside it.
    Ldbc,
}

/// A row of the table of formats.
struct Row {
    format: EdgeFormat,
    name: &'static str,
    /// Extensions in lower case, before `.gz` and `.zst`.
    extensions: &'static [&'static str],
    /// The first bytes of every such file, where there are some.
    magic: Option<&'static [u8]>,
    /// The reader, where it is not the one of lines of text.
    reader: Option<OpenReader>,
}

const FORMATS: &[Row] = &[
    Row {
        format: EdgeFormat::EdgeList,
        name: "edge-list",
        extensions: &["el", "wel", "txt", "csv", "tsv", "edges"],
        magic: None,
        reader: None,
    },
    Row {
        format: EdgeFormat::Outcrop,
        name: "outcrop",
        extensions: &["bin"],
        magic: Some(BINARY),
        reader: Some(BinaryReader::open_boxed),
    },
    Row {
        format: EdgeFormat::Parquet,
        name: "parquet",
        extensions: &["parquet", "pq"],
        magic: Some(b"PAR1"),
        reader: Some(open_parquet),
    },
    Row {
        format: EdgeFormat::Arrow,
        name: "arrow",
        extensions: &["arrow", "arrows", "feather", "ipc"],
        magic: Some(b"ARROW1"),
        reader: Some(open_arrow),
    },
    Row { format: EdgeFormat::Sg, name: "sg", extensions: &["sg"], magic: None, reader: Some(open_sg) },
    Row { format: EdgeFormat::Wsg, name: "wsg", extensions: &["wsg"], magic: None, reader: Some(open_wsg) },
    Row {
        format: EdgeFormat::MatrixMarket,
        name: "matrix-market",
        extensions: &["mtx"],
        magic: Some(b"%%MatrixMarket"),
        reader: None,
    },
    Row { format: EdgeFormat::Dimacs, name: "dimacs", extensions: &["gr", "dimacs", "col"], magic: None, reader: None },
    Row {
        format: EdgeFormat::Metis,
        name: "metis",
        extensions: &["graph", "metis"],
        magic: None,
        reader: Some(open_metis),
    },
    Row { format: EdgeFormat::Ldbc, name: "ldbc", extensions: &["e"], magic: None, reader: None },
];

impl EdgeFormat {
    fn row(self) -> &'static Row {
        FORMATS.iter().find(|row| row.format == self).unwrap_or(&FORMATS[0])
    }

    /// The name, as `--format` takes it.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The names of all formats.
    pub fn names() -> impl Iterator<Item = &'static str> {
        FORMATS.iter().map(|row| row.name)
    }

    /// The format of the file called `name` that begins with `head`: by its first bytes, else by its extension; `None` where neither
    /// is known.
    pub(crate) fn recognise(name: &str, head: &[u8]) -> Option<Self> {
        let by_magic = FORMATS.iter().find(|row| row.magic.is_some_and(|magic| head.starts_with(magic)));
        by_magic.map(|row| row.format).or_else(|| Self::of_extension(name))
    }

    /// The format that the extension of `name` stands for, past that of its compression.
    pub(crate) fn of_extension(name: &str) -> Option<Self> {
        let extension = super::text_extension(Path::new(name))?.to_lowercase();
        FORMATS.iter().find(|row| row.extensions.contains(&extension.as_str())).map(|row| row.format)
    }

    /// True if files of the format begin with statements about their graph, followed by a line an edge.
    pub(crate) const fn has_preface(self) -> bool {
        matches!(self, Self::MatrixMarket | Self::Dimacs)
    }

    /// True if the reader of the format takes compression off.
    pub(crate) const fn reads_compressed(self) -> bool {
        matches!(self, Self::Metis)
    }

    /// Opens a reader of its own; `None` where files of the format are texts that are read line by line.
    pub(crate) fn reader(self) -> Option<OpenReader> {
        self.row().reader
    }
}

impl FromStr for EdgeFormat {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        FORMATS.iter().find(|row| row.name == name).map(|row| row.format).ok_or_else(|| {
            let names = Self::names().collect::<Vec<_>>().join(", ");
            Error::Usage(format!("there is no format {name:?} of edge files; choose one of {names}"))
        })
    }
}

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

/// Statements of a file about its graph, known before its edges are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Statement {
    /// The kind of its ids.
    pub(crate) id_kind: Option<IdKind>,
    /// The number of edges that the reader will give.
    pub(crate) edges: Option<u64>,
    /// Ids that are vertices whether or not they have edges.
    pub(crate) vertices: Option<RangeInclusive<u64>>,
    /// True if its edges have a direction.
    pub(crate) directed: Option<bool>,
}

/// A reader of one file of a format that is not lines of text.
pub(crate) trait FileReader: Send {
    /// Statements of the file about its graph.
    fn statement(&self) -> Statement;

    /// Replaces the content of `batch` with the next edges; `false` at the end.
    fn next_batch(&mut self, batch: &mut EdgeBatch) -> Result<bool>;

    /// An account of what was read so far.
    fn summary(&self) -> FileSummary;
}
