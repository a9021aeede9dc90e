//! Edges from an Arrow stream.

use super::EdgeArguments;
use super::arrays::{bad_row, check_ids, check_texts, check_weights};
use super::arrow_columns::{find, id_kind, integers, is_number, texts, weights};
use crate::error::OrException;
use arrow_array::ffi_stream::{ArrowArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchReader};
use arrow_schema::Schema;
use outcrop::{EdgeBatch, EdgeSource, Error, IdBatch, IdKind, Location, Result};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

/// Rows that are converted at once: batches may be as large as the whole table.
const ROWS: usize = 1 << 16;

/// Edges from an Arrow stream.
pub(crate) struct ArrowEdges {
    reader: ArrowArrayStreamReader,
    /// What is left of the batch that was read last.
    rest: Option<RecordBatch>,
    ends: [usize; 2],
    weight: Option<usize>,
    kind: IdKind,
    done: u64,
    largest: u64,
}

impl ArrowEdges {
    /// Takes the stream out of its capsule.
    ///
    /// # Errors
    /// It is not an Arrow stream; columns are missing or of other types than ids and weights have.
    pub(crate) fn open(capsule: &Bound<'_, PyCapsule>, arguments: &EdgeArguments) -> PyResult<Self> {
        let stream = take_stream(capsule)?;
        let reader =
            ArrowArrayStreamReader::try_new(stream).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let schema = reader.schema();
        let py = capsule.py();
        let column = |name: &Option<String>, place| find(&schema, name.as_deref(), place).or_exception(py);
        let ends = [column(&arguments.source, 0)?, column(&arguments.target, 1)?];
        let weight = arguments.weighted.then(|| column(&arguments.weight, 2)).transpose()?;
        let kind = kind_of(&schema, ends, weight)?;
        if arguments.texts && kind == IdKind::Integer {
            return Err(PyTypeError::new_err("ids=\"string\" needs columns of texts, and these hold whole numbers"));
        }
        Ok(Self { reader, rest: None, ends, weight, kind, done: 0, largest: arguments.largest })
    }

    /// At most [`ROWS`] rows; `None` at the end.
    fn next_rows(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(batch) = self.rest.take().filter(|batch| batch.num_rows() > 0) {
                let rows = batch.num_rows().min(ROWS);
                self.rest = Some(batch.slice(rows, batch.num_rows() - rows));
                return Ok(Some(batch.slice(0, rows)));
            }
            let broken =
                |error| Error::bad_input(Location::file("the edges"), format!("the stream broke off: {error}"));
            match self.reader.next() {
                Some(batch) => self.rest = Some(batch.map_err(broken)?),
                None => return Ok(None),
            }
        }
    }

    fn take(&self, rows: &RecordBatch, batch: &mut EdgeBatch) -> Result<()> {
        let [sources, targets] = self.ends.map(|column| rows.column(column));
        let weight = self.weight.map(|column| rows.column(column));
        [sources, targets].into_iter().chain(weight).try_for_each(|column| self.check_nulls(column))?;
        match self.kind {
            IdKind::Integer => batch.endpoints = self.integers(sources, targets)?,
            IdKind::Text => batch.endpoints = text_ids(sources, targets),
        }
        batch.weights = weight.map(weights).unwrap_or_default();
        check_ids(&batch.endpoints, self.largest, self.done)?;
        check_texts(&batch.endpoints, self.done)?;
        check_weights(&batch.weights, self.done)
    }

    fn check_nulls(&self, column: &ArrayRef) -> Result<()> {
        match (0..column.len()).find(|row| column.null_count() > 0 && column.is_null(*row)) {
            Some(row) => Err(bad_row(self.done + row as u64, "found null, expected a value")),
            None => Ok(()),
        }
    }

    fn integers(&self, sources: &ArrayRef, targets: &ArrayRef) -> Result<IdBatch> {
        let rows = integers(sources).into_iter().zip(integers(targets)).enumerate();
        let mut ids = Vec::with_capacity(2 * sources.len());
        for (row, (source, target)) in rows {
            let negative = || bad_row(self.done + row as u64, "found a negative id, expected one of at least 0");
            ids.extend([source.ok_or_else(negative)?, target.ok_or_else(negative)?]);
        }
        Ok(IdBatch::Integers(ids))
    }
}

fn text_ids(sources: &ArrayRef, targets: &ArrayRef) -> IdBatch {
    let (mut bytes, mut ends) = (Vec::new(), Vec::new());
    for text in texts(sources).into_iter().zip(texts(targets)).flat_map(<[&str; 2]>::from) {
        bytes.extend_from_slice(text.as_bytes());
        ends.push(bytes.len());
    }
    IdBatch::Texts { bytes, ends }
}

fn kind_of(schema: &Schema, ends: [usize; 2], weight: Option<usize>) -> PyResult<IdKind> {
    let describe = |column: usize| {
        format!("column {:?} is of type {}", schema.field(column).name(), schema.field(column).data_type())
    };
    let kind = |column: usize| {
        let kind = id_kind(schema.field(column).data_type());
        kind.ok_or_else(|| PyTypeError::new_err(format!("{}, expected whole numbers or texts", describe(column))))
    };
    let [source, target] = ends;
    if kind(source)? != kind(target)? {
        let (source, target) = (describe(source), describe(target));
        return Err(PyTypeError::new_err(format!("{source} and {target}, expected ids of one kind")));
    }
    match weight.filter(|column| !is_number(schema.field(*column).data_type())) {
        Some(column) => Err(PyTypeError::new_err(format!("{}, expected numbers", describe(column)))),
        None => kind(source),
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
        self.weight.is_some()
    }

    fn next_batch(&mut self, batch: &mut EdgeBatch) -> Result<bool> {
        let Some(rows) = self.next_rows()? else {
            batch.clear();
            return Ok(false);
        };
        self.take(&rows, batch)?;
        self.done += rows.num_rows() as u64;
        Ok(true)
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
}
