//! Edges from arrays, which Python cuts into pieces of bytes.

use crate::build::BuildArguments;
use crate::work::Failure;
use outcrop::{EdgeBatch, EdgeSource, Error, IdBatch, IdKind, Location, Result};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Bytes of an edge without its weight.
const EDGE_BYTES: u64 = 16;

/// Edges from an iterator over (bytes of u64 ids, bytes of f32 weights).
pub(crate) struct ArrayEdges {
    pieces: Py<PyAny>,
    num_edges: u64,
    done: u64,
    weighted: bool,
    largest: u64,
    failure: Failure,
}

impl ArrayEdges {
    pub(crate) fn new(pieces: Py<PyAny>, num_edges: u64, arguments: &BuildArguments, failure: Failure) -> Self {
        Self { pieces, num_edges, done: 0, weighted: arguments.weighted, largest: arguments.largest(), failure }
    }

    fn next_piece(&self, batch: &mut EdgeBatch) -> PyResult<bool> {
        Python::attach(|py| {
            let Some(piece) = self.pieces.bind(py).try_iter()?.next() else { return Ok(false) };
            let (ids, weights): (Bound<'_, PyBytes>, Bound<'_, PyBytes>) = piece?.extract()?;
            let ids = ids.as_bytes().as_chunks().0.iter().map(|bytes| u64::from_ne_bytes(*bytes));
            batch.endpoints = IdBatch::Integers(ids.collect());
            batch.weights = weights.as_bytes().as_chunks().0.iter().map(|bytes| f32::from_ne_bytes(*bytes)).collect();
            if batch.endpoints.len() != 2 * batch.len() || (self.weighted && batch.weights.len() != batch.len()) {
                return Err(PyValueError::new_err("there is not one weight an edge"));
            }
            Ok(true)
        })
    }
}

impl EdgeSource for ArrayEdges {
    fn id_kind(&self) -> IdKind {
        IdKind::Integer
    }

    fn weighted(&self) -> bool {
        self.weighted
    }

    fn next_batch(&mut self, batch: &mut EdgeBatch) -> Result<bool> {
        batch.clear();
        let more = self.next_piece(batch).map_err(|error| {
            self.failure.set(error);
            Error::Interrupted
        })?;
        check_ids(&batch.endpoints, self.largest, self.done)?;
        self.done += batch.len() as u64;
        Ok(more)
    }

    fn bytes_done(&self) -> u64 {
        self.done * EDGE_BYTES
    }

    fn bytes_total(&self) -> Option<u64> {
        self.num_edges.checked_mul(EDGE_BYTES)
    }

    fn edges_estimate(&self) -> Option<u64> {
        Some(self.num_edges)
    }
}

/// A mistake in row `row` of edges that lie in memory.
pub(crate) fn bad_row(row: u64, message: impl std::fmt::Display) -> Error {
    Error::bad_input(Location::file("the edges"), format!("row {row}: {message}"))
}

/// Refuses ids above `largest`; `first` is the row that the batch begins with.
pub(crate) fn check_ids(ids: &IdBatch, largest: u64, first: u64) -> Result<()> {
    let IdBatch::Integers(ids) = ids else { return Ok(()) };
    match ids.iter().position(|id| *id > largest) {
        None => Ok(()),
        Some(place) => {
            let found = ids.get(place).copied().unwrap_or_default();
            Err(bad_row(first + place as u64 / 2, format!("found the id {found}, expected one from 0 to {largest}")))
        }
    }
}
