//! What a matrix is multiplied by: from the user's values to a value a vertex.

mod find_nodes;
mod reader;

use crate::graph::Graph;
use crate::request::RunRequest;
use outcrop_algorithms::interval::Real;
use outcrop_algorithms::registry::Precision;
use outcrop_algorithms::{Algorithm, AtomicFloat};
use outcrop_engine::interval::{IntervalValues, Residence};
use outcrop_types::{MemoryBudget, Purpose, Result, VertexRange, VertexValues};
use reader::VectorReader;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64};

/// A value a vertex.
#[derive(Clone, Debug, PartialEq)]
pub enum InputVector {
    /// A `.npy` file with one value a vertex in ascending original id; or a `.parquet`, `.csv` or `.tsv` file with an id and a value a
    /// row, where vertices without a row have 0.
    File(PathBuf),
    /// One value a vertex, in ascending original id.
    Values(Arc<[f64]>),
    /// Ids as text and their values; 0 for all other vertices.
    Entries(Arc<[(String, f64)]>),
}

impl InputVector {
    pub(crate) fn describe(&self) -> Value {
        match self {
            Self::File(path) => json!(path.display().to_string()),
            Self::Values(values) => json!(format!("{} values", values.len())),
            Self::Entries(entries) => json!(format!("{} values by id", entries.len())),
        }
    }
}

/// A value of each vertex, in the precision of a run.
pub(crate) enum VertexVector {
    Double(VertexValues<AtomicU64>),
    Single(VertexValues<AtomicU32>),
}

impl VertexVector {
    /// Memory of the vector that `request` multiplies by, in bytes; 0 for other algorithms.
    pub(crate) fn planned_bytes(request: &RunRequest, vertices: u32) -> u64 {
        match (request.algorithm, request.precision()) {
            (Algorithm::Spmv, Precision::Double) => VertexValues::<AtomicU64>::bytes(vertices.into()),
            (Algorithm::Spmv, Precision::Single) => VertexValues::<AtomicU32>::bytes(vertices.into()),
            _ => 0,
        }
    }

    /// The vector that `request` multiplies by; ones where it names none.
    pub(crate) fn of(request: &RunRequest, graph: &Graph, budget: &MemoryBudget) -> Result<Option<Self>> {
        match (request.algorithm, request.precision()) {
            (Algorithm::Spmv, Precision::Double) => Ok(Some(Self::Double(read(request, graph, budget)?))),
            (Algorithm::Spmv, Precision::Single) => Ok(Some(Self::Single(read(request, graph, budget)?))),
            _ => Ok(None),
        }
    }
}

fn read<F: AtomicFloat>(request: &RunRequest, graph: &Graph, budget: &MemoryBudget) -> Result<VertexValues<F>> {
    let vertices = graph.num_vertices();
    let values = |value: f64| VertexValues::new(budget, Purpose::VertexValues, vertices as usize, |_| F::new(value));
    let Some(vector) = &request.vector else { return values(1.0) };
    let vector = VectorReader { vector, precision: request.precision(), graph, budget };
    let values = values(0.0)?;
    vector.for_each_in(VertexRange::new(0, vertices), |vertex, value| {
        values[vertex as usize].store(value);
        Ok(())
    })?;
    Ok(values)
}

/// What reading a vector takes at the most beside the values, but for Parquet files with large row groups; in bytes.
const READING_BYTES: u64 = 8 << 20;

/// The vector that `request` multiplies by, as values of the interval model; ones where it names none. On disk it comes in stretches that
/// the budget has left, and is gone through once for each.
///
/// # Errors
/// As [`VectorReader::for_each_in`]; a full disk.
pub(crate) fn for_intervals<R: Real>(
    request: &RunRequest,
    graph: &Graph,
    (budget, residence): (&MemoryBudget, &Residence<'_>),
) -> Result<IntervalValues<R>> {
    let vertices = graph.num_vertices();
    let constant = |value: f64| IntervalValues::new(residence, vertices, |_| R::of(value));
    let Some(vector) = &request.vector else { return constant(1.0) };
    let reader = VectorReader { vector, precision: request.precision(), graph, budget };
    let mut values = constant(0.0)?;
    if let Residence::Memory(_) = residence {
        let all = VertexRange::new(0, vertices);
        reader.for_each_in(all, |vertex, value| values.set(vertex, R::of(value)))?;
        return Ok(values);
    }
    let wanted = u64::from(vertices) * R::BYTES;
    let room = budget.available().saturating_sub(READING_BYTES).max(LEAST_STRETCH).min(wanted);
    let _held = budget.reserve(room, Purpose::InputBuffers)?;
    let length = u32::try_from(room / R::BYTES).unwrap_or(u32::MAX).max(1);
    values.fill(length, |range, stretch| {
        reader.for_each_in(range, |vertex, value| {
            stretch[(vertex - range.start) as usize] = R::of(value);
            Ok(())
        })
    })?;
    Ok(values)
}

/// Bytes of values that are held at the least while others are read.
const LEAST_STRETCH: u64 = 1 << 20;

#[cfg(test)]
mod tests;
