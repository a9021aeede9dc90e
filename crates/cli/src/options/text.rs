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
    /// Format of all edge files [default: detected per file by content or extension, otherwise edge-list]
    #[arg(long, value_name = "FORMAT")]
    format: Option<EdgeFormat>,
    /// Column of the source vertices
    #[arg(long, value_name = "COLUMN")]
    source_column: Option<String>,
    /// Column of the target vertices
    #[arg(long, value_name = "COLUMN")]
    target_column: Option<String>,
    /// Column of the edge weights
    #[arg(long, value_name = "COLUMN")]
    weight: Option<String>,
    /// Column of the timestamps: numbers or dates
    #[arg(long, value_name = "COLUMN")]
    time: Option<String>,
    /// Unit of integer timestamps since 1970: s, ms, us or ns
    #[arg(long, value_name = "UNIT")]
    time_unit: Option<TimeUnit>,
    /// Read column names from the first line
    #[arg(long, value_enum, value_name = "MODE", default_value_t = HeaderOption::Auto)]
    header: HeaderOption,
    /// Field separator: one character, or tab [default: detected from the first lines]
    #[arg(long, value_name = "CHAR")]
    separator: Option<Separator>,
    /// Characters that start a comment line
    #[arg(long, value_name = "CHARS", default_value = "#%")]
    comments: String,
    /// Action for lines that cannot be parsed
    #[arg(long, value_enum, value_name = "ACTION", default_value_t = OnErrorOption::Stop)]
    on_error: OnErrorOption,
    /// Maximum number of lines that --on-error skip skips
    #[arg(long, value_name = "N", default_value_t = 1000)]
    max_errors: u64,
}

impl TextOptions {
    /// Options for reading edges, with weights if `weighted` or if their column is named.
    ///
    /// # Errors
    /// Comments that begin with other than ASCII.
    pub(crate) fn edges(&self, weighted: bool) -> Result<EdgeListOptions> {
        if !self.comments.is_ascii() {
            return Err(Error::Usage("--comments must be ASCII characters".to_owned()));
        }
        Ok(EdgeListOptions {
            format: self.format,
            separator: self.separator.unwrap_or(Separator::Auto),
            header: match self.header {
                HeaderOption::Auto => Header::Auto,
                HeaderOption::Yes => Header::Yes,
                HeaderOption::No => Header::No,
            },
            columns: ColumnNames {
                source: self.source_column.clone(),
                target: self.target_column.clone(),
                weight: self.weight.clone(),
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
