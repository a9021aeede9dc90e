//! Search from one source at a time, with the least memory.

use super::counts::Counts;
use super::distinct::DistinctSum;
use super::levels::Levels;
use super::params::BcParams;
use outcrop_engine::{EdgeMap, Engine, Gather};
use outcrop_store::access::Neighbors;
use outcrop_types::{BitSet, Direction, MemoryPlan, Purpose, Reservation, Result, VertexId, VertexSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Returns the memory for `vertices` vertices: 9 bytes each, and 4 bytes if there are several `sources`.
pub(super) fn memory(vertices: u32, sources: u32) -> MemoryPlan {
    Levels::memory(vertices, sources == 1)
        .with(Purpose::VertexValues, Counts::bytes(vertices))
        .with(Purpose::Frontier, BitSet::bytes(vertices))
}

/// Returns the memory of the levels and of the adjacent level, without the engine's frontiers.
pub(super) const fn frontier_bytes(vertices: u32) -> u64 {
    Levels::set_bytes(vertices) + BitSet::bytes(vertices)
}

/// Adds the contributions of the sources from number `first` on to `sum`; returns the number of the last iteration.
pub(super) fn add(engine: &Engine<'_>, parameters: &BcParams<'_>, first: u32, sum: &[AtomicU64]) -> Result<u32> {
    let count = parameters.count(engine.vertices());
    // With a single source, the sums are unused until dependencies are computed.
    let mut search = Search::new(engine, sum, count == 1)?;
    let (mut number, mut iterations) = (first, 0);
    while number < count {
        checkpoint(engine, &mut number, count, &mut iterations, sum)?;
        engine.set_done(number.into());
        let source = parameters.source(number);
        search.forward(engine, source)?;
        search.backward(engine, source)?;
        iterations = engine.end_iteration(None);
        number += 1;
    }
    engine.set_done(number.into());
    Ok(iterations)
}

/// Checkpoint location of searches from one source at a time.
pub(super) const ALONE: &str = "sources";

/// Saves a checkpoint between two of `count` sources, when the state consists only of sums.
pub(super) fn checkpoint(
    engine: &Engine<'_>,
    number: &mut u32,
    count: u32,
    iterations: &mut u32,
    sum: &[AtomicU64],
) -> Result<()> {
    engine.checkpoint(ALONE, |state| {
        state.bounded(number, u64::from(count).saturating_sub(1))?;
        state.number(iterations)?;
        state.shared(sum)
    })
}

/// Search from one source.
struct Search<'s> {
    /// Levels of all vertices except the source, nearest first.
    levels: Levels<'s>,
    counts: Counts<'s>,
    /// True if this level was found by pushing, which does not count paths.
    pushed: AtomicBool,
    /// Level that sums are taken from: its bits stay in the cores' caches, unlike path counts.
    beside: BitSet,
    _held: Reservation,
}

impl<'s> Search<'s> {
    fn new(engine: &Engine<'_>, sum: &'s [AtomicU64], lends: bool) -> Result<Self> {
        let (levels, counts) = (Levels::new(engine, lends.then_some(sum))?, Counts::new(engine, sum)?);
        let held = engine.budget().reserve(BitSet::bytes(engine.vertices()), Purpose::Frontier)?;
        let beside = BitSet::empty(engine.vertices());
        Ok(Self { levels, counts, pushed: AtomicBool::new(false), beside, _held: held })
    }

    /// Computes levels and path counts. A pull counts paths while it finds vertices; vertices of the first level have
    /// one path.
    fn forward(&mut self, engine: &Engine<'_>, source: VertexId) -> Result<()> {
        self.counts.begin(source);
        let mut frontier = VertexSet::from_members(vec![source], engine.vertices());
        self.beside.insert(source);
        for depth in 1_u32.. {
            *self.pushed.get_mut() = false;
            let search = &*self;
            let paths = OverLevel { search, apply: |vertex, total| search.counts.set(vertex, total) };
            let found = engine.edge_map_gather(&frontier, search, &paths)?;
            if self.pushed.load(Relaxed) && depth > 1 {
                engine.gather_over(&found, Direction::In, &paths)?;
            }
            self.counts.check()?;
            self.pass(&frontier, &found);
            let level = std::mem::replace(&mut frontier, found);
            if depth > 1 {
                self.levels.push(level);
            }
            if frontier.is_empty() {
                break;
            }
        }
        Ok(())
    }

    /// Computes dependencies, from the last level to the first; resets path counts.
    fn backward(&mut self, engine: &Engine<'_>, source: VertexId) -> Result<()> {
        let mut behind = self.levels.pop();
        engine.vertex_map(&behind, |vertex| self.counts.add_dependency(vertex, source, 0.0));
        self.beside = behind.to_bits();
        while !self.levels.is_empty() {
            let (members, search) = (self.levels.pop(), &*self);
            let add = |vertex, total| search.counts.add_dependency(vertex, source, total);
            engine.gather_over(&members, Direction::Out, &OverLevel { search, apply: add })?;
            engine.vertex_map(&behind, |vertex| self.counts.forget(vertex));
            self.pass(&behind, &members);
            behind = members;
        }
        engine.vertex_map(&behind, |vertex| self.counts.forget(vertex));
        self.pass(&behind, &VertexSet::empty(engine.vertices()));
        self.counts.forget(source);
        Ok(())
    }

    /// Replaces the adjacent level with `next`, without scanning all vertices if both are small: a road network has
    /// thousands of levels.
    fn pass(&mut self, before: &VertexSet, next: &VertexSet) {
        match (before, next) {
            (VertexSet::Sparse { .. }, VertexSet::Sparse { .. }) => {
                before.for_each(|vertex| self.beside.remove(vertex));
                next.for_each(|vertex| _ = self.beside.insert(vertex));
            }
            _ => self.beside = next.to_bits(),
        }
    }
}

impl EdgeMap for Search<'_> {
    #[inline]
    fn update_atomic(&self, _: VertexId, target: VertexId, _: f64) -> bool {
        if !self.pushed.load(Relaxed) {
            self.pushed.store(true, Relaxed);
        }
        self.counts.reach(target)
    }

    #[inline]
    fn cond(&self, target: VertexId) -> bool {
        self.counts.of(target) == 0.0
    }
}

/// Sums over the distinct neighbors of a vertex at the adjacent level; `apply` processes the result.
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
    fn gather(&self, sum: &mut DistinctSum, piece: Neighbors<'_>) {
        sum.add(piece, |neighbor| match self.search.beside.contains(neighbor) {
            true => self.search.counts.of(neighbor),
            false => 0.0,
        });
    }

    fn apply(&self, vertex: VertexId, sum: DistinctSum) {
        (self.apply)(vertex, sum.total);
    }
}
