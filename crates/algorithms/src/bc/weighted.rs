//! Weighted search from one source at a time.
//!
//! Distances are lowered by delta-stepping, as for shortest paths (`sssp`). The edges that lead exactly from the
//! distance of their source to that of their target form an acyclic graph, since all weights are positive. Its vertices
//! are processed in levels, each vertex after all of its predecessors: path counts are pulled into a level, and
//! dependencies are pulled back into it after those of later levels.
//!
//! Passes over the edges per source: the out-lists of a vertex once for each round in which its distance has fallen and
//! is in the nearest bucket, then the in-lists of the reached vertices twice and their out-lists twice, in at most as
//! many rounds as a shortest path has edges; in addition, a scan of the distances of all vertices.

use super::counts::{Counts, Reached, set_of};
use super::distinct::DistinctSum;
use super::params::BcParams;
use super::single;
use crate::AtomicFloat;
use crate::sssp::BucketWidth;
use crate::sssp::edge_map::Relax;
use crate::sssp::width::{self, Width};
use crate::weights::{LARGEST_SUMMAND, Refused, RefusedEdge};
use outcrop_engine::{EdgeMap, EdgeMapOutput, Engine, Gather};
use outcrop_store::access::Neighbors;
use outcrop_types::{
    BitSet, Direction, Error, MemoryPlan, Purpose, Reservation, Result, VertexId, VertexSet, VertexValues,
};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Error text for a weight that is not positive.
const POSITIVE: &str = "`bc --weighted` needs positive weights of at most 1e270";
/// Error text for a weight that does not increase the length of a path.
const LOST: &str = "it is too small compared with the path length (rounding), so shortest paths cannot be counted";

/// Returns the memory for `vertices` vertices: 24 bytes and a bit each, and sets of pending vertices.
pub(super) fn memory(vertices: u32) -> MemoryPlan {
    let (distances, before) =
        (VertexValues::<u64>::bytes(u64::from(vertices)), VertexValues::<u32>::bytes(u64::from(vertices)));
    let values = distances + before + Reached::bytes(vertices) + Counts::bytes(vertices);
    let sets = BitSet::bytes(vertices) + 2 * VertexSet::bytes(vertices);
    MemoryPlan::new().with(Purpose::VertexValues, values).with(Purpose::Frontier, sets)
}

/// Adds the contributions of the sources to `sum`; returns the number of the last iteration.
///
/// # Errors
///
/// Returns the error that `refuse` creates from an edge and a description of the fault of its weight, or an error if
/// there are too many shortest paths to count, if a read fails or the data is damaged, if the budget is too small, or
/// if the run is interrupted.
pub(super) fn add(
    engine: &Engine<'_>,
    parameters: &BcParams<'_>,
    sum: &[AtomicU64],
    refuse: &dyn Fn(RefusedEdge, &str) -> Error,
) -> Result<u32> {
    let weights = PositiveWeights::default();
    engine.gather_along(Direction::Out, &weights)?;
    weights.refused.check(|edge| refuse(edge, POSITIVE))?;
    let width = width::of(engine, BucketWidth::Auto)?;
    let mut search = Search::new(engine, sum)?;
    let (mut number, mut iterations) = (0, 0);
    let count = parameters.count(engine.vertices());
    while number < count {
        single::checkpoint(engine, &mut number, count, &mut iterations, sum)?;
        engine.set_done(number.into());
        let source = parameters.source(number);
        search.lower_distances(engine, source, width)?;
        search.count_before(engine)?;
        search.lost.check(|edge| refuse(edge, LOST))?;
        search.forward(engine, source)?;
        search.backward(engine, source)?;
        search.forget();
        iterations = engine.end_iteration(None);
        number += 1;
    }
    engine.set_done(number.into());
    Ok(iterations)
}

/// Records edges whose weights are not positive or too large, except loops.
#[derive(Default)]
struct PositiveWeights {
    refused: Refused,
}

impl Gather for PositiveWeights {
    type Sum = VertexId;

    fn begin(&self, vertex: VertexId) -> VertexId {
        vertex
    }

    #[inline]
    fn gather(&self, vertex: &mut VertexId, piece: Neighbors<'_>) {
        _ = piece.try_for_each(|target, weight| {
            if !(weight > 0.0 && weight <= LARGEST_SUMMAND) && target != *vertex {
                self.refused.note(*vertex, target, weight);
            }
            ControlFlow::Continue(())
        });
    }

    fn apply(&self, _: VertexId, _: VertexId) {}
}

/// Search from one source.
struct Search<'s> {
    relax: Relax<AtomicU64>,
    /// Number per vertex of shortest-path edges from unprocessed vertices.
    before: VertexValues<AtomicU32>,
    /// Reached vertices by level; levels increase along every shortest path.
    reached: Reached,
    /// Last vertex of each level.
    last: BitSet,
    counts: Counts<'s>,
    /// Edges between vertices of the same distance.
    lost: Refused,
    _held: Reservation,
}

impl<'s> Search<'s> {
    fn new(engine: &Engine<'_>, sum: &'s [AtomicU64]) -> Result<Self> {
        let (budget, vertices) = (engine.budget(), engine.vertices());
        let zero = |_| AtomicU32::new(0);
        Ok(Self {
            relax: Relax::new(engine)?,
            before: engine.vertex_values(zero)?,
            reached: Reached::new(engine)?,
            counts: Counts::new(engine, sum)?,
            _held: budget.reserve(BitSet::bytes(vertices), Purpose::Frontier)?,
            last: BitSet::empty(vertices),
            lost: Refused::new(),
        })
    }

