//! Edges from arrays, which Python cuts into pieces of bytes.

use super::arguments::{EdgeArguments, TABLE, summary};
use crate::work::Failure;
use outcrop::{
    EdgeBatch, EdgeSource, Error, FileSummary, IdBatch, IdKind, InputSummary, Location, Result, WeightRounding,
    WeightType, weight_as,
};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Bytes of an edge without its weight.
const EDGE_BYTES: u64 = 16;

/// The longest text that can be an id, in bytes.
const LONGEST_NAME: usize = 1 << 16;

/// Edges from an iterator over (u64 ids or bytes of texts, where texts end as u64, f64 weights), all as bytes.
pub(super) struct ArrayEdges {
    pieces: Py<PyAny>,
    kind: IdKind,
    num_edges: u64,
    done: u64,
    weighted: bool,
    weight_type: Option<WeightType>,
    largest: u64,
    rounding: WeightRounding,
    failure: Failure,
}

impl ArrayEdges {
    pub(super) fn new(
        pieces: Py<PyAny>,
        kind: IdKind,
        num_edges: u64,
        arguments: &EdgeArguments,
        failure: Failure,
    ) -> Self {
        let EdgeArguments { weighted, weight_type, largest, .. } = *arguments;
        let rounding = WeightRounding::default();
        Self { pieces, kind, num_edges, done: 0, weighted, weight_type, largest, rounding, failure }
    }

    fn next_piece(&mut self, batch: &mut EdgeBatch) -> PyResult<bool> {
        Python::attach(|py| {
            let Some(piece) = self.pieces.bind(py).try_iter()?.next() else { return Ok(false) };
            let (ids, ends, weights): (Bound<'_, PyBytes>, Bound<'_, PyBytes>, Bound<'_, PyBytes>) =
                piece?.extract()?;
            batch.endpoints = match self.kind {
                IdKind::Integer => IdBatch::Integers(numbers(&ids).collect()),
                IdKind::Text => IdBatch::Texts {
                    bytes: ids.as_bytes().to_vec(),
                    ends: numbers(&ends).map(|end| end as usize).collect(),
                },
            };
            let weights = weights.as_bytes().as_chunks().0.iter().map(|bytes| f64::from_ne_bytes(*bytes));
            batch.weights.extend(weights);
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
            return Err(Error::Usage("there is not one weight an edge".to_owned()));
        }
        Ok(())
    }
}

fn numbers<'b>(bytes: &'b Bound<'_, PyBytes>) -> impl Iterator<Item = u64> + use<'b> {
    bytes.as_bytes().as_chunks().0.iter().map(|bytes| u64::from_ne_bytes(*bytes))
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
        summary("array", FileSummary { edges: self.done, rounding: self.rounding.clone(), ..FileSummary::default() })
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
        Some((place, id)) => Err(bad_row(place / 2, format!("found the id {id}, expected one from 0 to {largest}"))),
    }
}

/// Refuses texts that no file of edges could hold.
fn check_texts(ids: &IdBatch, first: u64) -> Result<()> {
    let IdBatch::Texts { bytes, ends } = ids else { return Ok(()) };
    let mut start = 0;
    for (place, end) in ends.iter().enumerate() {
        let broken = || Error::internal("a text of an edge ends before it begins");
        let text = bytes.get(start..*end).ok_or_else(broken)?;
        if text.is_empty() || text.len() > LONGEST_NAME || text.iter().any(|byte| matches!(byte, b'\0' | b'\n' | b'\r'))
        {
            let expected = format!("expected an id of one line without NUL and 1 to {LONGEST_NAME} bytes");
            return Err(bad_row(first + place as u64 / 2, expected));
        }
        start = *end;
    }
    Ok(())
}
