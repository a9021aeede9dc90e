//! Answers as Arrow batches, in memory or streamed.

use crate::batches::{Batches, schema_capsule, stream_capsule};
use crate::error::OrException;
use crate::fork::Owner;
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use outcrop::{Answer, Error, Result};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

/// Collects all rows of an answer.
pub(crate) fn batches(answer: Answer) -> Result<Batches> {
    let (schema, mut batches) = (Arc::new(answer.schema().clone()), Vec::new());
    answer.for_each_batch(|batch| {
        batches.push(batch.clone());
        Ok(())
    })?;
    Ok(Batches::new(schema, batches))
}

/// Rows of an answer, which a thread reads once, on demand.
#[pyclass(frozen, module = "outcrop._outcrop")]
pub(crate) struct AnswerStream {
    schema: SchemaRef,
    rows: u64,
    owner: Owner,
    /// `None` once they have been taken.
    batches: Mutex<Option<Incoming>>,
}

/// Receiver of batches from the reading thread, which ends when this is dropped.
struct Incoming {
    schema: SchemaRef,
    /// `Some` until this is dropped.
    batches: Option<Receiver<Result<RecordBatch>>>,
    owner: Owner,
}

impl Drop for Incoming {
    fn drop(&mut self) {
        // After a fork the thread is not there, and may have left its end locked.
        if !self.owner.is_here() {
            std::mem::forget(self.batches.take());
        }
    }
}

impl AnswerStream {
    /// Starts to read `answer`.
    ///
    /// # Errors
    /// The system refuses a thread.
    pub(crate) fn start(answer: Answer) -> Result<Self> {
        let (schema, rows) = (Arc::new(answer.schema().clone()), answer.rows());
        let (sender, batches) = sync_channel(1);
        let read = move || {
            // Whoever has dropped the other end wants no more.
            let hand_over = |batch: &RecordBatch| sender.send(Ok(batch.clone())).map_err(|_| Error::Interrupted);
            if let Err(error) = answer.for_each_batch(hand_over) {
                _ = sender.send(Err(error));
            }
        };
        let thread = std::thread::Builder::new().name("outcrop-answer".to_owned()).spawn(read);
        thread.map_err(|source| Error::io("start", "the thread of an answer", source))?;
        let owner = Owner::this_process();
        let incoming = Incoming { schema: Arc::clone(&schema), batches: Some(batches), owner };
        Ok(Self { schema, rows, owner, batches: Mutex::new(Some(incoming)) })
    }
}

impl Iterator for Incoming {
    type Item = std::result::Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Err(error) = self.owner.require() {
            return Some(Err(ArrowError::ExternalError(error.into())));
        }
        let batch = self.batches.as_ref()?.recv().ok()?;
        Some(batch.map_err(|error| ArrowError::ExternalError(Box::new(error))))
    }
}

impl RecordBatchReader for Incoming {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

#[pymethods]
impl AnswerStream {
    fn __len__(&self) -> usize {
        self.rows as usize
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &self.schema)
    }

    /// The rows that were not read yet as a stream.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        _ = requested_schema;
        self.owner.check()?;
        let incoming = self.batches.lock().unwrap_or_else(PoisonError::into_inner).take();
        let incoming = incoming.ok_or_else(|| PyValueError::new_err("these rows were already read"))?;
        stream_capsule(py, Box::new(incoming))
    }

    /// The next batch; `None` at the end.
    fn next(&self, py: Python<'_>) -> PyResult<Option<Batches>> {
        self.owner.check()?;
        let next = py.detach(|| {
            let guard = self.batches.lock().unwrap_or_else(PoisonError::into_inner);
            guard.as_ref().and_then(|incoming| incoming.batches.as_ref()?.recv().ok())
        });
        let batch = next.transpose().or_exception(py)?;
        Ok(batch.map(|batch| Batches::new(batch.schema(), vec![batch])))
    }

    /// Returns all remaining batches.
    fn read(&self, py: Python<'_>) -> PyResult<Batches> {
        self.owner.check()?;
        let batches: Result<_> = py.detach(|| {
            let guard = self.batches.lock().unwrap_or_else(PoisonError::into_inner);
            guard.iter().flat_map(|incoming| &incoming.batches).flat_map(Receiver::iter).collect()
        });
        Ok(Batches::new(Arc::clone(&self.schema), batches.or_exception(py)?))
    }
}
