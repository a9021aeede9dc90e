//! Rows in memory, on their way into other libraries.

use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{Float32Type, Float64Type, Int64Type, UInt32Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, Int64Array, LargeStringArray, RecordBatch, RecordBatchIterator,
    RecordBatchReader,
};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::{PyIndexError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList};
use std::sync::Arc;

/// Rows in memory, in the Arrow format.
#[pyclass(frozen, module = "outcrop._outcrop")]
pub(crate) struct Batches {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl Batches {
    pub(crate) const fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Self {
        Self { schema, batches }
    }

    fn column(&self, index: usize) -> PyResult<impl Iterator<Item = &ArrayRef>> {
        if index >= self.schema.fields().len() {
            return Err(PyIndexError::new_err("no such column"));
        }
        Ok(self.batches.iter().map(move |batch| batch.column(index)))
    }
}

/// The schema in a capsule of the Arrow C data interface.
pub(crate) fn schema_capsule<'py>(py: Python<'py>, schema: &Schema) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(schema).map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    PyCapsule::new_with_value(py, schema, c"arrow_schema")
}

/// Rows in a capsule of the Arrow C stream interface.
pub(crate) fn stream_capsule<'py>(
    py: Python<'py>,
    rows: Box<dyn RecordBatchReader + Send>,
) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(rows), c"arrow_array_stream")
}

#[pymethods]
impl Batches {
    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// Names of the columns.
    fn names(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &self.schema)
    }

    /// The rows as a stream; types are those of the result, whatever is requested.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        _ = requested_schema;
        let batches = self.batches.clone().into_iter().map(Ok);
        stream_capsule(py, Box::new(RecordBatchIterator::new(batches, self.schema.clone())))
    }

    /// A column as Python objects, `None` for null.
    fn values<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        for array in self.column(index)? {
            py.check_signals()?;
            append(&list, array)?;
        }
        Ok(list)
    }

    /// A column of numbers as arrays of NumPy: its values, and what of them is null, nothing where there can be no
    /// null; `None` for texts.
    fn numbers<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Option<Numbers<'py>>> {
        let Some(field) = self.schema.fields().get(index) else { return Ok(None) };
        let values = match field.data_type() {
            DataType::UInt32 => self.joined::<UInt32Type>(py, index)?,
            DataType::UInt64 => self.joined::<UInt64Type>(py, index)?,
            DataType::Int64 => self.joined::<Int64Type>(py, index)?,
            DataType::Float32 => self.joined::<Float32Type>(py, index)?,
            DataType::Float64 => self.joined::<Float64Type>(py, index)?,
            _ => return Ok(None),
        };
        let mut nulls = Vec::new();
        for array in self.column(index)?.filter(|_| field.is_nullable()) {
            nulls.extend((0..array.len()).map(|row| array.is_null(row)));
        }
        Ok(Some((values, nulls.into_pyarray(py))))
    }

    /// The same rows with whole numbers of 64 bits as signed ones, or with those of the columns `named` as texts.
    fn with_ids(&self, kind: &str, named: Vec<String>) -> PyResult<Self> {
        let kinds = [("signed", DataType::Int64), ("string", DataType::LargeUtf8)];
        let Some((_, kind)) = kinds.into_iter().find(|(name, _)| *name == kind) else {
            return Err(PyValueError::new_err(format!(
                "ids must be \"unsigned\", \"signed\" or \"string\", not {kind:?}"
            )));
        };
        let changes = |field: &Field| {
            *field.data_type() == DataType::UInt64 && (kind == DataType::Int64 || named.contains(field.name()))
        };
        let fields = self.schema.fields().iter().map(|field| match changes(field) {
            true => Arc::new(field.as_ref().clone().with_data_type(kind.clone())),
            false => Arc::clone(field),
        });
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let convert = |batch: &RecordBatch| {
            let columns = self.schema.fields().iter().zip(batch.columns());
            let columns = columns.map(|(field, column)| match changes(field) {
                true => converted(column, &kind).ok_or_else(|| too_large(field.name())),
                false => Ok(Arc::clone(column)),
            });
            let columns = columns.collect::<PyResult<Vec<_>>>()?;
            RecordBatch::try_new(Arc::clone(&schema), columns)
                .map_err(|error| PyRuntimeError::new_err(error.to_string()))
        };
        let batches = self.batches.iter().map(convert).collect::<PyResult<_>>()?;
        Ok(Self::new(Arc::clone(&schema), batches))
    }

    /// Some rows.
    fn slice(&self, start: usize, stop: usize) -> Self {
        let (mut before, mut batches) = (0, Vec::new());
        for batch in &self.batches {
            let (from, to) = (start.max(before), stop.min(before + batch.num_rows()));
            if from < to {
                batches.push(batch.slice(from - before, to - from));
            }
            before += batch.num_rows();
        }
        Self::new(Arc::clone(&self.schema), batches)
    }
}

impl Batches {
    fn joined<'py, T: ArrowPrimitiveType>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyAny>>
    where
        T::Native: numpy::Element,
    {
        let mut values = Vec::with_capacity(self.batches.iter().map(RecordBatch::num_rows).sum());
        self.column(index)?.for_each(|array| values.extend_from_slice(array.as_primitive::<T>().values()));
        Ok(values.into_pyarray(py).into_any())
    }
}

/// Whole numbers as those of another type; `None` if one is too large for it.
fn converted(column: &ArrayRef, kind: &DataType) -> Option<ArrayRef> {
    let values = column.as_primitive_opt::<UInt64Type>()?.iter();
    Some(match kind {
        DataType::Int64 => {
            let signed = values.map(|value| value.map(i64::try_from).transpose());
            Arc::new(signed.collect::<Result<Int64Array, _>>().ok()?)
        }
        _ => Arc::new(values.map(|value| value.map(|value| value.to_string())).collect::<LargeStringArray>()),
    })
}

fn too_large(column: &str) -> PyErr {
    let message =
        format!("column {column} has IDs above 2**63-1, which do not fit a signed integer; pass ids=\"string\"");
    PyValueError::new_err(message)
}

/// Values, and what of them is null.
type Numbers<'py> = (Bound<'py, PyAny>, Bound<'py, PyArray1<bool>>);

fn append(list: &Bound<'_, PyList>, array: &ArrayRef) -> PyResult<()> {
    match array.data_type() {
        DataType::UInt32 => append_numbers::<UInt32Type>(list, array),
        DataType::UInt64 => append_numbers::<UInt64Type>(list, array),
        DataType::Int64 => append_numbers::<Int64Type>(list, array),
        DataType::Float32 => append_numbers::<Float32Type>(list, array),
        DataType::Float64 => append_numbers::<Float64Type>(list, array),
        DataType::LargeUtf8 => array.as_string::<i64>().iter().try_for_each(|text| list.append(text)),
        other => Err(PyTypeError::new_err(format!("columns of type {other} cannot be converted to Python"))),
    }
}

fn append_numbers<'py, T>(list: &Bound<'py, PyList>, array: &ArrayRef) -> PyResult<()>
where
    T: ArrowPrimitiveType,
    Option<T::Native>: IntoPyObject<'py>,
{
    array.as_primitive::<T>().iter().try_for_each(|value| list.append(value))
}
