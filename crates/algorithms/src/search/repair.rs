//! Distances after updates: distances that depended on deleted arcs are found and restarted.
//!
//! Paper: Ramalingam and Reps, On the computational complexity of dynamic graph problems, Theoretical Computer
//! Science, 1996. A vertex is affected if no arc from a nearer vertex that is not affected itself explains its
//! distance. The paper takes vertices by ascending distance. Here, all vertices that may be affected are examined
//! together, and again if the arcs that explain their distances are affected; the result is the same. Arcs of weight 0
//! explain nothing, as two vertices could explain each other: at worst, more vertices are restarted.

use crate::AtomicFloat;
use crate::shape::Shape;
use outcrop_engine::{Changes, Engine, FrontierBuilder, Gather};
use outcrop_store::access::Neighbors;
use outcrop_types::{BitSet, Direction, MemoryPlan, Purpose, Reservation, Result, VertexId, VertexSet};
use std::ops::ControlFlow;

/// Largest share of affected vertices for a repair, 1 in this many; beyond it, the run recomputes everything.
const SHARE: u32 = 4;

/// Returns the memory of the sets for `vertices` vertices, in addition to frontiers, in bytes.
const fn sets_bytes(vertices: u32) -> u64 {
    BitSet::bytes(vertices) + VertexSet::bytes(vertices)
}

/// Adds the memory of an incremental run to the `memory` of a search, if the run is incremental.
pub(crate) fn with_sets(shape: &Shape, memory: MemoryPlan) -> MemoryPlan {
    if shape.incremental { memory.with(Purpose::Frontier, sets_bytes(shape.vertices)) } else { memory }
}

/// Lengths of changed arcs, as far as they are known.
#[derive(Clone, Copy)]
pub(crate) enum Lengths {
    /// Every length is 1.
    One,
    /// Lengths are unknown.
    Unknown,
}

impl Lengths {
    /// Returns true if a deleted arc from a vertex at distance `near` may have explained the distance `far`.
    fn may_explain(self, near: f64, far: f64) -> bool {
        far.is_finite()
            && match self {
                Self::One => near + 1.0 == far,
                Self::Unknown => near <= far,
            }
    }

    /// Returns true if an inserted arc may lower the distance `far`, or must be refused for its length; for an
    /// undirected edge, one end suffices.
    fn may_lower(self, near: f64, far: f64, undirected: bool) -> bool {
        near.is_finite()
            && match self {
                Self::One => near + 1.0 < far,
                Self::Unknown => near <= far || !undirected,
            }
    }
}

/// Restarted distances.
pub(crate) struct Restarted {
    /// Vertices from which distances are to be lowered.
    pub(crate) frontier: VertexSet,
    /// Vertices whose distances depended on deleted arcs.
    pub(crate) affected: VertexSet,
    /// Reservation of the affected set.
    pub(crate) held: Reservation,
}

/// Prepares the distances of the previous result such that lowering them along the arcs of the returned frontier
/// repairs them; returns `None` if too many vertices would be restarted.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, or if the run is interrupted.
pub(crate) fn restart<F: AtomicFloat>(
    engine: &Engine<'_>,
    distance: &[F],
    lengths: Lengths,
    sources: &[VertexId],
    changes: &Changes,
) -> Result<Option<Restarted>> {
    let vertices = engine.vertices();
    let held = engine.budget().reserve(sets_bytes(vertices), Purpose::Frontier)?;
    let of = |vertex: VertexId| distance[vertex as usize].load();
    let gone = changes.removed.iter().filter(|(source, target)| lengths.may_explain(of(*source), of(*target)));
    let suspects = VertexSet::from_members(gone.map(|(_, target)| *target).collect(), vertices);
    let Some(affected) = affected(engine, distance, sources, suspects)? else { return Ok(None) };
    let affected = VertexSet::from_bits(affected);
    engine.gather_over(&affected, Direction::In, &Renew { distance, affected: &affected })?;
    let may_lower = |near, far| lengths.may_lower(near, far, engine.undirected());
    let frontier = engine.collect(|next| {
        let come = changes.added.iter().filter(|(source, target)| may_lower(of(*source), of(*target)));
        come.for_each(|(source, _)| next.add(*source));
        affected.for_each(|vertex| {
            if of(vertex).is_finite() {
                next.add(vertex);
            }
        });
        Ok(())
    })?;
    engine.end_iteration(None);
    Ok(Some(Restarted { frontier, affected, held }))
}

