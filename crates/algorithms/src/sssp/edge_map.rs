//! Shortest paths by weight.
//!
//! Definition: the distance of a vertex is the least sum of weights of a path from any source along the edges' direction; every
//! weight is 1 in a store without weights. Weights must not be negative.
//! Paper: delta-stepping (Meyer and Sanders, Journal of Algorithms 2003), or Bellman-Ford on frontiers, as in Ligra (Shun and Blelloch,
//! PPoPP 2013, section 4.6); predecessors from the final distances, see `predecessors.rs`. Without weights, both are the same rounds.
//! Returns: `distance` (f64 or f32, in the unit of the weights), `predecessor` as an original id (smallest of those on a shortest
//! path); null where unreached, and for the sources' predecessors.
//! Memory: 12 bytes a vertex (8 with single precision), frontiers and two more sets of vertices, both indexes. Passes over the edges:
//! the lists of a vertex once for each iteration in which its distance has fallen, or with delta-stepping has fallen and is in the
//! nearest bucket; then once more for predecessors.
//! Deviations: one bucket is kept, the nearest, and the rest waits in a set; light and heavy edges are not told apart, as in the GAP
//! benchmark. Distances are always pushed. They are the same with either method: sums are rounded along a path from its source, so
//! the answer does not depend on threads, order or layout. The number of iterations may: a distance that falls in an iteration can be
//! handed on within the same one. It counts the rounds that lower distances, while observers also hear of those for predecessors. A sum
//! beyond the largest number of the precision counts as unreached.

use super::predecessors::{self, predecessors};
use crate::outcome::{Column, Outcome, Values};
use crate::weights::{Refused, RefusedEdge};
use crate::{AtomicFloat, IdOrder};
use outcrop_engine::{Dense, EdgeMap, EdgeMapOptions, EdgeMapOutput, Engine};
use outcrop_types::{Error, MemoryPlan, Purpose, Result, VertexId, VertexSet, VertexValues};

use super::width;

pub use width::BucketWidth;

/// Vertices that hand on their distances in a round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// All whose distances have fallen.
    BellmanFord,
    /// Of these, the ones in the nearest bucket.
    DeltaStepping(BucketWidth),
}

/// Memory over `vertices` vertices with distances of `F`, but for the indexes.
pub fn memory<F: AtomicFloat>(vertices: u32) -> MemoryPlan {
    let distances = VertexValues::<F>::bytes(u64::from(vertices));
    predecessors::memory(vertices).with(Purpose::VertexValues, distances)
}

/// Lowers distances from `sources` until nothing changes; `as_values` wraps the distances. Refuses no negative edges but those that
/// leave reached vertices.
///
/// # Errors
/// What `refuse` makes of a negative edge; a failed or damaged read; a budget that is too small; interruption.
pub fn sssp<F: AtomicFloat>(
    engine: &Engine<'_>,
    sources: &[VertexId],
    ranks: IdOrder<'_>,
    method: Method,
    as_values: impl Fn(VertexValues<F::Plain>) -> Values,
    refuse: impl Fn(RefusedEdge) -> Error,
) -> Result<Outcome> {
    let relax = Relax::<F>::new(engine)?;
    sources.iter().for_each(|source| relax.distance[*source as usize].store(0.0));
    let frontier = VertexSet::from_members(sources.to_vec(), engine.vertices());
    let end_round = || {
        engine.end_iteration(None);
        relax.negative.check(&refuse)
    };
    let iterations = match method {
        Method::BellmanFord => relax.all(engine, frontier, &end_round)?,
        Method::DeltaStepping(width) => {
            let width = width::of(engine, width)?;
            relax.nearest(engine, frontier, width, &end_round)?
        }
    };
    let predecessor = predecessors(engine, &relax.distance, sources, ranks)?;
    let columns = vec![
        Column::new("distance", as_values(relax.distance.map(F::into_plain))),
        Column::new("predecessor", Values::Node(predecessor)),
    ];
    Ok(Outcome::new(columns, iterations))
}

