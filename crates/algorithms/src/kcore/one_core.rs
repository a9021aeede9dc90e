//! The core of one `k`.
//!
//! The entries of both lists of a vertex are at least as many as its neighbours, so that it is removed once they are
//! fewer than `k`: each removed vertex takes them from its neighbours along both of its lists. Where no edge is
//! repeated and none is a loop a neighbour stands in a list once, so that whoever has 2k - 1 entries has `k`
//! neighbours. What is left in between is counted, `SLACK` times `k` neighbours at the most: from then on its number is
//! a bound from below, and it is counted again where that falls below `k`.

use crate::UNREACHED;
use crate::outcome::{Column, Outcome, Values};
use outcrop_engine::neighbourhood::{HeldSpace, Neighbourhoods, VisitNeighbours};
use outcrop_engine::{Dense, EdgeMap, EdgeMapOptions, EdgeMapOutput, Engine, FrontierBuilder, State};
use outcrop_types::{BitSet, Direction, MemoryPlan, Purpose, Result, VertexId, VertexSet, VertexValues, number_from};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Neighbours are counted up to so many times `k`.
const SLACK: u32 = 4;

/// Memory over `vertices` vertices, the degrees of both directions included, but for the indexes, frontiers and held
/// lists.
pub(super) fn memory(vertices: u32) -> MemoryPlan {
    let numbers = VertexValues::<u32>::bytes(u64::from(vertices));
    MemoryPlan::new().with(Purpose::Degrees, 2 * numbers).with(Purpose::Frontier, frontier_bytes(vertices))
}

/// Memory of the vertex sets, in bytes: all, remaining, counted, being removed, to be removed next, to be counted.
const fn frontier_bytes(vertices: u32) -> u64 {
    3 * BitSet::bytes(vertices) + 2 * VertexSet::bytes(vertices) + FrontierBuilder::bytes(vertices)
}

/// Finds the core of `k` neighbours. `entries` are those of the lists of both directions; in a `simple` graph no edge
/// is repeated or a loop.
///
/// # Errors
/// A failed or damaged read, a budget that is too small, interruption.
pub(super) fn one_core(
    engine: &Engine<'_>,
    neighbourhoods: &Neighbourhoods<'_>,
    entries: VertexValues<u32>,
    (k, simple): (u32, bool),
    space: &HeldSpace,
) -> Result<Outcome> {
    let _frontiers = engine.budget().reserve(frontier_bytes(engine.vertices()), Purpose::Frontier)?;
    let (all, directed) = (VertexSet::all(engine.vertices()), neighbourhoods.directed());
    let mut rest = Rest::new(entries, k, if simple { if directed { 2 } else { 1 } } else { u32::MAX });
    engine.vertex_map(&all, |vertex| _ = rest.is_doubtful(vertex) && rest.doubt(vertex));
    let mut low = engine.vertex_filter(&all, |vertex| rest.number(vertex) < k);
    let iterations = loop {
        engine.checkpoint("core", |state| {
            state.frontier(&mut low)?;
            rest.visit(state)
        })?;
        let counts = low.is_empty();
        low = match counts {
            true => rest.count_doubtful(engine, neighbourhoods, space)?,
            false => rest.remove(engine, &low, directed)?,
        };
        let iterations = engine.end_iteration(None);
        if counts && low.is_empty() {
            break iterations;
        }
    };
    let value = |vertex| if rest.left.contains(vertex) { k } else { UNREACHED };
    engine.vertex_map(&all, |vertex| rest.numbers[vertex as usize].store(value(vertex), Relaxed));
    let numbers = Values::Count(rest.numbers.map(AtomicU32::into_inner));
    Ok(Outcome::new(vec![Column::new("core_number", numbers)], iterations))
}

/// The graph that is left.
struct Rest {
    /// Upper bound of the number of remaining neighbors per vertex; a lower bound for counted vertices.
    numbers: VertexValues<AtomicU32>,
    left: BitSet,
    counted: BitSet,
    /// Vertices that may have fewer than `k` neighbours.
    doubtful: FrontierBuilder,
    k: u32,
    /// Smallest upper bound that proves `k` neighbors.
    enough: u32,
}

