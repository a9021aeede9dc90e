//! Shortest paths by weight.
//!
//! Definition: the distance of a vertex is the least sum of weights of a path from any source along the edges' direction; every
//! weight is 1 in a store without weights. Weights must not be negative.
//! Paper: Bellman-Ford on frontiers, as in Ligra (Shun and Blelloch, PPoPP 2013, section 4.6); predecessors from the final
//! distances, see `predecessors.rs`.
//! Returns: `distance` (f64 or f32, in the unit of the weights), `predecessor` as an original id (smallest of those on a shortest
//! path); null where unreached, and for the sources' predecessors.
//! Memory: 12 bytes a vertex (8 with single precision), frontiers and two more sets of vertices, both indexes. Passes over the edges: the lists of a vertex once
//! for each iteration in which its distance has fallen, then once more for predecessors.
//! Deviations: none; sums are rounded along a path from its source, so the answer does not depend on threads, order or layout. The
//! number of iterations may: a distance that falls in an iteration can be handed on within the same one. It counts the rounds that
//! lower distances, while observers also hear of those for predecessors. With single precision, a sum beyond the largest f32 counts as
//! unreached.

use crate::outcome::{Column, Outcome, Values};
use crate::predecessors::{self, predecessors};
use crate::{AtomicFloat, Ranks};
use outcrop_engine::{EdgeMap, EdgeMapOutput, Engine};
use outcrop_store::access::Adjacency;
use outcrop_types::{Error, MemoryPlan, Purpose, Result, VertexId, VertexSet, VertexValues};
use std::sync::{Mutex, PoisonError};

/// Memory over `vertices` vertices with distances of `F`, but for the indexes.
pub fn memory<F: AtomicFloat>(vertices: u32) -> MemoryPlan {
    let distances = VertexValues::<F>::bytes(u64::from(vertices));
    predecessors::memory(vertices).with(Purpose::VertexValues, distances)
}

/// An edge with a weight that must not be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NegativeEdge {
    /// Its source.
    pub source: VertexId,
    /// Its target.
    pub target: VertexId,
    /// Its weight, below 0.
    pub weight: f32,
}

/// Lowers distances from `sources` until nothing changes; `as_values` wraps the distances. Meets only edges that leave reached
/// vertices.
///
/// # Errors
/// What `refuse` makes of a negative edge; a failed or damaged read; a budget that is too small; interruption.
pub fn sssp<A: Adjacency, F: AtomicFloat>(
    engine: &Engine<'_, A>,
    sources: &[VertexId],
    ranks: Ranks<'_>,
    as_values: impl Fn(VertexValues<F::Plain>) -> Values,
    refuse: impl Fn(NegativeEdge) -> Error,
) -> Result<Outcome> {
    let count = engine.vertices() as usize;
    let distance = VertexValues::new(engine.budget(), Purpose::VertexValues, count, |_| F::new(f64::INFINITY))?;
    let relax = Relax { distance, negative: Mutex::default() };
    sources.iter().for_each(|source| relax.distance[*source as usize].store(0.0));
    let mut frontier = VertexSet::from_members(sources.to_vec(), engine.vertices());
    let mut iterations = 0;
    while !frontier.is_empty() {
        frontier = engine.edge_map(&frontier, &relax, EdgeMapOutput::Frontier)?;
        iterations = engine.end_iteration(None);
        if let Some(edge) = *relax.negative.lock().unwrap_or_else(PoisonError::into_inner) {
            return Err(refuse(edge));
        }
    }
    let predecessor = predecessors(engine, &relax.distance, sources, ranks)?;
    let columns = vec![
        Column { name: "distance", values: as_values(relax.distance.map(F::into_plain)) },
        Column { name: "predecessor", values: Values::Node(predecessor) },
    ];
    Ok(Outcome { columns, iterations, convergence: None })
}

struct Relax<F> {
    distance: VertexValues<F>,
    negative: Mutex<Option<NegativeEdge>>,
}

impl<F> Relax<F> {
    /// Of several negative edges the one with the smallest ends is told.
    #[cold]
    fn note_negative(&self, edge: NegativeEdge) {
        let mut noted = self.negative.lock().unwrap_or_else(PoisonError::into_inner);
        if noted.is_none_or(|known| (edge.source, edge.target) < (known.source, known.target)) {
            *noted = Some(edge);
        }
    }
}

impl<F: AtomicFloat> EdgeMap for Relax<F> {
    #[inline]
    fn update_atomic(&self, source: VertexId, target: VertexId, weight: f32) -> bool {
        if weight < 0.0 {
            self.note_negative(NegativeEdge { source, target, weight });
            return false;
        }
        let distance = self.distance[source as usize].load() + f64::from(weight);
        self.distance[target as usize].lower_to(distance)
    }

    /// Any later in-neighbour may be nearer.
    #[inline]
    fn settled(&self, _: VertexId) -> bool {
        false
    }
}
