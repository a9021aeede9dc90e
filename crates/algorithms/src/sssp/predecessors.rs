//! Predecessors implied by a set of final distances.
//!
//! An edge is *tight* if it leads exactly from the distance of its source to that of its target. Of the tight edges
//! from nearer vertices, the one from the smallest original ID yields the predecessor. A vertex that is reached only by
//! edges of weight 0 (or of a weight that is lost in rounding) gets its predecessor in rounds: the smallest of those
//! settled in the previous round, so that following predecessors always ends at a source.

use crate::{AtomicFloat, IdOrder, UNREACHED};
use outcrop_engine::{EdgeMap, EdgeMapOutput, Engine};
use outcrop_types::{BitSet, MemoryPlan, Purpose, Reservation, Result, VertexId, VertexSet, VertexValues};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Returns the memory for `vertices` vertices.
pub(crate) fn memory(vertices: u32) -> MemoryPlan {
    let predecessors = VertexValues::<u32>::bytes(u64::from(vertices));
    MemoryPlan::new().with(Purpose::VertexValues, predecessors).with(Purpose::Frontier, sets_bytes(vertices))
}

/// Returns the memory of the two sets in addition to frontiers, the reached and the settled vertices, in bytes.
pub(crate) const fn sets_bytes(vertices: u32) -> u64 {
    2 * VertexSet::bytes(vertices)
}

/// Returns the predecessors, as ranks, of all vertices that `distance` marks as reached from `sources`, up to the
/// distance `farthest`.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, or if the run is interrupted.
pub(crate) fn predecessors<F: AtomicFloat>(
    engine: &Engine<'_>,
    distance: &[F],
    sources: &[VertexId],
    ranks: IdOrder<'_>,
    farthest: f64,
) -> Result<VertexValues<u32>> {
    let held = engine.budget().reserve(sets_bytes(engine.vertices()), Purpose::Frontier)?;
    let predecessor = engine.vertex_values(|_| AtomicU32::new(UNREACHED))?;
    let all = VertexSet::all(engine.vertices());
    let is_near = |distance: f64| distance.is_finite() && distance <= farthest;
    let reached = engine.vertex_filter(&all, |vertex| is_near(distance[vertex as usize].load()));
    drop(all);
    let mut tight = Tight { distance, predecessor, ranks, settled: None };
    engine.edge_map(&reached, &tight, EdgeMapOutput::Nothing)?;
    engine.end_iteration(None);
    settle_the_rest(engine, &mut tight, &reached, sources, held)?;
    Ok(tight.predecessor.map(AtomicU32::into_inner))
}

fn settle_the_rest<F: AtomicFloat>(
    engine: &Engine<'_>,
    tight: &mut Tight<'_, F>,
    reached: &VertexSet,
    sources: &[VertexId],
    _held: Reservation,
) -> Result<()> {
    let sources = VertexSet::from_members(sources.to_vec(), engine.vertices());
    let has_predecessor = |vertex: VertexId| tight.predecessor[vertex as usize].load(Relaxed) != UNREACHED;
    let settled = engine.vertex_filter(reached, |vertex| has_predecessor(vertex) || sources.contains(vertex));
    drop(sources);
    if settled.len() == reached.len() {
        return Ok(());
    }
    tight.settled = Some(settled.to_bits());
    let mut frontier = settled;
    while !frontier.is_empty() {
        frontier = engine.edge_map(&frontier, tight, EdgeMapOutput::Frontier)?;
        engine.end_iteration(None);
        if let Some(settled) = &tight.settled {
            frontier.for_each(|vertex| _ = settled.insert(vertex));
        }
    }
    Ok(())
}

struct Tight<'d, F> {
    distance: &'d [F],
    predecessor: VertexValues<AtomicU32>,
    ranks: IdOrder<'d>,
    /// Vertices settled in earlier rounds; `None` if predecessors are not found in rounds.
    settled: Option<BitSet>,
}

impl<F: AtomicFloat> EdgeMap for Tight<'_, F> {
    #[inline]
    fn update_atomic(&self, source: VertexId, target: VertexId, weight: f64) -> bool {
        let (near, far) = (self.distance[source as usize].load(), self.distance[target as usize].load());
        let leads_on = if self.settled.is_some() { near == far } else { near < far };
        if !leads_on || F::rounded(near + weight) != far {
            return false;
        }
        self.predecessor[target as usize].fetch_min(self.ranks.of(source), Relaxed) == UNREACHED
    }

    #[inline]
    fn cond(&self, target: VertexId) -> bool {
        self.settled.as_ref().is_none_or(|settled| !settled.contains(target))
    }

    #[inline]
    fn settled(&self, _: VertexId) -> bool {
        false
    }
}