impl Rest {
    fn new(entries: VertexValues<u32>, k: u32, copies: u32) -> Self {
        let vertices = number_from(entries.len());
        Self {
            numbers: entries.map(AtomicU32::new),
            left: BitSet::full(vertices),
            counted: BitSet::empty(vertices),
            doubtful: FrontierBuilder::new(vertices),
            k,
            enough: k.saturating_sub(1).saturating_mul(copies).saturating_add(1),
        }
    }

    /// Shows what a round begins with.
    fn visit(&mut self, state: &mut State<'_>) -> Result<()> {
        let mut doubtful = self.doubtful.take();
        let shown = state.frontier(&mut doubtful);
        doubtful.for_each(|vertex| self.doubtful.add(vertex));
        shown?;
        state.members(&mut self.left)?;
        state.members(&mut self.counted)?;
        state.shared(&self.numbers)
    }

    /// True if entries alone do not say whether a vertex has `k` neighbours.
    fn is_doubtful(&self, vertex: VertexId) -> bool {
        (self.k..self.enough).contains(&self.number(vertex))
    }

    #[inline]
    fn number(&self, vertex: VertexId) -> u32 {
        self.numbers[vertex as usize].load(Relaxed)
    }

    /// Notes that a vertex is to be counted; that it is not to be removed.
    fn doubt(&self, vertex: VertexId) -> bool {
        self.doubtful.add(vertex);
        false
    }

    /// Removes vertices; those that have too few entries then.
    fn remove(&self, engine: &Engine<'_>, low: &VertexSet, directed: bool) -> Result<VertexSet> {
        engine.vertex_map(low, |vertex| self.left.remove(vertex));
        let along =
            |along| EdgeMapOptions { output: EdgeMapOutput::Frontier, along, dense: Dense::PushSweep, large: 20 };
        let next = engine.edge_map(low, self, along(Direction::Out))?;
        Ok(if directed { next.union(engine.edge_map(low, self, along(Direction::In))?) } else { next })
    }

    /// Counts the neighbours of those who may have too few; those who have.
    fn count_doubtful(
        &mut self,
        engine: &Engine<'_>,
        neighbourhoods: &Neighbourhoods<'_>,
        space: &HeldSpace,
    ) -> Result<VertexSet> {
        let doubtful = self.doubtful.take();
        let doubtful = engine.vertex_filter(&doubtful, |vertex| self.left.contains(vertex));
        engine.vertex_map(&doubtful, |vertex| {
            self.numbers[vertex as usize].store(0, Relaxed);
            self.counted.insert(vertex);
        });
        let most = self.k.saturating_mul(SLACK).min(self.k.max(number_from(space.longest())));
        let count = Count { rest: self, most };
        engine.note_visit(Some(&doubtful));
        neighbourhoods.visit(&doubtful, space, |_| most, &count)?;
        Ok(engine.vertex_filter(&doubtful, |vertex| self.number(vertex) < self.k))
    }
}

/// A removed vertex takes an entry from a neighbour: whether that has too few then.
impl EdgeMap for Rest {
    #[inline]
    fn update_atomic(&self, _: VertexId, target: VertexId, _: f64) -> bool {
        let before = self.numbers[target as usize].fetch_sub(1, Relaxed);
        match before == self.k {
            true if self.counted.contains(target) => self.doubt(target),
            false if before == self.enough => self.doubt(target),
            falls => falls,
        }
    }

    #[inline]
    fn cond(&self, target: VertexId) -> bool {
        self.left.contains(target)
    }
}

/// Counts neighbours that are left.
struct Count<'r> {
    rest: &'r Rest,
    most: u32,
}

impl VisitNeighbours for Count<'_> {
    #[inline]
    fn keeps(&self, _: VertexId, neighbour: VertexId) -> bool {
        self.rest.left.contains(neighbour)
    }

    #[inline]
    fn enough(&self, vertex: VertexId, more: usize) -> bool {
        u64::from(self.rest.number(vertex)) + more as u64 >= u64::from(self.most)
    }

    #[inline]
    fn neighbours(&self, vertex: VertexId, part: &[VertexId]) {
        self.rest.numbers[vertex as usize].fetch_add(part.len() as u32, Relaxed);
    }
}
