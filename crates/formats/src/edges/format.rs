//! Formats of edge files: their names, extensions and first bytes.

use outcrop_types::{Error, Result};
use std::path::Path;
use std::str::FromStr;

/// The first bytes of the binary format.
pub(crate) const BINARY: &[u8] = b"OUTCROPE";

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
    /// DIMACS: arcs of shortest paths and flows (`p sp`, `p max`, `p min`, `p asn`), or edges (`p edge`, `p col`).
    Dimacs,
    /// METIS: a line per vertex with its neighbours.
    Metis,
    /// Pajek: sections of vertices, arcs and edges.
    Pajek,
    /// A vertex and its neighbors per line.
    AdjacencyList,
    /// The edges of an LDBC Graphalytics graph, with the vertices in a file next to it.
    Ldbc,
}

impl EdgeFormat {
    /// Every format.
    const ALL: [Self; 12] = [
        Self::EdgeList,
        Self::Outcrop,
        Self::Parquet,
        Self::Arrow,
        Self::Sg,
        Self::Wsg,
        Self::MatrixMarket,
        Self::Dimacs,
        Self::Metis,
        Self::Pajek,
        Self::AdjacencyList,
        Self::Ldbc,
    ];

    /// The name, as `--format` takes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::EdgeList => "edge-list",
            Self::Outcrop => "outcrop",
            Self::Parquet => "parquet",
            Self::Arrow => "arrow",
            Self::Sg => "sg",
            Self::Wsg => "wsg",
            Self::MatrixMarket => "matrix-market",
            Self::Dimacs => "dimacs",
            Self::Metis => "metis",
            Self::Pajek => "pajek",
            Self::AdjacencyList => "adjacency-list",
            Self::Ldbc => "ldbc",
        }
    }

    /// Extensions in lower case, before `.gz` and `.zst`.
    const fn extensions(self) -> &'static [&'static str] {
        match self {
            Self::EdgeList => &["el", "wel", "txt", "csv", "tsv", "edges"],
            Self::Outcrop => &["bin"],
            Self::Parquet => &["parquet", "pq"],
            Self::Arrow => &["arrow", "arrows", "feather", "ipc"],
            Self::Sg => &["sg"],
            Self::Wsg => &["wsg"],
            Self::MatrixMarket => &["mtx"],
            Self::Dimacs => &["gr", "dimacs", "col", "clq"],
            Self::Metis => &["graph", "metis"],
            Self::Pajek => &["net", "paj"],
            Self::AdjacencyList => &["adjlist"],
            Self::Ldbc => &["e"],
        }
    }

    /// The first bytes of every such file, if there are some.
    const fn magic(self) -> Option<&'static [u8]> {
        match self {
            Self::Outcrop => Some(BINARY),
            Self::Parquet => Some(b"PAR1"),
            Self::Arrow => Some(b"ARROW1"),
            Self::MatrixMarket => Some(b"%%MatrixMarket"),
            _ => None,
        }
    }

    /// The names of all formats.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Self::ALL.into_iter().map(Self::name)
    }

    /// The format of the file called `name` that begins with `head`: by its first bytes, else by its extension; `None`
    /// if neither is known.
    pub(crate) fn recognise(name: &str, head: &[u8]) -> Option<Self> {
        let by_magic = Self::ALL.into_iter().find(|format| format.magic().is_some_and(|magic| head.starts_with(magic)));
        by_magic.or_else(|| Self::of_extension(name))
    }

    /// The format that the extension of `name` stands for, past that of its compression.
    pub(crate) fn of_extension(name: impl AsRef<Path>) -> Option<Self> {
        let extension = text_extension(name.as_ref())?.to_lowercase();
        Self::ALL.into_iter().find(|format| format.extensions().contains(&extension.as_str()))
    }

    /// The format in which edges are written to `path`: the one that is asked for, else that of its extension: `.bin`
    /// for the binary format; `.el`, `.wel`, `.txt`, `.csv`, `.tsv`, `.edges`, each also with `.gz` or `.zst` behind
    /// it, for text; `.parquet`; `.sg`, `.wsg`.
    ///
    /// # Errors
    /// Another extension, or a format that is only read.
    pub fn written(path: &Path, asked: Option<Self>) -> Result<Self> {
        let known = asked.or_else(|| Self::of_extension(path));
        known.filter(|format| format.is_written(is_packed(path))).ok_or_else(|| {
            Error::Usage(format!(
                "{}: unsupported output format; use .el, .wel, .txt, .csv, .tsv (each also with .gz or .zst), .bin, .parquet or, for exports of a store, .sg or .wsg; or use --format",
                path.display()
            ))
        })
    }

    const fn is_written(self, packed: bool) -> bool {
        match self {
            Self::EdgeList => true,
            Self::Outcrop | Self::Parquet | Self::Sg | Self::Wsg => !packed,
            Self::Arrow
            | Self::MatrixMarket
            | Self::Dimacs
            | Self::Metis
            | Self::Pajek
            | Self::AdjacencyList
            | Self::Ldbc => false,
        }
    }

    /// True if files of the format are texts.
    pub(crate) const fn is_text(self) -> bool {
        self.reads_compressed() || matches!(self, Self::EdgeList | Self::MatrixMarket | Self::Dimacs | Self::Ldbc)
    }

    /// True if files of the format begin with statements about their graph, followed by a line per edge.
    pub(crate) const fn has_preface(self) -> bool {
        matches!(self, Self::MatrixMarket | Self::Dimacs)
    }

    /// True if texts of the format say whether edges have a direction, in themselves or in a file beside them.
    pub(crate) const fn states_direction(self) -> bool {
        self.has_preface() || matches!(self, Self::Ldbc)
    }

    /// True if the reader of the format takes compression off.
    pub(crate) const fn reads_compressed(self) -> bool {
        matches!(self, Self::Metis | Self::Pajek | Self::AdjacencyList)
    }
}

impl FromStr for EdgeFormat {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name).ok_or_else(|| {
            let names = Self::names().collect::<Vec<_>>().join(", ");
            let meant = Self::of_extension(format!("x.{name}"));
            let advice =
                meant.map_or_else(String::new, |format| format!("; files named .{name} are {}", format.name()));
            Error::Usage(format!("unknown format {name:?} of edge files{advice}; expected one of {names}"))
        })
    }
}

/// The extension of a path, before that of its compression.
pub(crate) fn text_extension(path: &Path) -> Option<&str> {
    let stem = if is_packed(path) { Path::new(path.file_stem()?) } else { path };
    stem.extension()?.to_str()
}

/// True if the name is that of a compressed file.
fn is_packed(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "gz" || extension == "zst")
}
