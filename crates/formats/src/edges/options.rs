//! Options for reading files of edges.

use super::format::EdgeFormat;
use crate::remote::InputPath;
use outcrop_store::writing::IdKind;
use outcrop_types::{Error, Result, TimeRule, TimeUnit, WeightType};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// The longest line that is read, in bytes with its line end.
pub const LONGEST_LINE: usize = 1 << 20;

/// The longest text that can be an id, in bytes.
pub const LONGEST_NAME: usize = 1 << 16;

/// Source of edges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EdgeInput {
    /// A file, a folder or pattern of files, or an address.
    Path(InputPath),
    /// The standard input.
    StandardInput,
}

/// The name for messages and records, without secrets.
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
    /// A header if columns are selected by name, or if no field begins like a number and either the names are those of
    /// endpoints (`source` and `target`, `src` and `dst`, `from` and `to`, `node1` and `node2`) or the next line has a
    /// number.
    #[default]
    Auto,
    /// Always a header.
    Yes,
    /// Never a header: the first line is an edge.
    No,
}

/// Names of the columns. A column without a name is found by its usual names in the header, else by its place: source,
/// target, weight, time, of which those that are not read have none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnNames {
    /// The column of sources.
    pub source: Option<String>,
    /// The column of targets.
    pub target: Option<String>,
    /// The column of weights; naming it asks for weights.
    pub weight: Option<String>,
    /// The column of times; naming it asks for times.
    pub time: Option<String>,
}

impl ColumnNames {
    /// True if a column is requested by name.
    pub const fn any(&self) -> bool {
        self.source.is_some() || self.target.is_some() || self.weight.is_some() || self.time.is_some()
    }
}

/// Kind of the ids of vertices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IdRule {
    /// Whole numbers where both ids of the first data line are, else text.
    #[default]
    Auto,
    /// Whole numbers.
    Integer {
        /// The largest that may appear, if there is a limit.
        largest: Option<u64>,
    },
    /// Any UTF-8 text of at most [`LONGEST_NAME`](super::LONGEST_NAME) bytes.
    Text,
}

impl IdRule {
    /// The requested kind of IDs.
    pub(crate) const fn kind(self) -> Option<IdKind> {
        match self {
            Self::Auto => None,
            Self::Integer { .. } => Some(IdKind::Integer),
            Self::Text => Some(IdKind::Text),
        }
    }

    /// The largest whole number that may appear.
    pub(crate) const fn largest(self) -> u64 {
        match self {
            Self::Integer { largest: Some(largest) } => largest,
            Self::Integer { largest: None } | Self::Auto | Self::Text => u64::MAX,
        }
    }
}

/// Treatment of a line that cannot be understood.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnError {
    /// The reading fails, with the place.
    #[default]
    Stop,
    /// The line is left out and counted.
    Skip {
        /// Number of lines that may be left out before the reading fails.
        max_errors: u64,
    },
}

/// Options for reading files of edges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdgeListOptions {
    /// The format of all files; `None` for that which the first bytes or the name of each show, else an edge list.
    pub format: Option<EdgeFormat>,
    /// True if edges have a direction; `None` for what the files state, else that they have. Where a file lists
    /// undirected edges once and this asks for directed ones, each comes in both directions.
    pub directed: Option<bool>,
    /// Separator of the fields.
    pub separator: Separator,
    /// Rule by which the first line names the columns.
    pub header: Header,
    /// The columns requested by name.
    pub columns: ColumnNames,
    /// True if weights are read. Weights that are not requested are skipped.
    pub weighted: bool,
    /// Reason why weights cannot be read; notes on unread weights give it instead of advice.
    pub without_weights: Option<&'static str>,
    /// The type that weights are to have: single precision rounds them, whole numbers refuse others. `None` for weights
    /// as they are.
    pub weight_type: Option<WeightType>,
    /// True if times are read. Times that are not requested are skipped.
    pub timed: bool,
    /// Unit of times that are whole numbers and count from 1970; without it such numbers are times as they are.
    pub time_unit: Option<TimeUnit>,
    /// Rule by which times are read; `None` for what the first shows.
    pub times: Option<TimeRule>,
    /// A line whose first byte that is no blank is one of these is a comment.
    pub comments: Vec<u8>,
    /// Kind of the ids.
    pub ids: IdRule,
    /// Treatment of a line that cannot be understood.
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
    /// True if weights are requested, in either way.
    pub const fn wants_weights(&self) -> bool {
        self.weighted || self.columns.weight.is_some()
    }

    /// The end of a note on unread weights: `advice`, unless it cannot be followed.
    pub(crate) fn on_unread_weights<'a>(&self, advice: &'a str) -> &'a str {
        self.without_weights.unwrap_or(advice)
    }

    /// True if times are requested, in either way.
    pub const fn wants_times(&self) -> bool {
        self.timed || self.columns.time.is_some()
    }
}