/// Returns the vertices whose distances are no longer explained, among `suspects` and the vertices that depend on them;
/// `None` if there are too many.
fn affected<F: AtomicFloat>(
    engine: &Engine<'_>,
    distance: &[F],
    sources: &[VertexId],
    mut suspects: VertexSet,
) -> Result<Option<BitSet>> {
    let (vertices, mut count) = (engine.vertices(), 0);
    let sources = VertexSet::from_members(sources.to_vec(), vertices);
    let affected = BitSet::empty(vertices);
    while !suspects.is_empty() {
        engine.touch(suspects.len() as u64);
        let doubt = Doubt { distance, affected: &affected, sources: &sources };
        let found = engine.collect(|next| engine.gather_over(&suspects, Direction::In, &Explain { doubt, next }))?;
        found.for_each(|vertex| _ = affected.insert(vertex));
        count += found.len();
        if count > (vertices / SHARE) as usize {
            engine.note_recomputation("more than a quarter of the distances depend on deleted arcs");
            return Ok(None);
        }
        suspects = engine.collect(|next| engine.gather_over(&found, Direction::Out, &Suspect { doubt, next }))?;
        engine.end_iteration(None);
    }
    Ok(Some(affected))
}

/// Distances of the previous result, with their status.
struct Doubt<'d, F> {
    distance: &'d [F],
    affected: &'d BitSet,
    sources: &'d VertexSet,
}

impl<F> Clone for Doubt<'_, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F> Copy for Doubt<'_, F> {}

/// Selects the affected vertices among those that may be affected.
struct Explain<'d, F> {
    doubt: Doubt<'d, F>,
    next: &'d FrontierBuilder,
}

/// Vertex that may be affected: its distance, and true if it is explained.
struct Explained(f64, bool);

impl<F: AtomicFloat> Gather for Explain<'_, F> {
    type Sum = Explained;

    fn begin(&self, vertex: VertexId) -> Explained {
        Explained(self.doubt.distance[vertex as usize].load(), self.doubt.sources.contains(vertex))
    }

    fn gather(&self, Explained(far, explained): &mut Explained, piece: Neighbors<'_>) {
        if *explained {
            return;
        }
        let found = piece.try_for_each(|source, weight| {
            let near = self.doubt.distance[source as usize].load();
            let explains = near < *far && F::rounded(near + weight) == *far && !self.doubt.affected.contains(source);
            if explains { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        *explained = found.is_break();
    }

    fn apply(&self, vertex: VertexId, Explained(_, explained): Explained) {
        if !explained {
            self.next.add(vertex);
        }
    }
}

/// Collects the vertices whose distances are explained by those of affected ones.
struct Suspect<'d, F> {
    doubt: Doubt<'d, F>,
    next: &'d FrontierBuilder,
}

impl<F: AtomicFloat> Gather for Suspect<'_, F> {
    /// Distance of the affected vertex.
    type Sum = f64;

    fn begin(&self, vertex: VertexId) -> f64 {
        self.doubt.distance[vertex as usize].load()
    }

    fn gather(&self, near: &mut f64, piece: Neighbors<'_>) {
        _ = piece.try_for_each(|target, weight| {
            let far = self.doubt.distance[target as usize].load();
            if F::rounded(*near + weight) == far && !self.doubt.affected.contains(target) {
                self.next.add(target);
            }
            ControlFlow::Continue(())
        });
    }

    fn apply(&self, _: VertexId, _: f64) {}
}

/// Assigns to affected vertices the smallest distance that others offer.
struct Renew<'d, F> {
    distance: &'d [F],
    affected: &'d VertexSet,
}

impl<F: AtomicFloat> Gather for Renew<'_, F> {
    type Sum = f64;

    fn begin(&self, _: VertexId) -> f64 {
        f64::INFINITY
    }

    fn gather(&self, least: &mut f64, piece: Neighbors<'_>) {
        _ = piece.try_for_each(|source, weight| {
            // A negative weight is refused when distances are lowered: it is new, so its source is in the frontier.
            if weight >= 0.0 && !self.affected.contains(source) {
                *least = least.min(self.distance[source as usize].load() + weight);
            }
            ControlFlow::Continue(())
        });
    }

    fn apply(&self, vertex: VertexId, least: f64) {
        self.distance[vertex as usize].store(least);
    }
}
