//! A search by weight, from one source at a time.
//!
//! Distances are lowered by delta-stepping, as for shortest paths (`sssp`). The edges that lead exactly from the
//! distance of their source to that of their target make a graph without cycles, as all weights are above 0. Its
//! vertices are taken in levels, each vertex once all before it have been taken: numbers of paths are pulled into a
//! level, and dependencies back into it once the levels behind it have theirs.
//!
//! Passes over the edges for each source: the out-lists of a vertex once for each round in which its distance has
//! fallen and is in the nearest bucket, then the in-lists of the reached vertices twice and their out-lists twice, in
//! as many rounds as a shortest path has edges at the most; besides a look at the distances of all vertices.

use super::counts::{Counts, Reached, set_of};
use super::distinct::DistinctSum;
use super::params::BcParams;
use super::single;
use crate::AtomicFloat;
use crate::sssp::BucketWidth;
use crate::sssp::edge_map::Relax;
use crate::sssp::width::{self, Width};
use crate::weights::{Refused, RefusedEdge};
use outcrop_engine::{EdgeMap, EdgeMapOutput, Engine, Gather};
use outcrop_store::access::Neighbours;
use outcrop_types::{
    BitSet, Direction, Error, MemoryPlan, Purpose, Reservation, Result, VertexId, VertexSet, VertexValues,
};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Refusal of a weight that is not above 0.
const POSITIVE: &str = "`bc --weighted` needs positive weights";
/// Refusal of a weight that makes no path longer.
const LOST: &str = "it is too small compared with the path length (rounding), so shortest paths cannot be counted";

/// Memory over `vertices` vertices: 24 bytes and a bit each, and sets of vertices that wait.
pub(super) fn memory(vertices: u32) -> MemoryPlan {
    let (distances, before) =
        (VertexValues::<u64>::bytes(u64::from(vertices)), VertexValues::<u32>::bytes(u64::from(vertices)));
    let values = distances + before + Reached::bytes(vertices) + Counts::bytes(vertices);
    let sets = BitSet::bytes(vertices) + 2 * VertexSet::bytes(vertices);
    MemoryPlan::new().with(Purpose::VertexValues, values).with(Purpose::Frontier, sets)
}

/// Adds to `sum` what the sources contribute; the last iteration's number.
///
/// # Errors
/// What `refuse` makes of an edge and what is said of its weight; too many shortest paths to count; a failed or damaged
/// read, a budget that is too small, interruption.
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
        single::checkpoint(engine, (&mut number, count), &mut iterations, sum)?;
        engine.has_done(number.into());
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
    engine.has_done(number.into());
    Ok(iterations)
}

/// Notes edges whose weights are not above 0; loops may have any.
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
    fn gather(&self, vertex: &mut VertexId, piece: Neighbours<'_>) {
        _ = piece.try_for_each(|target, weight| {
            if weight <= 0.0 && target != *vertex {
                self.refused.note(*vertex, target, weight);
            }
            ControlFlow::Continue(())
        });
    }

    fn apply(&self, _: VertexId, _: VertexId) {}
}

/// The search from one source.
struct Search<'s> {
    relax: Relax<AtomicU64>,
    /// Number per vertex of shortest-path edges from vertices that have not been taken.
    before: VertexValues<AtomicU32>,
    /// Reached vertices by level; levels increase along every shortest path.
    reached: Reached,
    /// The last vertex of each level.
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
        self.relax.nearest(engine, frontier, width, (|_: &mut _| Ok(()), || Ok(()))).map(|_| ())
    }

    /// Counts the edges of shortest paths to each vertex.
    fn count_before(&self, engine: &Engine<'_>) -> Result<()> {
        let _held = engine.budget().reserve(2 * VertexSet::bytes(engine.vertices()), Purpose::Frontier)?;
        let all = VertexSet::all(engine.vertices());
        let reached = engine.vertex_filter(&all, |vertex| self.distance(vertex).is_finite());
        drop(all);
        engine.gather_over(&reached, Direction::In, &EdgesBefore(self))
    }

    /// Numbers of paths.
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

    /// Dependencies, from the last level to the source.
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

/// True if an edge of this weight is one of a shortest path, from the distance `near` to `far`: the sum is that by
/// which distances were lowered, to the bit.
#[inline]
fn leads(near: f64, weight: f64, far: f64) -> bool {
    near < far && near + weight == far && far.is_finite()
}

/// An edge of a shortest path has been taken: whether it was the last one to its target.
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

/// Number of edges of shortest paths that lead to each vertex; repeated ones count as often as they are stored.
struct EdgesBefore<'s>(&'s Search<'s>);

/// A vertex with its distance.
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
    fn gather(&self, (at, count): &mut (At, u32), piece: Neighbours<'_>) {
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

    fn apply(&self, vertex: VertexId, (_, count): (At, u32)) {
        self.0.before[vertex as usize].store(count, Relaxed);
    }
}

/// Sums over the distinct neighbours of a vertex that shortest paths join with it, by their distance, the weight of the
/// edge and that of the vertex, as `leads` says; `apply` makes of them what is wanted.
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
    fn gather(&self, (distance, sum): &mut Self::Sum, piece: Neighbours<'_>) {
        let counts = |neighbour, weight| (self.leads)(self.search.distance(neighbour), weight, *distance);
        sum.add_where(piece, counts, |neighbour| self.search.counts.of(neighbour));
    }

    fn apply(&self, vertex: VertexId, (_, sum): Self::Sum) {
        (self.apply)(vertex, sum.total);
    }
}