/// Distances that edges lower.
pub(crate) struct Relax<F> {
    /// The distance of each vertex so far.
    pub(crate) distance: VertexValues<F>,
    negative: Refused,
}

/// Memory of the two sets of vertices that delta-stepping keeps besides frontiers: those that wait, and those that are near. In bytes.
pub(crate) const fn waiting_bytes(vertices: u32) -> u64 {
    predecessors::sets_bytes(vertices)
}

impl<F: AtomicFloat> Relax<F> {
    /// Distances of vertices that are not reached.
    pub(crate) fn new(engine: &Engine<'_>) -> Result<Self> {
        let unreached = |_| F::new(f64::INFINITY);
        let count = engine.vertices() as usize;
        let distance = VertexValues::new(engine.budget(), Purpose::VertexValues, count, unreached)?;
        Ok(Self { distance, negative: Refused::new() })
    }

    fn is_below(&self, vertex: VertexId, limit: f64) -> bool {
        self.distance[vertex as usize].load() < limit
    }

    /// One round: the vertices whose distances have fallen.
    fn step(&self, engine: &Engine<'_>, frontier: &VertexSet) -> Result<VertexSet> {
        // A pull would read all in-lists to their ends: any source may be nearer.
        let options = EdgeMapOptions { dense: Dense::PushSweep, ..EdgeMapOutput::Frontier.into() };
        engine.edge_map(frontier, self, options)
    }

    /// Bellman-Ford, with `end_round` after each round; the number of rounds.
    fn all(&self, engine: &Engine<'_>, mut frontier: VertexSet, end_round: &impl Fn() -> Result<()>) -> Result<u32> {
        let mut rounds = 0;
        while !frontier.is_empty() {
            frontier = self.step(engine, &frontier)?;
            end_round()?;
            rounds += 1;
        }
        Ok(rounds)
    }

    /// Delta-stepping with buckets of this width, and `end_round` after each round; the number of rounds.
    ///
    /// # Errors
    /// Those of `end_round`; a failed or damaged read, a budget that is too small, interruption.
    pub(crate) fn nearest(
        &self,
        engine: &Engine<'_>,
        mut waiting: VertexSet,
        width: f64,
        end_round: &impl Fn() -> Result<()>,
    ) -> Result<u32> {
        let _held = engine.budget().reserve(waiting_bytes(engine.vertices()), Purpose::Frontier)?;
        let (mut limit, mut rounds) = (width, 0);
        while !waiting.is_empty() {
            let near = engine.vertex_filter(&waiting, |vertex| self.is_below(vertex, limit));
            if near.is_empty() {
                limit = self.end_of_nearest(&waiting, width);
                continue;
            }
            let rest = engine.vertex_filter(&waiting, |vertex| !self.is_below(vertex, limit));
            drop(waiting);
            let fallen = self.step(engine, &near)?;
            end_round()?;
            drop(near);
            waiting = rest.union(fallen);
            rounds += 1;
        }
        Ok(rounds)
    }

    /// The end of the bucket of the nearest vertex of `waiting`.
    fn end_of_nearest(&self, waiting: &VertexSet, width: f64) -> f64 {
        let mut least = f64::INFINITY;
        waiting.for_each(|vertex| least = least.min(self.distance[vertex as usize].load()));
        (((least / width).floor() + 1.0) * width).max(least.next_up())
    }
}

impl<F: AtomicFloat> EdgeMap for Relax<F> {
    #[inline]
    fn update_atomic(&self, source: VertexId, target: VertexId, weight: f64) -> bool {
        if weight < 0.0 {
            self.negative.note(source, target, weight);
            return false;
        }
        let distance = self.distance[source as usize].load() + weight;
        self.distance[target as usize].lower_to(distance)
    }

    /// Any later in-neighbour may be nearer.
    #[inline]
    fn settled(&self, _: VertexId) -> bool {
        false
    }
}
