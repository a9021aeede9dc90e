//! Formats of edge files: their names, extensions and first bytes.

use outcrop_types::{Error, Result};
use std::path::Path;
use std::str::FromStr;

/// First bytes of the binary format.
pub(crate) const BINARY: &[u8] = b"OUTCROPE";

/// Format of edge files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeFormat {
    /// Text with one edge per line.
    EdgeList,
    /// Binary format that `outcrop generate` writes.
    Outcrop,
    /// Apache Parquet.
    Parquet,
    /// Arrow IPC file or stream.
    Arrow,
    /// Serialized graph of the GAP Benchmark Suite.
    Sg,
    /// Serialized graph of the GAP Benchmark Suite with weights.
    Wsg,
    /// Matrix Market, coordinate format.
    MatrixMarket,
    /// DIMACS: arcs of shortest paths and flows (`p sp`, `p max`, `p min`, `p asn`), or edges (`p edge`, `p col`).
    Dimacs,
    /// METIS: one line per vertex with its neighbors.
    Metis,
    /// Pajek: sections of vertices, arcs and edges.
    Pajek,
    /// Adjacency list: one line per vertex with its neighbors.
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

    /// Returns the name, as `--format` accepts it.
    pub(crate) const fn name(self) -> &'static str {
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

    /// Returns the lowercase extensions, without `.gz` and `.zst`.
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

    /// Returns the first bytes of every file of the format, if they are fixed.
    const fn magic(self) -> Option<&'static [u8]> {
        match self {
            Self::Outcrop => Some(BINARY),
            Self::Parquet => Some(b"PAR1"),
            Self::Arrow => Some(b"ARROW1"),
            Self::MatrixMarket => Some(b"%%MatrixMarket"),
            _ => None,
        }
    }

    /// Returns the names of all formats.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        Self::ALL.into_iter().map(Self::name)
    }

    /// Returns the format of the file `name` that starts with `head`, by its first bytes or otherwise by its extension;
    /// `None` if neither is known.
    pub(crate) fn recognize(name: &str, head: &[u8]) -> Option<Self> {
        let by_magic = Self::ALL.into_iter().find(|format| format.magic().is_some_and(|magic| head.starts_with(magic)));
        by_magic.or_else(|| Self::of_extension(name))
    }

    /// Returns the format for the extension of `name`, ignoring the extension of a compression.
    pub(crate) fn of_extension(name: impl AsRef<Path>) -> Option<Self> {
        let extension = text_extension(name.as_ref())?.to_lowercase();
        Self::ALL.into_iter().find(|format| format.extensions().contains(&extension.as_str()))
    }

    /// Returns the format in which edges are written to `path`: the requested one, otherwise the one of its extension:
    /// `.bin` for the binary format; `.el`, `.wel`, `.txt`, `.csv`, `.tsv`, `.edges`, each optionally followed by `.gz`
    /// or `.zst`, for text; `.parquet`; `.sg`, `.wsg`.
    ///
    /// # Errors
    ///
    /// Returns an error if the extension is unknown or the format is read-only.
    pub fn written(path: &Path, requested: Option<Self>) -> Result<Self> {
        let known = requested.or_else(|| Self::of_extension(path));
        known.filter(|format| format.is_written(is_packed(path))).ok_or_else(|| {
            Error::Usage(format!(
                "{}: unsupported output format; use .el, .wel, .txt, .csv, .tsv (each also with .gz or .zst), .bin, .parquet or, for exports of a store, .sg or .wsg",
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

    /// Returns true if files of the format are texts.
    pub(crate) const fn is_text(self) -> bool {
        self.reads_compressed() || matches!(self, Self::EdgeList | Self::MatrixMarket | Self::Dimacs | Self::Ldbc)
    }

    /// Returns true if files of the format start with statements about their graph, followed by one line per edge.
    pub(crate) const fn has_preface(self) -> bool {
        matches!(self, Self::MatrixMarket | Self::Dimacs)
    }

    /// Returns true if texts of the format, or companion files, state whether edges are directed.
    pub(crate) const fn states_direction(self) -> bool {
        self.has_preface() || matches!(self, Self::Ldbc)
    }

    /// Returns true if the reader of the format decompresses files.
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

/// Returns the extension of a path before the extension of a compression.
pub(crate) fn text_extension(path: &Path) -> Option<&str> {
    let stem = if is_packed(path) { Path::new(path.file_stem()?) } else { path };
    stem.extension()?.to_str()
}

/// Returns true if the name is that of a compressed file.
fn is_packed(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "gz" || extension == "zst")
}
