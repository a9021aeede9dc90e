//! Options of edges that are read from files, arrays and streams.

use crate::arguments::choose;
use outcrop::{
    ColumnNames, EdgeListOptions, Error, FileSummary, Header, IdKind, InputSummary, OnError, Result, Separator,
    TimeUnit, WeightType,
};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// Name of edges in memory, for messages.
pub(super) const TABLE: &str = "the edges";

/// Account of edges in memory, which are one table.
pub(super) fn summary(format: &str, table: FileSummary) -> InputSummary {
    let table = FileSummary { name: TABLE.to_owned(), format: format.to_owned(), ..table };
    InputSummary { files: vec![table], ..InputSummary::default() }
}

/// Columns, types and bounds of edges.
#[derive(Clone, Debug)]
pub(crate) struct EdgeArguments {
    pub(crate) columns: ColumnNames,
    pub(crate) weighted: bool,
    /// True if edges have times, and the unit of those that are whole numbers.
    pub(crate) times: (bool, Option<TimeUnit>),
    /// The type that weights are to have; `None` for weights as they are.
    pub(crate) weight_type: Option<WeightType>,
    /// The required type of IDs; `None` for any.
    pub(crate) ids: Option<IdKind>,
    /// The largest id that may appear.
    pub(crate) largest: u64,
    /// Treatment of rows that cannot be understood.
    pub(crate) on_error: OnError,
}

impl EdgeArguments {
    /// Refuses IDs of another type than the required one.
    pub(super) fn require_kind(&self, kind: IdKind) -> PyResult<()> {
        let message = match (self.ids, kind) {
            (Some(IdKind::Text), IdKind::Integer) => {
                "ids=\"string\" needs strings, but the edges have integers; convert them with str"
            }
            (Some(IdKind::Integer), IdKind::Text) => {
                "ids=\"integer\" needs integers, but the edges have strings; cast the columns to integers"
            }
            _ => return Ok(()),
        };
        Err(PyTypeError::new_err(message))
    }
}

/// Columns and syntax of edges, from the dictionary of a build or an update.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct TextArguments {
    source: Option<String>,
    target: Option<String>,
    weight: Option<String>,
    pub(crate) weighted: bool,
    time: Option<String>,
    timed: bool,
    time_unit: Option<String>,
    separator: Option<String>,
    header: String,
    comments: String,
    on_error: String,
    max_errors: u64,
}

impl TextArguments {
    pub(crate) fn columns(&self) -> ColumnNames {
        let (source, target) = (self.source.clone(), self.target.clone());
        ColumnNames { source, target, weight: self.weight.clone(), time: self.time.clone() }
    }

    /// True if edges have times, and the unit of those that are whole numbers.
    pub(crate) fn times(&self) -> Result<(bool, Option<TimeUnit>)> {
        let unit = self.time_unit.as_deref().map(str::parse).transpose().map_err(Error::Usage)?;
        Ok((self.timed, unit))
    }

    /// Treatment of lines and rows that cannot be understood.
    pub(crate) fn on_error(&self) -> Result<OnError> {
        let choices = [("stop", OnError::Stop), ("skip", OnError::Skip { max_errors: self.max_errors })];
        choose("on_error", &self.on_error, &choices)
    }

    pub(crate) fn options(&self) -> Result<EdgeListOptions> {
        if !self.comments.is_ascii() {
            return Err(Error::Usage("comments must be ASCII characters".to_owned()));
        }
        let headers = [("auto", Header::Auto), ("yes", Header::Yes), ("no", Header::No)];
        let (timed, time_unit) = self.times()?;
        Ok(EdgeListOptions {
            timed,
            time_unit,
            separator: self.separator.as_deref().map_or(Ok(Separator::Auto), str::parse)?,
            header: choose("header", &self.header, &headers)?,
            columns: self.columns(),
            weighted: self.weighted,
            comments: self.comments.bytes().collect(),
            on_error: self.on_error()?,
            ..EdgeListOptions::default()
        })
    }
}
