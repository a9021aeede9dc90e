//! Options for reading files of edges.

use super::format::EdgeFormat;
use crate::remote::InputPath;
use outcrop_store::writing::IdKind;
use outcrop_types::{Error, Result, TimeRule, TimeUnit, WeightType};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// Maximum length of a line, in bytes including its line end.
pub const LONGEST_LINE: usize = 1 << 20;

/// Source of edges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EdgeInput {
    /// A file, a folder or pattern of files, or an address.
    Path(InputPath),
    /// Standard input.
    StandardInput,
}

/// Displays the name for messages and records, without secrets.
impl fmt::Display for EdgeInput {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => path.fmt(formatter),
            Self::StandardInput => formatter.write_str("standard input"),
        }
    }
}

impl<P: Into<PathBuf>> From<P> for EdgeInput {
    fn from(path: P) -> Self {
        Self::Path(path.into().into())
    }
}

/// Separator of the fields of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Separator {
    /// The first of tab, comma, semicolon, vertical bar and space that the first data line contains.
    #[default]
    Auto,
    /// The given character; a space matches any run of spaces and tabs.
    Char(char),
}

/// Parses one character, or `tab` or `\t` for a tab.
impl FromStr for Separator {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "tab" | "\\t" => Ok(Self::Char('\t')),
            _ => text
                .parse()
                .map(Self::Char)
                .map_err(|_| Error::Usage(format!("the separator must be one character or `tab`, not {text:?}"))),
        }
    }
}

/// Rule for reading the first non-comment line as a header, which names the columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Header {
    /// A header if columns are selected by name, or if no field starts like a number and either the names are those of
    /// endpoints (`source` and `target`, `src` and `dst`, `from` and `to`, `node1` and `node2`) or the next line has a
    /// number.
    #[default]
    Auto,
    /// Always a header.
    Yes,
    /// Never a header: the first line is an edge.
    No,
}

/// Names of the columns. A column without a name is found by its usual names in the header, otherwise by position:
/// source, target, weight, time (skipping those that are not read).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnNames {
    /// Source column.
    pub source: Option<String>,
    /// Target column.
    pub target: Option<String>,
    /// Weight column; a name requests weights.
    pub weight: Option<String>,
    /// Time column; a name requests times.
    pub time: Option<String>,
}

impl ColumnNames {
    /// Returns true if a column is requested by name.
    pub(crate) const fn any(&self) -> bool {
        self.source.is_some() || self.target.is_some() || self.weight.is_some() || self.time.is_some()
    }
}

/// Kind of the vertex IDs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IdRule {
    /// Integers if both IDs of the first data line are integers, otherwise strings.
    #[default]
    Auto,
    /// Integers.
    Integer {
        /// Largest permitted ID, if limited.
        largest: Option<u64>,
    },
    /// Any string that passes [`check_id`](outcrop_types::check_id).
    Text,
}

impl IdRule {
    /// Returns the requested kind of IDs.
    pub(crate) const fn kind(self) -> Option<IdKind> {
        match self {
            Self::Auto => None,
            Self::Integer { .. } => Some(IdKind::Integer),
            Self::Text => Some(IdKind::Text),
        }
    }

    /// Returns the largest permitted integer.
    pub(crate) const fn largest(self) -> u64 {
        match self {
            Self::Integer { largest: Some(largest) } => largest,
            Self::Integer { largest: None } | Self::Auto | Self::Text => u64::MAX,
        }
    }
}

/// Treatment of malformed lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnError {
    /// Reading fails with the location of the line.
    #[default]
    Stop,
    /// The line is skipped and counted.
    Skip {
        /// Maximum number of lines that may be skipped before reading fails.
        max_errors: u64,
    },
}

/// Options for reading files of edges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdgeListOptions {
    /// Format of all files; `None` to detect it per file by the first bytes or the name, with edge list as the
    /// fallback.
    pub format: Option<EdgeFormat>,
    /// True if edges are directed; `None` to follow the files, which default to directed. If a file lists undirected
    /// edges once and this requests directed ones, each edge is returned in both directions.
    pub directed: Option<bool>,
    /// Separator of the fields.
    pub separator: Separator,
    /// Rule for reading the first line as a header.
    pub header: Header,
    /// The columns requested by name.
    pub columns: ColumnNames,
    /// True if weights are read. Weights that are not requested are skipped.
    pub weighted: bool,
    /// Reason why weights cannot be read; notes on unread weights show it instead of advice.
    pub without_weights: Option<&'static str>,
    /// Type to convert weights to: single precision rounds, integer types refuse other values. `None` keeps the type.
    pub weight_type: Option<WeightType>,
    /// True if times are read. Times that are not requested are skipped.
    pub timed: bool,
    /// Unit of integer times since 1970; without it, such numbers are stored unchanged.
    pub time_unit: Option<TimeUnit>,
    /// Rule for reading times; `None` to derive it from the first time.
    pub times: Option<TimeRule>,
    /// A line is a comment if its first nonblank byte is one of these.
    pub comments: Vec<u8>,
    /// Kind of the IDs.
    pub ids: IdRule,
    /// Treatment of malformed lines.
    pub on_error: OnError,
}

impl Default for EdgeListOptions {
    fn default() -> Self {
        Self {
            format: None,
            directed: None,
            separator: Separator::default(),
            header: Header::default(),
            columns: ColumnNames::default(),
            weighted: false,
            without_weights: None,
            weight_type: None,
            timed: false,
            time_unit: None,
            times: None,
            comments: b"#%".to_vec(),
            ids: IdRule::default(),
            on_error: OnError::default(),
        }
    }
}

impl EdgeListOptions {
    /// Returns true if weights are requested in either way.
    pub const fn wants_weights(&self) -> bool {
        self.weighted || self.columns.weight.is_some()
    }

    /// Returns the end of a note on unread weights: `advice`, unless weights cannot be read.
    pub(crate) fn on_unread_weights<'a>(&self, advice: &'a str) -> &'a str {
        self.without_weights.unwrap_or(advice)
    }

    /// Returns true if times are requested in either way.
    pub const fn wants_times(&self) -> bool {
        self.timed || self.columns.time.is_some()
    }
}
