//! Core of a single `k`.
//!
//! The number of entries in both lists of a vertex is at least its number of neighbors, so it is removed once it has
//! fewer than `k`: each removed vertex takes its entries from its neighbors along both of its lists. Without duplicate
//! edges and loops, a neighbor occurs once per list, so a vertex with 2k - 1 entries has `k` neighbors. The neighbors
//! of vertices in between are counted, up to `SLACK` times `k`: from then on the number is a lower bound, and it is
//! counted again when it falls below `k`.

use crate::UNREACHED;
use crate::outcome::{Column, Outcome, Values};
use outcrop_engine::neighborhood::{NeighborhoodBuffer, Neighborhoods, VisitNeighbors};
use outcrop_engine::{Dense, EdgeMap, EdgeMapOptions, EdgeMapOutput, Engine, FrontierBuilder, State};
use outcrop_types::{BitSet, Direction, MemoryPlan, Purpose, Result, VertexId, VertexSet, VertexValues, number_from};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Limit of counting neighbors, as a multiple of `k`.
const SLACK: u32 = 4;

/// Returns the memory for `vertices` vertices, including the degrees of both directions but without the indexes,
/// frontiers and in-memory lists.
pub(super) fn memory(vertices: u32) -> MemoryPlan {
    let numbers = VertexValues::<u32>::bytes(u64::from(vertices));
    MemoryPlan::new().with(Purpose::Degrees, 2 * numbers).with(Purpose::Frontier, frontier_bytes(vertices))
}

/// Returns the memory of the vertex sets, in bytes: all, remaining, counted, being removed, to be removed next, to be
/// counted.
const fn frontier_bytes(vertices: u32) -> u64 {
    3 * BitSet::bytes(vertices) + 2 * VertexSet::bytes(vertices) + FrontierBuilder::bytes(vertices)
}

/// Finds the core of `k` neighbors. `entries` are those of the lists of both directions; a `simple` graph has no
/// duplicate edges and no loops.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, or if the run is interrupted.
pub(super) fn one_core(
    engine: &Engine<'_>,
    neighborhoods: &Neighborhoods<'_>,
    entries: VertexValues<u32>,
    k: u32,
    simple: bool,
    space: &NeighborhoodBuffer,
) -> Result<Outcome> {
    let _frontiers = engine.budget().reserve(frontier_bytes(engine.vertices()), Purpose::Frontier)?;
    let (all, directed) = (VertexSet::all(engine.vertices()), neighborhoods.directed());
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
            true => rest.count_doubtful(engine, neighborhoods, space)?,
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

/// Remaining graph.
struct Rest {
    /// Upper bound of the number of remaining neighbors per vertex; a lower bound for counted vertices.
    numbers: VertexValues<AtomicU32>,
    left: BitSet,
    counted: BitSet,
    /// Vertices that may have fewer than `k` neighbors.
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

    /// Serializes the state at the start of a round.
    fn visit(&mut self, state: &mut State<'_>) -> Result<()> {
        let mut doubtful = self.doubtful.take();
        let shown = state.frontier(&mut doubtful);
        doubtful.for_each(|vertex| self.doubtful.add(vertex));
        shown?;
        state.members(&mut self.left)?;
        state.members(&mut self.counted)?;
        state.shared(&self.numbers)
    }

    /// Returns true if entries do not determine whether a vertex has `k` neighbors.
    fn is_doubtful(&self, vertex: VertexId) -> bool {
        (self.k..self.enough).contains(&self.number(vertex))
    }

    #[inline]
    fn number(&self, vertex: VertexId) -> u32 {
        self.numbers[vertex as usize].load(Relaxed)
    }

    /// Marks a vertex for counting; returns false, since it is not to be removed.
    fn doubt(&self, vertex: VertexId) -> bool {
        self.doubtful.add(vertex);
        false
    }

    /// Removes vertices; returns those that have too few entries afterwards.
    fn remove(&self, engine: &Engine<'_>, low: &VertexSet, directed: bool) -> Result<VertexSet> {
        engine.vertex_map(low, |vertex| self.left.remove(vertex));
        let along =
            |along| EdgeMapOptions { output: EdgeMapOutput::Frontier, along, dense: Dense::PushSweep, large: 20 };
        let next = engine.edge_map(low, self, along(Direction::Out))?;
        Ok(if directed { next.union(engine.edge_map(low, self, along(Direction::In))?) } else { next })
    }

    /// Counts the neighbors of doubtful vertices; returns those with too few.
    fn count_doubtful(
        &mut self,
        engine: &Engine<'_>,
        neighborhoods: &Neighborhoods<'_>,
        space: &NeighborhoodBuffer,
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
        neighborhoods.visit(&doubtful, space, |_| most, &count)?;
        Ok(engine.vertex_filter(&doubtful, |vertex| self.number(vertex) < self.k))
    }
}

/// Removes one entry of a neighbor of a removed vertex; returns true if it then has too few.
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

/// Counts remaining neighbors.
struct Count<'r> {
    rest: &'r Rest,
    most: u32,
}

impl VisitNeighbors for Count<'_> {
    #[inline]
    fn keeps(&self, _: VertexId, neighbor: VertexId) -> bool {
        self.rest.left.contains(neighbor)
    }

    #[inline]
    fn enough(&self, vertex: VertexId, more: usize) -> bool {
        u64::from(self.rest.number(vertex)) + more as u64 >= u64::from(self.most)
    }

    #[inline]
    fn neighbors(&self, vertex: VertexId, part: &[VertexId]) {
        self.rest.numbers[vertex as usize].fetch_add(part.len() as u32, Relaxed);
    }
}
