//! A search from one source at a time: the least memory.

use super::distinct::Distinct;
use super::edge_map::{Parameters, too_many_paths};
use crate::{AtomicFloat, UNREACHED};
use outcrop_engine::{EdgeMap, EdgeMapOutput, Engine, Gather};
use outcrop_store::access::Neighbours;
use outcrop_types::{BitSet, Direction, MemoryPlan, Purpose, Reservation, Result, VertexId, VertexSet, VertexValues};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};

/// Memory over `vertices` vertices: 16 bytes and a bit each.
pub(super) fn memory(vertices: u32) -> MemoryPlan {
    let (paths, levels) =
        (VertexValues::<u64>::bytes(u64::from(vertices)), VertexValues::<u32>::bytes(u64::from(vertices)));
    MemoryPlan::new().with(Purpose::VertexValues, paths + 2 * levels).with(Purpose::Frontier, BitSet::bytes(vertices))
}

/// Adds to `sum` what the sources from number `first` on contribute; the last iteration's number.
pub(super) fn add(engine: &Engine<'_>, parameters: &Parameters<'_>, first: u32, sum: &[AtomicU64]) -> Result<u32> {
    let mut search = Search::new(engine, sum)?;
    let mut iterations = 0;
    for number in first..parameters.count(engine.vertices()) {
        let source = parameters.source(number);
        search.forward(engine, source)?;
        search.backward(engine, source)?;
        search.forget();
        iterations = engine.end_iteration(None);
    }
    Ok(iterations)
}

/// The search from one source.
struct Search<'s> {
    distance: VertexValues<AtomicU32>,
    /// The vertices that were reached, nearest first.
    order: VertexValues<VertexId>,
    /// How many.
    reached: usize,
    /// Forward, the number of shortest paths from the source; backward, what a path brings: (1 + dependency) / number.
    paths: VertexValues<AtomicU64>,
    /// Dependencies, summed over the sources so far.
    sum: &'s [AtomicU64],
    /// The distance of what is found or summed now.
    level: u32,
    /// The level from which sums come: bits stay in the caches of the cores where distances would not.
    beside: BitSet,
    _held: Reservation,
    overflow: AtomicBool,
}

impl<'s> Search<'s> {
    fn new(engine: &Engine<'_>, sum: &'s [AtomicU64]) -> Result<Self> {
        let (budget, count) = (engine.budget(), engine.vertices() as usize);
        let distance = VertexValues::new(budget, Purpose::VertexValues, count, |_| AtomicU32::new(UNREACHED))?;
        let order = VertexValues::new(budget, Purpose::VertexValues, count, |_| 0)?;
        let paths = VertexValues::new(budget, Purpose::VertexValues, count, |_| AtomicU64::new(0))?;
        let held = budget.reserve(BitSet::bytes(engine.vertices()), Purpose::Frontier)?;
        let beside = BitSet::empty(engine.vertices());
        let overflow = AtomicBool::new(false);
        Ok(Self { distance, order, reached: 0, paths, sum, level: 0, beside, overflow, _held: held })
    }

    fn note(&mut self, level: &VertexSet) {
        level.for_each(|vertex| {
            self.order[self.reached] = vertex;
            self.reached += 1;
        });
    }

    /// Distances and numbers of paths.
    fn forward(&mut self, engine: &Engine<'_>, source: VertexId) -> Result<()> {
        self.distance[source as usize].store(0, Relaxed);
        AtomicFloat::store(&self.paths[source as usize], 1.0);
        self.level = 0;
        let mut frontier = VertexSet::from_members(vec![source], engine.vertices());
        while !frontier.is_empty() {
            self.note(&frontier);
            self.level += 1;
            let found = engine.edge_map(&frontier, self, EdgeMapOutput::Frontier)?;
            self.beside = std::mem::replace(&mut frontier, found).into_bits();
            engine.gather_over(&frontier, Direction::In, &Paths(self))?;
            if self.overflow.load(Relaxed) {
                return Err(too_many_paths());
            }
        }
        Ok(())
    }

