//! Degrees.
//!
//! Definition: the number of edges at a vertex: out-edges, in-edges, or both. A loop counts as an out-edge and as an
//! in-edge, so in an undirected graph it counts twice. With weights, the sum of the weights of these edges (strength).
//! Duplicate edges count with their multiplicity.
//!
//! Paper: Freeman, "Centrality in Social Networks", Social Networks 1978.
//!
//! Returns: `degree`, u64; with weights f64.
//!
//! Memory: 8 bytes per vertex and the indexes; without weights also 4 bytes per vertex.
//!
//! Passes over the edges: none for the degrees of directed graphs and of graphs without loops and duplicate edges; one
//! otherwise, and one per direction with weights.
//!
//! Deviations: sums of weights are in the order of the lists, in the pieces of the layout, so the result does not
//! depend on threads. Other orders and layouts agree up to rounding.

use crate::AtomicFloat;
use crate::outcome::{Column, Outcome, Values};
use crate::session::Session;
use crate::weights::require_range;
use outcrop_engine::{Engine, Gather};
use outcrop_store::access::Neighbors;
use outcrop_types::{Direction, MemoryPlan, Purpose, Result, RunEnd, VertexId, VertexSet, VertexValues};
use std::sync::atomic::AtomicU64;

/// Locations of checkpoints, in the passes over the lists.
const PLACES: [&str; 2] = ["first lists", "second lists"];

/// Returns the memory for `vertices` vertices, without the indexes.
pub(super) fn memory(vertices: u32, weighted: bool) -> MemoryPlan {
    let vertices = u64::from(vertices);
    let memory = MemoryPlan::new().with(Purpose::VertexValues, VertexValues::<u64>::bytes(vertices));
    if weighted { memory } else { memory.with(Purpose::Degrees, VertexValues::<u32>::bytes(vertices)) }
}

/// Counts the edges of each vertex in lists of these `directions`, or adds up their weights.
///
/// # Errors
///
/// Returns an error if a sum exceeds the range of f64, if a read fails or the data is damaged, if the budget is too
/// small, or if the run is interrupted.
pub(super) fn degrees(
    engine: &Engine<'_>,
    run: &Session<'_>,
    directions: &[Direction],
    weighted: bool,
) -> Result<Outcome> {
    engine.set_end(RunEnd::Iterations { most: 1, tolerance: None });
    let sums = engine.vertex_values(|_| AtomicFloat::new(0.0))?;
    // In an undirected graph, a loop has one entry and counts twice.
    let degrees = Degrees { sums, entries: weighted, loops: !run.shape.directed };
    for direction in directions.iter().filter(|_| !weighted) {
        let counts = run.graph.degrees(*direction)?;
        engine.vertex_map(&VertexSet::all(engine.vertices()), |vertex| {
            degrees.apply(vertex, (vertex, counts[vertex as usize].into()));
        });
    }
    let reads = weighted || degrees.loops && !run.shape.simple;
    let mut passes = directions.iter().zip(PLACES).filter(|_| reads).collect::<Vec<_>>();
    if engine.resumes_at(PLACES[1]) {
        passes.drain(..passes.len().min(1));
    }
    for (direction, place) in passes {
        engine.gather_in_pieces(*direction, &degrees, Some(place), |state| state.shared(&degrees.sums))?;
    }
    let iterations = engine.end_iteration(None);
    if weighted {
        let mut sums = degrees.sums.iter();
        sums.try_for_each(|sum| require_range(AtomicFloat::load(sum), "the sum of the weights at a vertex"))?;
    }
    let values = match weighted {
        true => Values::Float64(degrees.sums.map(AtomicU64::into_plain)),
        false => Values::LargeCount(degrees.sums.map(|sum| sum.into_plain() as u64)),
    };
    Ok(Outcome::new(vec![Column::new("degree", values)], iterations))
}

/// Sums over lists.
struct Degrees {
    sums: VertexValues<AtomicU64>,
    /// True to add every entry.
    entries: bool,
    /// True to add each loop (once more).
    loops: bool,
}

impl Gather for Degrees {
    type Sum = (VertexId, f64);

    fn begin(&self, vertex: VertexId) -> Self::Sum {
        (vertex, 0.0)
    }

    #[inline]
    fn gather(&self, sum: &mut Self::Sum, piece: Neighbors<'_>) {
        let weights = piece.weights().filter(|_| self.entries);
        for (place, neighbor) in piece.ids().iter().enumerate() {
            let times = u8::from(self.entries) + u8::from(self.loops && *neighbor == sum.0);
            sum.1 += f64::from(times) * weights.map_or(1.0, |weights| weights[place]);
        }
    }

    #[inline]
    fn apply(&self, vertex: VertexId, (_, more): Self::Sum) {
        let sum: &AtomicU64 = &self.sums[vertex as usize];
        AtomicFloat::store(sum, AtomicFloat::load(sum) + more);
    }
}
