//! Edges from an Arrow stream.

use super::arguments::{EdgeArguments, TABLE, summary};
use crate::error::OrException;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi_and_data_type};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchOptions, StructArray};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use outcrop::{
    ColumnError, EdgeBatch, EdgeColumns, EdgeListOptions, EdgeRows, EdgeSource, Error, FileSummary, IdKind,
    InputSummary, Location, Result, TimeRule,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::ffi::CStr;
use std::sync::Arc;

/// Edges from an Arrow stream.
pub(super) struct ArrowEdges {
    stream: ArrowStream,
    /// The batch that was read last, and how many of its rows were taken: batches may be as large as the whole table.
    rest: Option<(RecordBatch, usize)>,
    rows: EdgeRows,
    columns: Vec<usize>,
    kind: IdKind,
    weighted: bool,
    times: Option<TimeRule>,
    account: FileSummary,
    done: u64,
}

impl ArrowEdges {
    /// Takes the stream out of its capsule.
    ///
    /// # Errors
    /// It is not an Arrow stream; columns are missing or of other types than ids and weights have.
    pub(super) fn open(capsule: &Bound<'_, PyCapsule>, arguments: &EdgeArguments) -> PyResult<Self> {
        let stream = ArrowStream::open(capsule)?;
        let EdgeArguments { columns, weighted, times: (timed, time_unit), weight_type, largest, on_error, .. } =
            arguments.clone();
        let options = EdgeListOptions { columns, weighted, timed, time_unit, ..EdgeListOptions::default() };
        let columns = match EdgeColumns::find(TABLE, &stream.schema, &options) {
            Ok(columns) => columns,
            Err(ColumnError::Type(message)) => return Err(PyTypeError::new_err(message)),
            Err(ColumnError::Missing(error)) => return Err(error).or_exception(capsule.py()),
        };
        let (kind, times, positions) = (columns.kind(), columns.times(), columns.positions());
        arguments.require_kind(kind)?;
        positions.iter().try_for_each(|position| require_plain(stream.schema.field(*position)))?;
        let account = columns.account(FileSummary::default());
        let rows = EdgeRows::new(TABLE, columns, 0, largest, weight_type, on_error);
        Ok(Self { stream, rest: None, rows, columns: positions, kind, weighted, times, account, done: 0 })
    }
}

/// Refuses extension types, whose values mean something else than those that they are stored as.
fn require_plain(field: &Field) -> PyResult<()> {
    match field.extension_type_name() {
        None => Ok(()),
        Some(extension) => Err(PyTypeError::new_err(format!(
            "column {:?} of {TABLE} has the extension type {extension}; expected integers, strings, numbers or times; cast it first",
            field.name()
        ))),
    }
}

/// Batches of an Arrow stream, whose contents are validated.
struct ArrowStream {
    stream: FFI_ArrowArrayStream,
    schema: SchemaRef,
    /// Rows that were read.
    rows: u64,
}

#[expect(unsafe_code, reason = "the Arrow PyCapsule interface hands streams over as pointers")]
impl ArrowStream {
    fn open(capsule: &Bound<'_, PyCapsule>) -> PyResult<Self> {
        let stream = capsule.pointer_checked(Some(c"arrow_array_stream"))?.cast::<FFI_ArrowArrayStream>();
        // SAFETY: a capsule of this name holds a pointer to a valid `ArrowArrayStream` for as long as it lives (Arrow
        // PyCapsule interface), `FFI_ArrowArrayStream` has that layout, and `from_raw` leaves a released stream behind,
        // so that nobody else, the capsule's destructor included, uses the stream again.
        let mut stream = unsafe { FFI_ArrowArrayStream::from_raw(stream.as_ptr()) };
        let no_stream = || PyValueError::new_err("the Arrow stream of the edges was already read, or has no schema");
        // Who took the stream out of the capsule has cleared only `release`; the other functions must not be called.
        if stream.release.is_none() {
            return Err(no_stream());
        }
        let mut schema = FFI_ArrowSchema::empty();
        // SAFETY: the stream is valid and was not released, and the schema is a place for one.
        let code = stream.get_schema.map(|get| unsafe { get(&raw mut stream, &raw mut schema) });
        if code != Some(0) {
            return Err(no_stream());
        }
        let no_table = |error| {
            PyTypeError::new_err(format!(
                "edges must be a table with a source and a target column, not one column: {error}"
            ))
        };
        let schema = Arc::new(Schema::try_from(&schema).map_err(no_table)?);
        Ok(Self { stream, schema, rows: 0 })
    }

    /// The next batch, whose columns at `positions` are valid.
    fn next(&mut self, positions: &[usize]) -> Result<Option<RecordBatch>> {
        let broken = |message: String| Error::bad_input(Location::file(TABLE), message);
        let mut array = FFI_ArrowArray::empty();
        // SAFETY: the stream is valid and was not released, and the array is a place for one.
        let code = self.stream.get_next.map(|get| unsafe { get(&raw mut self.stream, &raw mut array) });
        if code != Some(0) {
            let reason = self.last_error();
            return Err(broken(format!("the stream failed: {reason}")));
        }
        if array.is_released() {
            return Ok(None);
        }
        let kind = DataType::Struct(self.schema.fields().clone());
        // SAFETY: the stream has handed over an array of its schema (Arrow C stream interface).
        let data = unsafe { from_ffi_and_data_type(array, kind) }.map_err(|error| broken(error.to_string()))?;
        if data.is_empty() {
            // Nothing to validate: of an empty piece of an array, arrow-rs takes the offset but not the buffers.
            return Ok(Some(RecordBatch::new_empty(Arc::clone(&self.schema))));
        }
        if let Some(row) = data.nulls().and_then(|nulls| (0..data.len()).find(|row| nulls.is_null(*row))) {
            return Err(broken(format!("row {}: found null, expected an edge", self.rows + row as u64)));
        }
        for position in positions {
            let wrong = |error: ArrowError| {
                let name = self.schema.field(*position).name();
                broken(format!("column {name:?}, from row {}: {error}", self.rows))
            };
            data.child_data().get(*position).map_or(Ok(()), |column| column.validate_full()).map_err(wrong)?;
        }
        let rows = RecordBatchOptions::new().with_row_count(Some(data.len()));
        let (_, columns, _) = StructArray::from(data).into_parts();
        let batch = RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &rows);
        let batch = batch.map_err(|error| broken(error.to_string()))?;
        self.rows += batch.num_rows() as u64;
        Ok(Some(batch))
    }

    fn last_error(&mut self) -> String {
        // SAFETY: the stream is valid and was not released.
        let text = self.stream.get_last_error.map(|get| unsafe { get(&raw mut self.stream) });
        match text.filter(|text| !text.is_null()) {
            // SAFETY: a text of the stream ends in NUL, and stays until its next call.
            Some(text) => unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned(),
            None => "no reason given".to_owned(),
        }
    }
}

impl EdgeSource for ArrowEdges {
    fn id_kind(&self) -> IdKind {
        self.kind
    }

    fn weighted(&self) -> bool {
        self.weighted
    }

    fn times(&self) -> Option<TimeRule> {
        self.times
    }

    fn next_batch(&mut self, batch: &mut EdgeBatch) -> Result<bool> {
        loop {
            if let Some((rows, from)) = self.rest.take().filter(|(rows, from)| *from < rows.num_rows()) {
                let taken = self.rows.take(&rows, from, batch)?;
                self.done += taken as u64;
                self.rest = Some((rows, from + taken));
                return Ok(true);
            }
            match self.stream.next(&self.columns)? {
                Some(rows) => self.rest = Some((rows, 0)),
                None => {
                    batch.clear();
                    return Ok(false);
                }
            }
        }
    }

    fn skipped(&self) -> u64 {
        self.rows.account(FileSummary::default()).skipped
    }

    fn bytes_done(&self) -> u64 {
        self.done
    }

    fn bytes_total(&self) -> Option<u64> {
        None
    }

    fn edges_estimate(&self) -> Option<u64> {
        None
    }

    fn summary(&self) -> InputSummary {
        summary("arrow", self.rows.account(self.account.clone()))
    }
}
