//! A search from one source at a time: the least memory.

use super::counts::{Counts, Reached, set_of};
use super::distinct::DistinctSum;
use super::params::BcParams;
use crate::UNREACHED;
use outcrop_engine::{EdgeMap, EdgeMapOutput, Engine, Gather};
use outcrop_store::access::Neighbours;
use outcrop_types::{BitSet, Direction, MemoryPlan, Purpose, Reservation, Result, VertexId, VertexSet, VertexValues};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Memory over `vertices` vertices: 16 bytes and a bit each.
pub(super) fn memory(vertices: u32) -> MemoryPlan {
    let distances = VertexValues::<u32>::bytes(u64::from(vertices));
    let values = distances + Reached::bytes(vertices) + Counts::bytes(vertices);
    MemoryPlan::new().with(Purpose::VertexValues, values).with(Purpose::Frontier, BitSet::bytes(vertices))
}

/// Adds to `sum` what the sources from number `first` on contribute; the last iteration's number.
pub(super) fn add(engine: &Engine<'_>, parameters: &BcParams<'_>, first: u32, sum: &[AtomicU64]) -> Result<u32> {
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
    /// Nearest first.
    reached: Reached,
    counts: Counts<'s>,
    /// The distance of what is found or summed now.
    level: u32,
    /// The level from which sums come: bits stay in the caches of the cores where distances would not.
    beside: BitSet,
    _held: Reservation,
}

impl<'s> Search<'s> {
    fn new(engine: &Engine<'_>, sum: &'s [AtomicU64]) -> Result<Self> {
        let (budget, count) = (engine.budget(), engine.vertices() as usize);
        let distance = VertexValues::new(budget, Purpose::VertexValues, count, |_| AtomicU32::new(UNREACHED))?;
        let (reached, counts) = (Reached::new(engine)?, Counts::new(engine, sum)?);
        let held = budget.reserve(BitSet::bytes(engine.vertices()), Purpose::Frontier)?;
        let beside = BitSet::empty(engine.vertices());
        Ok(Self { distance, reached, counts, level: 0, beside, _held: held })
    }

    /// Distances and numbers of paths.
    fn forward(&mut self, engine: &Engine<'_>, source: VertexId) -> Result<()> {
        self.distance[source as usize].store(0, Relaxed);
        self.counts.begin(source);
        self.level = 0;
        let mut frontier = VertexSet::from_members(vec![source], engine.vertices());
        while !frontier.is_empty() {
            self.reached.push(&frontier);
            self.level += 1;
            let found = engine.edge_map(&frontier, self, EdgeMapOutput::Frontier)?;
            self.beside = std::mem::replace(&mut frontier, found).into_bits();
            let search = &*self;
            let paths = OverLevel { search, apply: |vertex, total| search.counts.set(vertex, total) };
            engine.gather_over(&frontier, Direction::In, &paths)?;
            self.counts.check()?;
        }
        Ok(())
    }

    /// Dependencies, from the farthest level to the source.
    fn backward(&mut self, engine: &Engine<'_>, source: VertexId) -> Result<()> {
        let mut end = self.reached.vertices().len();
        self.beside = BitSet::empty(engine.vertices());
        while end > 0 {
            self.level -= 1;
            let (distance, level) = (&self.distance, self.level);
            let order = &self.reached.vertices()[..end];
            let start = order.partition_point(|vertex| distance[*vertex as usize].load(Relaxed) < level);
            let members = set_of(&order[start..], engine.vertices());
            let search = &*self;
            let add = |vertex, total| search.counts.add_dependency(vertex, source, total);
            engine.gather_over(&members, Direction::Out, &OverLevel { search, apply: add })?;
            self.beside = members.into_bits();
            end = start;
        }
        Ok(())
    }

    fn forget(&mut self) {
        for vertex in self.reached.vertices() {
            self.distance[*vertex as usize].store(UNREACHED, Relaxed);
        }
        self.reached.clear();
    }
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

/// Sums over the distinct neighbours of a vertex in the level beside its own; `apply` makes of them what is wanted.
struct OverLevel<'s, F> {
    search: &'s Search<'s>,
    apply: F,
}

impl<F: Fn(VertexId, f64) + Sync> Gather for OverLevel<'_, F> {
    type Sum = DistinctSum;

    fn begin(&self, _: VertexId) -> DistinctSum {
        DistinctSum::EMPTY
    }

    #[inline]
    fn gather(&self, sum: &mut DistinctSum, piece: Neighbours<'_>) {
        sum.add(piece, |neighbour| match self.search.beside.contains(neighbour) {
            true => self.search.counts.of(neighbour),
            false => 0.0,
        });
    }

    fn apply(&self, vertex: VertexId, sum: DistinctSum) {
        (self.apply)(vertex, sum.total);
    }
}
