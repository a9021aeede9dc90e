//! Breadth-first search.
//!
//! Definition: the distance of a vertex is the minimum number of edges on a path from any source along the edges'
//! direction; its predecessor is the first in store order of the in-neighbors that are one step nearer.
//!
//! Paper: direction-optimizing BFS, Beamer, Asanović and Patterson, SC 2012, as an edge map of Ligra.
//!
//! Returns: `distance` u32 in edges and, if requested, `predecessor` as an original ID; null if unreached, and for the
//! sources' predecessors.
//!
//! Memory: 1 byte per vertex, 2 after 254 levels, and 4 after 65,534; 4 for predecessors; frontiers, both indexes. A
//! graph of up to 65,535 vertices starts with 2 bytes, and an incremental run with 4.
//!
//! Passes over the edges: each list at most once when pushing, and part of the in-lists once per pulling iteration:
//! scanning a list stops at the first reached neighbor.
//!
//! Deviations: none; distances depend only on the graph, predecessors also on the order of the store, and neither on
//! threads, schedule or layout.

use super::repair;
use crate::outcome::{Column, Outcome, Values};
use crate::plan::EdgeMapWork;
use crate::search::distances::Level;
use crate::search::levels::{LevelSearch, Reach, by_levels};
use crate::{IdOrder, UNREACHED};
use outcrop_engine::{EdgeMap, Engine, State};
use outcrop_types::{
    Error, MemoryNeed, MemoryPlan, ProgressUnit, Purpose, Result, RunEnd, VertexId, VertexSet, VertexValues,
    length_from,
};
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, Ordering::Relaxed};

/// Number of vertices up to which two bytes hold every distance.
const SHORT: u32 = u16::MAX as u32;

/// Greatest distance in one byte.
const BYTE: u32 = u8::MAX as u32 - 1;

/// Returns the needs of a search over `vertices` vertices, incremental or not, with predecessors if requested; without
/// the indexes and the sets of an incremental run.
pub fn work(vertices: u32, incremental: bool, predecessors: bool) -> EdgeMapWork {
    let [byte, short, word] = [1, 2, 4].map(|bytes| bytes * u64::from(vertices));
    let (distances, growth) = match vertices {
        _ if incremental => (word, 0),
        ..=SHORT => (short, 0),
        // While distances are widened, both arrays are in memory.
        _ => (byte, short + word - byte),
    };
    let values = distances + if predecessors { word } else { 0 };
    EdgeMapWork { growth, ..MemoryPlan::new().with(Purpose::VertexValues, values).into() }
}

/// Returns the bytes of a distance at the start of a search up to `cutoff` edges: those of the greatest one, or a byte
/// if there is no cutoff.
const fn bytes_at_start(vertices: u32, cutoff: u32) -> u64 {
    match cutoff {
        _ if vertices <= SHORT => 2,
        ..=BYTE | u32::MAX => 1,
        _ if cutoff < SHORT => 2,
        _ => 4,
    }
}

/// Returns the needs of a search up to `cutoff` edges, like [`work`]: distances have their final width from the start.
pub fn work_within(vertices: u32, cutoff: u32, predecessors: bool) -> EdgeMapWork {
    let values = bytes_at_start(vertices, cutoff) + if predecessors { 4 } else { 0 };
    MemoryPlan::new().with(Purpose::VertexValues, values * u64::from(vertices)).into()
}

/// Searches from `sources` until nothing new is found, and returns predecessors if `ranks` are given; if `incremental`,
/// starts from the previous result, which needs a `cutoff` of [`u32::MAX`]. Vertices farther away than `cutoff` edges
/// are not searched for. Distances may take `growth` bytes beyond [`work`].
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, or if the run is interrupted.
pub fn bfs(
    engine: &Engine<'_>,
    sources: &[VertexId],
    ranks: Option<IdOrder<'_>>,
    incremental: bool,
    cutoff: u32,
    growth: u64,
) -> Result<Outcome> {
    engine.set_end(reached_of(engine.vertices()));
    let predecessor = ranks.map(|_| engine.vertex_values(|_| AtomicU32::new(UNREACHED))).transpose()?;
    match bytes_at_start(engine.vertices(), cutoff) {
        _ if incremental => repaired(engine, sources, predecessor, ranks),
        4 => {
            let search = Search { cutoff, ..Search::<AtomicU32>::begin(engine, sources, predecessor)? };
            finish(engine, search, reach_of(engine, sources), ranks, growth)
        }
        2 => {
            let search = Search { cutoff, ..Search::<AtomicU16>::begin(engine, sources, predecessor)? };
            finish(engine, search, reach_of(engine, sources), ranks, growth)
        }
        _ => {
            let search = Search { cutoff, ..Search::<AtomicU8>::begin(engine, sources, predecessor)? };
            finish(engine, search, reach_of(engine, sources), ranks, growth)
        }
    }
}

