//! Edges from arrays, which Python cuts into pieces of bytes.

use super::arguments::{EdgeArguments, TABLE, summary};
use super::ids::Ids;
use crate::work::Failure;
use outcrop::{
    EdgeBatch, EdgeSource, Error, FileSummary, IdBatch, IdKind, InputSummary, Location, Result, WeightRounding,
    WeightType, check_id, weight_as,
};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

/// Bytes of an edge without its weight.
const EDGE_BYTES: u64 = 16;

/// Edges from an iterator over ids of sources, ids of targets, and weights as bytes of f64.
pub(super) struct ArrayEdges {
    pieces: Py<PyAny>,
    kind: IdKind,
    num_edges: u64,
    done: u64,
    weighted: bool,
    weight_type: Option<WeightType>,
    largest: u64,
    rounding: WeightRounding,
    notes: Vec<String>,
    failure: Failure,
}

impl ArrayEdges {
    /// The edges in `pieces`, whose ids are of `kind`, with `notes` for the account; there are `num_edges`, if known.
    pub(super) fn new(
        pieces: Py<PyAny>,
        kind: IdKind,
        num_edges: u64,
        notes: Vec<String>,
        arguments: &EdgeArguments,
        failure: Failure,
    ) -> Self {
        let EdgeArguments { weighted, weight_type, largest, .. } = *arguments;
        let rounding = WeightRounding::default();
        Self { pieces, kind, num_edges, done: 0, weighted, weight_type, largest, rounding, notes, failure }
    }

    fn next_piece(&mut self, batch: &mut EdgeBatch) -> PyResult<bool> {
        Python::attach(|py| {
            let Some(piece) = self.pieces.bind(py).try_iter()?.next() else { return Ok(false) };
            let (sources, targets, weights): (Ids, Ids, PyBackedBytes) = piece?.extract()?;
            let kinds = [sources.kind(), targets.kind()];
            let row = self.done;
            let pairs = Ids::paired(&sources, &targets).filter(|_| kinds[0] == self.kind).ok_or_else(|| {
                let name = |kind| if kind == IdKind::Text { "strings" } else { "integers" };
                let found = match kinds {
                    [source, target] if source != target => {
                        format!("sources are {}, but targets are {}", name(source), name(target))
                    }
                    [other, _] => {
                        format!("IDs are {} in the first row, but {} from row {row}", name(self.kind), name(other))
                    }
                };
                PyTypeError::new_err(format!("{TABLE}: {found}; expected one type of ID"))
            })?;
            batch.endpoints = pairs;
            batch.weights.extend(weights.as_chunks().0.iter().map(|bytes| f64::from_ne_bytes(*bytes)));
            Ok(true)
        })
    }

    fn check(&mut self, batch: &mut EdgeBatch) -> Result<()> {
        check_ids(&batch.endpoints, self.largest, self.done)?;
        check_texts(&batch.endpoints, self.done)?;
        for (weight, row) in batch.weights.iter_mut().zip(self.done..) {
            let stored = weight_as(self.weight_type, *weight).map_err(|wrong| bad_row(row, wrong))?;
            self.rounding.note(*weight, stored, || format!("{TABLE}: row {row}"));
            *weight = stored;
        }
        if batch.weights.len() != if self.weighted { batch.len() } else { 0 } {
            return Err(Error::Usage("the number of weights differs from the number of edges".to_owned()));
        }
        Ok(())
    }
}

impl EdgeSource for ArrayEdges {
    fn id_kind(&self) -> IdKind {
        self.kind
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
        if more && batch.is_empty() {
            return Err(Error::internal("a batch of edges is empty"));
        }
        self.check(batch)?;
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

    fn summary(&self) -> InputSummary {
        let (rounding, notes) = (self.rounding.clone(), self.notes.clone());
        summary("array", FileSummary { edges: self.done, rounding, notes, ..FileSummary::default() })
    }
}

/// A mistake in row `row` of edges that lie in memory.
fn bad_row(row: u64, message: impl std::fmt::Display) -> Error {
    Error::bad_input(Location::file(TABLE), format!("row {row}: {message}"))
}

/// Refuses ids above `largest`; `first` is the row that the batch begins with.
fn check_ids(ids: &IdBatch, largest: u64, first: u64) -> Result<()> {
    let IdBatch::Integers(ids) = ids else { return Ok(()) };
    match (first * 2..).zip(ids).find(|(_, id)| **id > largest) {
        None => Ok(()),
        Some((place, id)) => Err(bad_row(place / 2, format!("found the ID {id}, expected one from 0 to {largest}"))),
    }
}

/// Refuses strings that cannot be IDs; `first` is the row that the batch begins with.
fn check_texts(ids: &IdBatch, first: u64) -> Result<()> {
    let texts = if ids.kind() == IdKind::Text { ids.len() } else { 0 };
    let wrong = |place| check_id(ids.text(place)).err().map(|reason| bad_row(first + place as u64 / 2, reason));
    (0..texts).find_map(wrong).map_or(Ok(()), Err)
}