    fn distance(&self, vertex: VertexId) -> f64 {
        AtomicFloat::load(&self.relax.distance[vertex as usize])
    }

    fn lower_distances(&self, engine: &Engine<'_>, source: VertexId, width: Width) -> Result<()> {
        AtomicFloat::store(&self.relax.distance[source as usize], 0.0);
        let frontier = VertexSet::from_members(vec![source], engine.vertices());
        self.relax.nearest(engine, frontier, width, |_: &mut _| Ok(()), || Ok(())).map(|_| ())
    }

    /// Counts the edges of shortest paths to each vertex.
    fn count_before(&self, engine: &Engine<'_>) -> Result<()> {
        let _held = engine.budget().reserve(2 * VertexSet::bytes(engine.vertices()), Purpose::Frontier)?;
        let all = VertexSet::all(engine.vertices());
        let reached = engine.vertex_filter(&all, |vertex| self.distance(vertex).is_finite());
        drop(all);
        engine.gather_over(&reached, Direction::In, &EdgesBefore(self))
    }

    /// Computes path counts.
    fn forward(&mut self, engine: &Engine<'_>, source: VertexId) -> Result<()> {
        self.counts.begin(source);
        let mut level = VertexSet::from_members(vec![source], engine.vertices());
        while !level.is_empty() {
            self.reached.push(&level);
            self.reached.vertices().last().into_iter().for_each(|vertex| _ = self.last.insert(*vertex));
            level = engine.edge_map(&level, self, EdgeMapOutput::Frontier)?;
            let search = &*self;
            let set = |vertex, total| search.counts.set(vertex, total);
            engine.gather_over(&level, Direction::In, &OverPaths { search, leads, apply: set })?;
            self.counts.check()?;
        }
        Ok(())
    }

    /// Computes dependencies, from the last level to the source.
    fn backward(&self, engine: &Engine<'_>, source: VertexId) -> Result<()> {
        let mut rest = self.reached.vertices();
        while let [earlier @ .., _] = rest {
            let start = earlier.iter().rposition(|vertex| self.last.contains(*vertex)).map_or(0, |place| place + 1);
            let level = set_of(&rest[start..], engine.vertices());
            let back = |far, weight, near| leads(near, weight, far);
            let add = |vertex, total| self.counts.add_dependency(vertex, source, total);
            engine.gather_over(&level, Direction::Out, &OverPaths { search: self, leads: back, apply: add })?;
            rest = &rest[..start];
        }
        Ok(())
    }

    fn forget(&mut self) {
        for vertex in self.reached.vertices() {
            AtomicFloat::store(&self.relax.distance[*vertex as usize], f64::INFINITY);
            self.last.remove(*vertex);
        }
        self.reached.clear();
    }
}

/// Returns true if an edge of this weight is on a shortest path from the distance `near` to `far`: the sum is bitwise
/// equal to the one that lowered distances.
#[inline]
fn leads(near: f64, weight: f64, far: f64) -> bool {
    near < far && near + weight == far && far.is_finite()
}

/// Processes an edge of a shortest path: returns true for the last one to its target.
impl EdgeMap for Search<'_> {
    #[inline]
    fn update_atomic(&self, source: VertexId, target: VertexId, weight: f64) -> bool {
        leads(self.distance(source), weight, self.distance(target))
            && self.before[target as usize].fetch_sub(1, Relaxed) == 1
    }

    #[inline]
    fn cond(&self, target: VertexId) -> bool {
        self.before[target as usize].load(Relaxed) > 0
    }
}

/// Number of shortest-path edges to each vertex; duplicates count with their multiplicity.
struct EdgesBefore<'s>(&'s Search<'s>);

/// Vertex with its distance.
#[derive(Clone, Copy)]
struct At {
    vertex: VertexId,
    distance: f64,
}

impl Gather for EdgesBefore<'_> {
    type Sum = (At, u32);

    fn begin(&self, vertex: VertexId) -> (At, u32) {
        (At { vertex, distance: self.0.distance(vertex) }, 0)
    }

    #[inline]
    fn gather(&self, (at, count): &mut (At, u32), piece: Neighbors<'_>) {
        _ = piece.try_for_each(|source, weight| {
            let near = self.0.distance(source);
            if leads(near, weight, at.distance) {
                *count += 1;
            } else if near == at.distance && near + weight == near && source != at.vertex {
                self.0.lost.note(source, at.vertex, weight);
            }
            ControlFlow::Continue(())
        });
    }

    fn apply(&self, vertex: VertexId, (_, count): Self::Sum) {
        self.0.before[vertex as usize].store(count, Relaxed);
    }
}

/// Sums over the distinct neighbors of a vertex connected by shortest paths: `leads` decides by their distance, the
/// weight of the edge and the distance of the vertex, and `apply` processes the result.
struct OverPaths<'s, L, F> {
    search: &'s Search<'s>,
    leads: L,
    apply: F,
}

impl<L: Fn(f64, f64, f64) -> bool + Sync, F: Fn(VertexId, f64) + Sync> Gather for OverPaths<'_, L, F> {
    type Sum = (f64, DistinctSum);

    fn begin(&self, vertex: VertexId) -> Self::Sum {
        (self.search.distance(vertex), DistinctSum::EMPTY)
    }

    #[inline]
    fn gather(&self, (distance, sum): &mut Self::Sum, piece: Neighbors<'_>) {
        let counts = |neighbor, weight| (self.leads)(self.search.distance(neighbor), weight, *distance);
        sum.add_where(piece, counts, |neighbor| self.search.counts.of(neighbor));
    }

    fn apply(&self, vertex: VertexId, (_, sum): Self::Sum) {
        (self.apply)(vertex, sum.total);
    }
}