/// Returns the extent of a search that has found only its sources.
fn reach_of(engine: &Engine<'_>, sources: &[VertexId]) -> Reach {
    VertexSet::from_members(sources.to_vec(), engine.vertices()).into()
}

/// Starts from the previous result, if there is one and it can be repaired; stores the new one.
fn repaired(
    engine: &Engine<'_>,
    sources: &[VertexId],
    predecessor: Option<VertexValues<AtomicU32>>,
    ranks: Option<IdOrder<'_>>,
) -> Result<Outcome> {
    let mut search = Search::<AtomicU32>::begin(engine, &[], predecessor)?;
    if !search.start_from_result(engine, sources)? {
        search.reach(sources);
        by_levels(engine, &mut search, reach_of(engine, sources))?;
    }
    engine.save_result(|state| search.visit(state))?;
    Ok(search.into_outcome(engine, ranks))
}

/// Searches from `reach` on until nothing new is found, and widens distances when necessary.
fn finish<D: Level>(
    engine: &Engine<'_>,
    mut search: Search<D>,
    mut reach: Reach,
    ranks: Option<IdOrder<'_>>,
    growth: u64,
) -> Result<Outcome> {
    let resumes_later = [AtomicU16::PLACE, AtomicU32::PLACE].iter().any(|place| engine.resumes_at(place));
    if !resumes_later || engine.resumes_at(D::PLACE) {
        reach = by_levels(engine, &mut search, reach)?;
        if search.fits(reach.depth + 1) || reach.depth >= search.cutoff {
            return Ok(search.into_outcome(engine, ranks));
        }
    }
    finish(engine, search.widen(engine, growth)?, reach, ranks, growth)
}

/// Returns the end of a search for observers: at most all vertices are reached.
pub(super) fn reached_of(vertices: u32) -> RunEnd {
    RunEnd::Count { unit: ProgressUnit::Vertices, total: vertices.into(), at_most: true }
}

struct Search<D> {
    distance: VertexValues<D>,
    /// Predecessors, as vertices, if requested.
    predecessor: Option<VertexValues<AtomicU32>>,
    /// Distance of the vertices found in this step.
    level: u32,
    iterations: u32,
    /// Number of reached vertices, for observers.
    reached: u64,
    /// Greatest distance to search for.
    cutoff: u32,
}

impl<D: Level> Search<D> {
    /// Creates a search in which only `sources` are reached.
    fn begin(engine: &Engine<'_>, sources: &[VertexId], predecessor: Option<VertexValues<AtomicU32>>) -> Result<Self> {
        let distance = engine.vertex_values(|_| D::new(D::UNREACHED))?;
        let mut search = Self { distance, predecessor, level: 0, iterations: 0, reached: 0, cutoff: u32::MAX };
        search.reach(sources);
        Ok(search)
    }

    fn reach(&mut self, sources: &[VertexId]) {
        self.reached = length_from(sources.len());
        sources.iter().for_each(|source| self.distance[*source as usize].set(0));
    }

    /// Converts distances to the next wider type, with `growth` bytes beyond one byte per vertex.
    fn widen(self, engine: &Engine<'_>, growth: u64) -> Result<Search<D::Wider>> {
        let [narrow, wide, one] =
            [size_of::<D>(), size_of::<D::Wider>(), 1].map(|bytes| length_from(bytes * self.distance.len()));
        let need = MemoryNeed { purpose: Purpose::VertexValues, bytes: narrow + wide - one };
        if need.bytes > growth {
            let (budget, plan) = (engine.budget().limit(), MemoryPlan::new());
            return Err(Error::BudgetTooSmall { budget, plan, retry: Some(need), hint: None });
        }
        let Self { distance, predecessor, level, iterations, reached, cutoff } = self;
        let distance = engine.vertex_values(|vertex| distance[vertex as usize].widened())?;
        Ok(Search { distance, predecessor, level, iterations, reached, cutoff })
    }

