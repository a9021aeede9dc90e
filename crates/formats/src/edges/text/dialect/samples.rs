//! First lines of a file, and the syntax derived from them.

use crate::edges::text::syntax::Syntax;
use outcrop_types::HeaderLine;

/// A line that is neither empty nor a comment.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub(crate) line: u64,
    pub(crate) text: Vec<u8>,
}

/// First lines of a file that are neither empty nor comments.
#[derive(Debug, Default)]
pub(crate) struct Samples {
    pub(crate) lines: Vec<Sample>,
    /// Comments before them, in order.
    pub(crate) comments: Vec<Sample>,
    /// True if the file has no other lines.
    pub(crate) whole: bool,
}

/// Syntax of a file, with its entries for the summary.
pub(crate) struct Decision {
    pub(crate) syntax: Syntax,
    pub(crate) header: Option<HeaderLine>,
    pub(crate) columns: Vec<String>,
    pub(crate) notes: Vec<String>,
}

/// Returns a name without the extension of a compression.
pub(super) fn plain_name(name: &str) -> &str {
    name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(name)
}

pub(super) fn is_tsv(name: &str) -> bool {
    plain_name(name).ends_with(".tsv")
}

/// Returns true if the name is that of a table.
pub(super) fn is_table(name: &str) -> bool {
    is_tsv(name) || plain_name(name).ends_with(".csv")
}