    /// Dependencies, from the farthest level to the source.
    fn backward(&mut self, engine: &Engine<'_>, source: VertexId) -> Result<()> {
        let mut end = self.reached;
        self.beside = BitSet::empty(engine.vertices());
        while end > 0 {
            self.level -= 1;
            let (distance, level) = (&self.distance, self.level);
            let start = self.order[..end].partition_point(|vertex| distance[*vertex as usize].load(Relaxed) < level);
            let members = set_of(&self.order[start..end], engine.vertices());
            engine.gather_over(&members, Direction::Out, &Dependencies { search: self, source })?;
            self.beside = members.into_bits();
            end = start;
        }
        Ok(())
    }

    fn forget(&mut self) {
        for vertex in &self.order[..self.reached] {
            self.distance[*vertex as usize].store(UNREACHED, Relaxed);
        }
        self.reached = 0;
    }
}

/// The same vertices, which ascend, as a set; no list is made of many.
fn set_of(members: &[VertexId], universe: u32) -> VertexSet {
    if members.len() <= VertexSet::sparse_limit(universe) {
        return VertexSet::Sparse { members: members.to_vec(), universe };
    }
    let bits = BitSet::empty(universe);
    members.iter().for_each(|member| _ = bits.insert(*member));
    VertexSet::from_bits(bits)
}

impl EdgeMap for Search<'_> {
    #[inline]
    fn update_atomic(&self, _: VertexId, target: VertexId, _: f64) -> bool {
        self.distance[target as usize].compare_exchange(UNREACHED, self.level, Relaxed, Relaxed).is_ok()
    }

    #[inline]
    fn cond(&self, target: VertexId) -> bool {
        self.distance[target as usize].load(Relaxed) == UNREACHED
    }
}

/// A sum over distinct neighbours.
struct DistinctSum {
    total: f64,
    distinct: Distinct,
}

impl DistinctSum {
    const EMPTY: Self = Self { total: 0.0, distinct: Distinct::NONE };

    #[inline]
    fn add(&mut self, piece: Neighbours<'_>, term: impl Fn(VertexId) -> f64) {
        self.distinct.each(piece, |neighbour| self.total += term(neighbour));
    }
}

/// Numbers of paths of a level, from those of the level before.
struct Paths<'s>(&'s Search<'s>);

impl Gather for Paths<'_> {
    type Sum = DistinctSum;

    fn begin(&self, _: VertexId) -> DistinctSum {
        DistinctSum::EMPTY
    }

    #[inline]
    fn gather(&self, sum: &mut DistinctSum, piece: Neighbours<'_>) {
        sum.add(piece, |source| match self.0.beside.contains(source) {
            true => AtomicFloat::load(&self.0.paths[source as usize]),
            false => 0.0,
        });
    }

    fn apply(&self, vertex: VertexId, sum: DistinctSum) {
        if !sum.total.is_finite() {
            self.0.overflow.store(true, Relaxed);
        }
        AtomicFloat::store(&self.0.paths[vertex as usize], sum.total);
    }
}

/// Dependencies of a level, from those of the level behind it.
struct Dependencies<'s> {
    search: &'s Search<'s>,
    source: VertexId,
}

impl Gather for Dependencies<'_> {
    type Sum = DistinctSum;

    fn begin(&self, _: VertexId) -> DistinctSum {
        DistinctSum::EMPTY
    }

    #[inline]
    fn gather(&self, sum: &mut DistinctSum, piece: Neighbours<'_>) {
        sum.add(piece, |target| match self.search.beside.contains(target) {
            true => AtomicFloat::load(&self.search.paths[target as usize]),
            false => 0.0,
        });
    }

    fn apply(&self, vertex: VertexId, sum: DistinctSum) {
        let (paths, total) = (&self.search.paths[vertex as usize], &self.search.sum[vertex as usize]);
        let number = AtomicFloat::load(paths);
        let dependency = number * sum.total;
        AtomicFloat::store(paths, (1.0 + dependency) / number);
        if vertex != self.source {
            AtomicFloat::store(total, AtomicFloat::load(total) + dependency);
        }
    }
}
