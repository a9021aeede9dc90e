//! The first lines of a file, and what is decided from them.

use crate::edges::text::syntax::Syntax;
use outcrop_types::HeaderLine;

/// A line that is neither empty nor a comment.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub(crate) line: u64,
    pub(crate) text: Vec<u8>,
}

/// The first lines of a file that are neither empty nor comments.
#[derive(Debug, Default)]
pub(crate) struct Samples {
    pub(crate) lines: Vec<Sample>,
    /// The comments before them, the last at the end.
    pub(crate) comments: Vec<Sample>,
    /// True if the file has no others.
    pub(crate) whole: bool,
}

/// The syntax of a file, and what its account says of it.
pub(crate) struct Decision {
    pub(crate) syntax: Syntax,
    pub(crate) header: Option<HeaderLine>,
    pub(crate) columns: Vec<String>,
    pub(crate) notes: Vec<String>,
}

/// A name without the ending of compression.
pub(super) fn plain_name(name: &str) -> &str {
    name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(name)
}

pub(super) fn is_tsv(name: &str) -> bool {
    plain_name(name).ends_with(".tsv")
}

/// True if a name is that of a table.
pub(super) fn is_table(name: &str) -> bool {
    is_tsv(name) || plain_name(name).ends_with(".csv")
}
