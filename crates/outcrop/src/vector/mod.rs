//! A value a vertex that an algorithm begins with: what a matrix is multiplied by, prior probabilities, temperatures.

mod find_nodes;
mod reader;

use crate::graph::Graph;
use crate::request::RunRequest;
use outcrop_algorithms::interval::Real;
use outcrop_algorithms::registry::{Parameter, Precision};
use outcrop_algorithms::{Algorithm, AtomicFloat, ValueFile};
use outcrop_io::SpillFolder;
use outcrop_types::{MemoryBudget, Purpose, Result, VertexRange, VertexValues, index_from, length_from};
use reader::{Meaning, VectorReader};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64};

/// A value a vertex.
#[derive(Clone, Debug, PartialEq)]
pub enum InputVector {
    /// A `.npy` file with one value a vertex in ascending original id; or a `.parquet`, `.csv` or `.tsv` file with an id and a value a
    /// row, where vertices without a row have 0; of probabilities 1/2.
    File(PathBuf),
    /// One value a vertex, in ascending original id.
    Values(Arc<[f64]>),
    /// Ids as text and their values; 0 for all other vertices, of probabilities 1/2.
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
    DoubleFile(ValueFile<f64>),
    SingleFile(ValueFile<f32>),
}

impl VertexVector {
    /// Memory that it takes, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Self::Double(values) => VertexValues::<AtomicU64>::bytes(length_from(values.len())),
            Self::Single(values) => VertexValues::<AtomicU32>::bytes(length_from(values.len())),
            Self::DoubleFile(_) | Self::SingleFile(_) => 0,
        }
    }

    /// The vector that `request` begins with, in memory or in `spill`; ones where it names none.
    pub(crate) fn of(
        request: &RunRequest,
        graph: &Graph,
        budget: &MemoryBudget,
        spill: Option<&SpillFolder>,
    ) -> Result<Option<Self>> {
        if !request.algorithm.specification().parameters.contains(&Parameter::Vector) {
            return Ok(None);
        }
        Ok(Some(match (vector_precision(request), spill) {
            (Precision::Double, None) => Self::Double(read(request, graph, budget)?),
            (Precision::Single, None) => Self::Single(read(request, graph, budget)?),
            (Precision::Double, Some(spill)) => Self::DoubleFile(store::<f64>(request, graph, budget, spill)?),
            (Precision::Single, Some(spill)) => Self::SingleFile(store::<f32>(request, graph, budget, spill)?),
        }))
    }
}

/// The precision of the vector; that of what is computed from probabilities and temperatures does not matter.
fn vector_precision(request: &RunRequest) -> Precision {
    if request.algorithm == Algorithm::Spmv { request.precision() } else { Precision::Double }
}

impl<'r> VectorReader<'r> {
    fn new(vector: &'r InputVector, request: &RunRequest, graph: &'r Graph, budget: &'r MemoryBudget) -> Self {
        Self { vector, precision: vector_precision(request), meaning: Meaning::of(request.algorithm), graph, budget }
    }
}

fn read<F: AtomicFloat>(request: &RunRequest, graph: &Graph, budget: &MemoryBudget) -> Result<VertexValues<F>> {
    let vertices = graph.num_vertices();
    let values = |value: f64| VertexValues::new(budget, Purpose::VertexValues, vertices as usize, |_| F::new(value));
    let Some(vector) = &request.vector else { return values(1.0) };
    let vector = VectorReader::new(vector, request, graph, budget);
    let values = values(vector.meaning.unnamed())?;
    vector.for_each_in(VertexRange::new(0, vertices), |vertex, value| values[vertex as usize].store(value))?;
    Ok(values)
}

/// What reading a vector takes at the most beside the values, but for Parquet files with large row groups; in bytes.
const READING_BYTES: u64 = 8 << 20;

/// Bytes of values that are held at the least while others are read.
const LEAST_STRETCH: u64 = 1 << 20;

/// Puts the vector into a file, in stretches that the budget has left; it is gone through once for each.
fn store<F: Real>(
    request: &RunRequest,
    graph: &Graph,
    budget: &MemoryBudget,
    spill: &SpillFolder,
) -> Result<ValueFile<F>> {
    let length = u64::from(graph.num_vertices());
    let fill = budget.reserve(ValueFile::<F>::FILL_BYTES, Purpose::InputBuffers)?;
    let file = ValueFile::filled(spill, length, F::of(1.0))?;
    drop(fill);
    let Some(vector) = &request.vector else { return Ok(file) };
    let vector = VectorReader::new(vector, request, graph, budget);
    let room = budget.available().saturating_sub(READING_BYTES).max(LEAST_STRETCH).min(length * F::BYTES);
    let _held = budget.reserve(room, Purpose::InputBuffers)?;
    let mut values = vec![F::of(0.0); index_from(room / F::BYTES)];
    for start in (0..graph.num_vertices()).step_by(values.len().max(1)) {
        let end = u32::try_from((u64::from(start) + length_from(values.len())).min(length)).unwrap_or(u32::MAX);
        values.fill(F::of(vector.meaning.unnamed()));
        vector.for_each_in(VertexRange::new(start, end), |vertex, value| {
            values[(vertex - start) as usize] = F::of(value);
        })?;
        file.write(u64::from(start), values.get(..(end - start) as usize).unwrap_or_default())?;
    }
    Ok(file)
}

#[cfg(test)]
mod tests;
