//! Initial value per vertex of an algorithm: the operand of a matrix multiplication, prior probabilities, temperatures.

mod find_nodes;
mod reader;

pub(crate) use find_nodes::{NodeFinder, no_vertex};

use crate::graph::Graph;
use crate::request::RunRequest;
use outcrop_algorithms::models::Real;
use outcrop_algorithms::params::Arg;
use outcrop_algorithms::{AtomicFloat, Precision, ValueFile, VertexVector};
use outcrop_io::SpillFolder;
use outcrop_types::{MemoryBudget, Purpose, Result, VertexRange, VertexValues, index_from, length_from};
use reader::VectorReader;

impl Graph {
    /// Returns the vector of `request`, in memory or in `spill`; all ones if the request has none.
    pub(crate) fn vector_of(
        &self,
        request: &RunRequest<'_>,
        budget: &MemoryBudget,
        spill: Option<&SpillFolder>,
    ) -> Result<Option<VertexVector>> {
        let Some(meaning) = request.algorithm().vector(request.args())? else { return Ok(None) };
        let given = request.args().given().find_map(|(_, arg)| match arg {
            Arg::Vector(vector) => Some(vector),
            _ => None,
        });
        let vector = given.map(|vector| VectorReader { vector, meaning, graph: self, budget });
        Ok(Some(match (meaning.precision, spill) {
            (Precision::Double, None) => VertexVector::Double(read(vector, self, budget)?),
            (Precision::Single, None) => VertexVector::Single(read(vector, self, budget)?),
            (Precision::Double, Some(spill)) => VertexVector::DoubleFile(store::<f64>(vector, self, budget, spill)?),
            (Precision::Single, Some(spill)) => VertexVector::SingleFile(store::<f32>(vector, self, budget, spill)?),
        }))
    }
}

fn read<F: AtomicFloat>(
    vector: Option<VectorReader<'_>>,
    graph: &Graph,
    budget: &MemoryBudget,
) -> Result<VertexValues<F>> {
    let vertices = graph.num_vertices();
    let values = |value: f64| VertexValues::new(budget, Purpose::VertexValues, vertices as usize, |_| F::new(value));
    let Some(vector) = vector else { return values(1.0) };
    let values = values(vector.meaning.unnamed)?;
    vector.for_each_in(VertexRange::new(0, vertices), |vertex, value| values[vertex as usize].store(value))?;
    Ok(values)
}

/// Maximum memory for reading a vector in addition to the values, except for Parquet files with large row groups; in
/// bytes.
const READING_BYTES: u64 = 8 << 20;

/// Minimum bytes of values in memory while others are read.
const LEAST_STRETCH: u64 = 1 << 20;

/// Writes the vector to a file, in ranges that fit the remaining budget; scans the input once per range.
fn store<F: Real>(
    vector: Option<VectorReader<'_>>,
    graph: &Graph,
    budget: &MemoryBudget,
    spill: &SpillFolder,
) -> Result<ValueFile<F>> {
    let length = u64::from(graph.num_vertices());
    let fill = budget.reserve(ValueFile::<F>::FILL_BYTES, Purpose::InputBuffers)?;
    let file = ValueFile::filled(spill, length, F::of(1.0))?;
    drop(fill);
    let Some(vector) = vector else { return Ok(file) };
    let room = budget.available().saturating_sub(READING_BYTES).max(LEAST_STRETCH).min(length * F::BYTES);
    let _held = budget.reserve(room, Purpose::InputBuffers)?;
    let mut values = vec![F::of(0.0); index_from(room / F::BYTES)];
    for start in (0..graph.num_vertices()).step_by(values.len().max(1)) {
        let end = (u64::from(start) + length_from(values.len())).min(length) as u32;
        values.fill(F::of(vector.meaning.unnamed));
        vector.for_each_in(VertexRange::new(start, end), |vertex, value| {
            values[(vertex - start) as usize] = F::of(value);
        })?;
        file.write(u64::from(start), &values[..(end - start) as usize])?;
    }
    Ok(file)
}

#[cfg(test)]
mod tests;
