//! Options for reading edges from text.

use clap::{Args, ValueEnum};
use outcrop::{ColumnNames, EdgeFormat, EdgeListOptions, Error, Header, OnError, Result, Separator, TimeUnit};

#[derive(Clone, Copy, Debug, ValueEnum)]
enum HeaderOption {
    Auto,
    Yes,
    No,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum OnErrorOption {
    Stop,
    Skip,
}

/// Options for reading edges from text.
#[derive(Debug, Args)]
pub(crate) struct TextOptions {
    /// The format of all files of edges [default: by the first bytes or the extension of each, else edge-list]
    #[arg(long, value_name = "NAME")]
    format: Option<EdgeFormat>,
    /// The column of sources
    #[arg(long, value_name = "COLUMN")]
    source_column: Option<String>,
    /// The column of targets
    #[arg(long, value_name = "COLUMN")]
    target_column: Option<String>,
    /// Edges have times, in this column: numbers or dates
    #[arg(long, value_name = "COLUMN")]
    time: Option<String>,
    /// Times that are whole numbers count from 1970 in this unit: s, ms, us or ns
    #[arg(long, value_name = "UNIT")]
    time_unit: Option<TimeUnit>,
    /// Treatment of the first line as names of the columns
    #[arg(long, value_enum, default_value_t = HeaderOption::Auto)]
    header: HeaderOption,
    /// Separator of fields: one character [default: found from the first line]
    #[arg(long, value_name = "CHAR")]
    separator: Option<char>,
    /// Lines that begin with one of these characters are comments
    #[arg(long, value_name = "CHARS", default_value = "#%")]
    comments: String,
    /// Action at a line that cannot be parsed
    #[arg(long, value_enum, default_value_t = OnErrorOption::Stop)]
    on_error: OnErrorOption,
    /// With --on-error skip: give up after so many lines
    #[arg(long, value_name = "N", default_value_t = 1000)]
    max_errors: u64,
}

impl TextOptions {
    /// Options for reading edges, with weights where they are asked for, in the column that is named or the third.
    ///
    /// # Errors
    /// Comments that begin with other than ASCII.
    pub(crate) fn edges(&self, weighted: bool, weight: Option<&String>) -> Result<EdgeListOptions> {
        if !self.comments.is_ascii() {
            return Err(Error::Usage("--comments takes ASCII characters".to_owned()));
        }
        Ok(EdgeListOptions {
            format: self.format,
            separator: self.separator.map_or(Separator::Auto, Separator::Char),
            header: match self.header {
                HeaderOption::Auto => Header::Auto,
                HeaderOption::Yes => Header::Yes,
                HeaderOption::No => Header::No,
            },
            columns: ColumnNames {
                source: self.source_column.clone(),
                target: self.target_column.clone(),
                weight: weight.cloned(),
                time: self.time.clone(),
            },
            weighted,
            time_unit: self.time_unit,
            comments: self.comments.bytes().collect(),
            on_error: match self.on_error {
                OnErrorOption::Stop => OnError::Stop,
                OnErrorOption::Skip => OnError::Skip { max_errors: self.max_errors },
            },
            ..EdgeListOptions::default()
        })
    }
}
