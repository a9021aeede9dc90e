//! Modularity and conductance of given communities.
//!
//! Definition: with the adjacency matrix A, m the weight of all edges and k the weighted degrees, the modularity is the
//! sum over all pairs of vertices in one community of A(u, v) / 2m - r k(u) k(v) / (2m)^2 with the resolution r; in a
//! directed graph of A(u, v) / m - r k_out(u) k_in(v) / m^2 (Leicht and Newman, PRL 100, 2008). The conductance of a
//! community is the weight of the edges that leave it in either direction, divided by the smaller one of the sums of
//! (out-)degrees within and outside. Duplicate edges count with their multiplicity. A loop of an undirected graph
//! counts twice in degrees, and once in m.
//!
//! Papers: Newman and Girvan, Physical Review E 69, 2004; Kannan, Vempala and Vetta, JACM 51, 2004.
//!
//! Returns: `conductance` f64 of the community of each vertex, null if one of the sums is 0; `modularity` and
//! `coverage`, null without edges; `communities`.
//!
//! Memory: 28 bytes per vertex and the index of the out-lists; in a directed graph 36 bytes and both indexes.
//!
//! Passes over the edges: one along the out-lists, and in a directed graph one along the in-lists.
//!
//! Deviations: sums over lists are in the pieces of the layout, and sums over vertices in the order of the store, so
//! the result does not depend on threads. Other orders and layouts agree up to rounding.

use crate::AtomicFloat;
use crate::outcome::{Column, Outcome, Scalar, ScalarValue, Values};
use crate::weights::require_range;
use outcrop_engine::{Engine, Gather};
use outcrop_store::access::Neighbors;
use outcrop_types::{Direction, MemoryPlan, Purpose, Result, RunEnd, VertexId, VertexValues, length_from, number_from};
use std::sync::atomic::AtomicU64;

/// Locations of checkpoints, in the lists of each direction.
const PLACES: [&str; 2] = ["out-lists", "in-lists"];

/// Returns the memory for `vertices` vertices, with their communities but without the indexes.
pub(super) fn memory(vertices: u32, directed: bool) -> MemoryPlan {
    let [values, numbers] = [VertexValues::<f64>::bytes, VertexValues::<u32>::bytes].map(|of| of(vertices.into()));
    MemoryPlan::new().with(Purpose::VertexValues, (3 + u64::from(directed)) * values + numbers)
}

/// Communities of a graph.
struct Communities {
    /// Number of the community of each vertex, below the number of vertices.
    of: VertexValues<u32>,
    count: u64,
}

impl Communities {
    /// Numbers the communities with these labels, which are integers.
    fn new(engine: &Engine<'_>, labels: VertexValues<f64>) -> Result<Self> {
        let label = |vertex: VertexId| labels[vertex as usize] as i64;
        let mut sorted = engine.vertex_values(label)?;
        engine.workers().sort(&mut sorted);
        let count = sorted.chunk_by(|one, other| one == other).count();
        let first = |vertex: VertexId| number_from(sorted.partition_point(|other| *other < label(vertex)));
        Ok(Self { of: engine.vertex_values(first)?, count: length_from(count) })
    }

    /// Returns the sum of the values of each community, in ascending order of vertices.
    fn sums(&self, engine: &Engine<'_>, values: VertexValues<AtomicU64>) -> Result<VertexValues<f64>> {
        let mut sums = VertexValues::zeroes(engine.budget(), Purpose::VertexValues, values.len())?;
        let pairs = self.of.iter().zip(values.iter());
        pairs.for_each(|(community, value)| sums[*community as usize] += AtomicFloat::load(value));
        Ok(sums)
    }
}

/// Computes the modularity of the communities with these `labels`, which are integers.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, or if the run is interrupted.
pub(super) fn modularity(
    engine: &Engine<'_>,
    labels: VertexValues<f64>,
    resolution: f64,
    weighted: bool,
) -> Result<Outcome> {
    engine.set_end(RunEnd::Iterations { most: 1, tolerance: None });
    let (communities, undirected) = (Communities::new(engine, labels)?, engine.undirected());
    let zeros = || engine.vertex_values(|_| AtomicFloat::new(0.0));
    let (within, out) = (zeros()?, zeros()?);
    let into = if undirected { None } else { Some(zeros()?) };
    let passes = [Some((Direction::Out, &out)), into.as_ref().map(|into| (Direction::In, into))];
    let first = usize::from(engine.resumes_at(PLACES[1]));
    for ((direction, all), place) in passes.into_iter().flatten().zip(PLACES).skip(first) {
        let sums = SumWeights { of: &communities.of, within: &within, all, twice: undirected, weighted };
        engine.gather_in_pieces(direction, &sums, Some(place), |state| {
            state.shared(&within)?;
            state.shared(&out)?;
            into.as_ref().map_or(Ok(()), |into| state.shared(into))
        })?;
    }
    let iterations = engine.end_iteration(None);
    let [within, out] = [communities.sums(engine, within)?, communities.sums(engine, out)?];
    let into = into.map(|into| communities.sums(engine, into)).transpose()?;
    let into = into.as_deref().unwrap_or(&out);
    let total: f64 = out.iter().sum();
    require_range(total, "the sum of the weights of all edges")?;
    let term = |place: usize| within[place] / total - resolution * (out[place] / total) * (into[place] / total);
    let share = |sum: f64| if total > 0.0 { Some(sum) } else { None };
    let values = vec![
        Scalar::number("modularity", share((0..out.len()).map(term).sum())),
        Scalar::number("coverage", share(within.iter().map(|weight| weight / total).sum())),
        Scalar { name: "communities", value: Some(ScalarValue::Count(communities.count)) },
    ];
    let conductance = |place: usize| {
        let leaving = out[place] - within[place];
        let cut = if undirected { leaving } else { leaving + (into[place] - within[place]) };
        let least = out[place].min(total - out[place]);
        if least > 0.0 { cut / least } else { f64::INFINITY }
    };
    let conductance = engine.vertex_values(|vertex| conductance(communities.of[vertex as usize] as usize))?;
    Ok(Outcome { values, ..Outcome::new(vec![Column::new("conductance", Values::Float64(conductance))], iterations) })
}

/// Adds up the weights in each list.
struct SumWeights<'s> {
    of: &'s [u32],
    /// Sum over neighbors in the same community.
    within: &'s [AtomicU64],
    /// Sum over all neighbors.
    all: &'s [AtomicU64],
    /// True to count loops twice.
    twice: bool,
    weighted: bool,
}

impl Gather for SumWeights<'_> {
    /// The vertex, and the sums over neighbors in its community and over all.
    type Sum = (VertexId, f64, f64);

    fn begin(&self, vertex: VertexId) -> Self::Sum {
        (vertex, 0.0, 0.0)
    }

    #[inline]
    fn gather(&self, (vertex, within, all): &mut Self::Sum, piece: Neighbors<'_>) {
        let own = self.of[*vertex as usize];
        let weights = piece.weights().filter(|_| self.weighted);
        for (place, other) in piece.ids().iter().enumerate() {
            let times = if self.twice && other == vertex { 2.0 } else { 1.0 };
            let weight = times * weights.map_or(1.0, |weights| weights[place]);
            *all += weight;
            if self.of[*other as usize] == own {
                *within += weight;
            }
        }
    }

    #[inline]
    fn apply(&self, vertex: VertexId, (_, within, all): Self::Sum) {
        AtomicFloat::store(&self.within[vertex as usize], within);
        AtomicFloat::store(&self.all[vertex as usize], all);
    }
}