    fn into_outcome(self, engine: &Engine<'_>, ranks: Option<IdOrder<'_>>) -> Outcome {
        let distance = Column::new("distance", D::into_values(self.distance));
        let predecessor = self.predecessor.zip(ranks).map(|(predecessor, ranks)| {
            let mut predecessor = predecessor.map(AtomicU32::into_inner);
            ranks.rank(&mut predecessor, engine.workers());
            Column::new("predecessor", Values::Node(predecessor))
        });
        Outcome::new([distance].into_iter().chain(predecessor).collect(), self.iterations)
    }

    fn found_now(&self, vertex: VertexId) -> bool {
        self.distance[vertex as usize].get() == self.level
    }
}

impl Search<AtomicU32> {
    /// Serializes the result, with predecessors as vertices.
    fn visit(&self, state: &mut State<'_>) -> Result<()> {
        state.by_vertex(&self.distance)?;
        let Some(predecessor) = &self.predecessor else { return Ok(()) };
        state.by_vertex(predecessor)?;
        let vertices = predecessor.len() as VertexId;
        let exists = |vertex: VertexId| vertex < vertices || vertex == UNREACHED;
        state.require(predecessor.iter().all(|vertex| exists(vertex.load(Relaxed))))
    }

    /// Resumes from the previous result; returns false if there is none or everything must be recomputed.
    fn start_from_result(&mut self, engine: &Engine<'_>, sources: &[VertexId]) -> Result<bool> {
        let Some(changes) = engine.restore_result(|state| self.visit(state))? else { return Ok(false) };
        let distance = std::mem::replace(
            &mut self.distance,
            VertexValues::new(engine.budget(), Purpose::VertexValues, 0, |_| AtomicU32::new(0))?,
        );
        let predecessor = self.predecessor.as_deref();
        let (distance, rounds) = repair::repair_result(engine, distance, predecessor, sources, changes)?;
        self.distance = distance;
        self.iterations = rounds.unwrap_or(0);
        if rounds.is_none() {
            let unreached = |values: &[AtomicU32]| values.iter().for_each(|value| value.store(UNREACHED, Relaxed));
            unreached(&self.distance);
            self.predecessor.iter().for_each(|predecessor| unreached(predecessor));
        }
        Ok(rounds.is_some())
    }
}

impl<D: Level> LevelSearch for Search<D> {
    fn fits(&self, distance: u32) -> bool {
        distance < D::UNREACHED
    }

    fn cutoff(&self) -> u32 {
        self.cutoff
    }

    fn begin_level(&mut self, distance: u32) -> Result<()> {
        self.level = distance;
        Ok(())
    }

    fn checkpoint(&mut self, engine: &Engine<'_>, depth: &mut u32, farthest: &mut VertexSet) -> Result<()> {
        engine.checkpoint(D::PLACE, |state| {
            state.number(&mut self.iterations)?;
            state.number(&mut self.reached)?;
            state.bounded(depth, u64::from(D::UNREACHED) - 2)?;
            state.frontier(farthest)?;
            state.shared(&self.distance)?;
            self.predecessor.iter().try_for_each(|predecessor| state.shared(predecessor))
        })
    }

    fn end_level(&mut self, engine: &Engine<'_>, found: &VertexSet) {
        self.reached += length_from(found.len());
        engine.set_done(self.reached);
        self.iterations = engine.end_iteration(None);
    }
}

impl<D: Level> EdgeMap for Search<D> {
    #[inline]
    fn update(&self, source: VertexId, target: VertexId, _: f64) -> bool {
        if let Some(predecessor) = &self.predecessor {
            predecessor[target as usize].store(source, Relaxed);
        }
        self.distance[target as usize].set(self.level);
        true
    }

    #[inline]
    fn update_atomic(&self, source: VertexId, target: VertexId, _: f64) -> bool {
        if let Some(predecessor) = &self.predecessor {
            let predecessor = &predecessor[target as usize];
            if predecessor.load(Relaxed) > source {
                predecessor.fetch_min(source, Relaxed);
            }
        }
        let distance = &self.distance[target as usize];
        distance.get() == D::UNREACHED && distance.claim(self.level)
    }

    /// Returns true for unreached vertices, and for those reached in this iteration, if their predecessor may still
    /// shrink.
    #[inline]
    fn cond(&self, target: VertexId) -> bool {
        let distance = self.distance[target as usize].get();
        distance == D::UNREACHED || distance == self.level && self.predecessor.is_some()
    }

    /// Returns true once `target` is found at this level: in-neighbors ascend, so the first hit is the smallest.
    #[inline]
    fn settled(&self, target: VertexId) -> bool {
        self.found_now(target)
    }

    fn tries_first(&self) -> bool {
        true
    }
}
