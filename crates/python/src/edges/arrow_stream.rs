//! Edges from an Arrow stream.

use super::arguments::{EdgeArguments, TABLE, summary};
use crate::error::OrException;
use arrow_array::ffi_stream::{ArrowArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::{RecordBatch, RecordBatchReader};
use outcrop::{
    ColumnError, EdgeBatch, EdgeColumns, EdgeListOptions, EdgeRows, EdgeSource, Error, FileSummary, IdKind,
    InputSummary, Location, OnError, Result, TimeRule,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

/// Edges from an Arrow stream.
pub(super) struct ArrowEdges {
    reader: ArrowArrayStreamReader,
    /// The batch that was read last, and how many of its rows were taken: batches may be as large as the whole table.
    rest: Option<(RecordBatch, usize)>,
    rows: EdgeRows,
    kind: IdKind,
    weighted: bool,
    times: Option<TimeRule>,
    done: u64,
}

impl ArrowEdges {
    /// Takes the stream out of its capsule.
    ///
    /// # Errors
    /// It is not an Arrow stream; columns are missing or of other types than ids and weights have.
    pub(super) fn open(capsule: &Bound<'_, PyCapsule>, arguments: &EdgeArguments) -> PyResult<Self> {
        let stream = take_stream(capsule)?;
        let reader =
            ArrowArrayStreamReader::try_new(stream).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let EdgeArguments { columns, weighted, times: (timed, time_unit), weight_type, texts, largest } =
            arguments.clone();
        let options = EdgeListOptions { columns, weighted, timed, time_unit, ..EdgeListOptions::default() };
        let columns = match EdgeColumns::find(TABLE, &reader.schema(), &options) {
            Ok(columns) => columns,
            Err(ColumnError::Type(message)) => return Err(PyTypeError::new_err(message)),
            Err(ColumnError::Missing(error)) => return Err(error).or_exception(capsule.py()),
        };
        let kind = columns.kind();
        if texts && kind == IdKind::Integer {
            return Err(PyTypeError::new_err("ids=\"string\" needs columns of texts, and these hold whole numbers"));
        }
        let times = columns.times();
        let rows = EdgeRows::new(TABLE, columns, 0, largest, weight_type, OnError::Stop);
        Ok(Self { reader, rest: None, rows, kind, weighted, times, done: 0 })
    }
}

#[expect(unsafe_code, reason = "the Arrow PyCapsule interface hands streams over as pointers")]
fn take_stream(capsule: &Bound<'_, PyCapsule>) -> PyResult<FFI_ArrowArrayStream> {
    let stream = capsule.pointer_checked(Some(c"arrow_array_stream"))?.cast::<FFI_ArrowArrayStream>();
    // SAFETY: a capsule of this name holds a pointer to a valid `ArrowArrayStream` for as long as it lives (Arrow PyCapsule
    // interface), `FFI_ArrowArrayStream` has that layout, and `from_raw` leaves a released stream behind, so that nobody else,
    // the capsule's destructor included, uses the stream again.
    Ok(unsafe { FFI_ArrowArrayStream::from_raw(stream.as_ptr()) })
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
            let broken = |error| Error::bad_input(Location::file(TABLE), format!("the stream broke off: {error}"));
            match self.reader.next() {
                Some(rows) => self.rest = Some((rows.map_err(broken)?, 0)),
                None => {
                    batch.clear();
                    return Ok(false);
                }
            }
        }
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
        summary("arrow", self.rows.account(FileSummary::default()))
    }
}
