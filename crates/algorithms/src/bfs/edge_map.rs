//! Breadth-first search.
//!
//! Definition: the distance of a vertex is the minimum number of edges on a path from any source along the edges'
//! direction; its predecessor is the first in store order of the in-neighbors that are one step nearer.
//!
//! Paper: direction-optimizing BFS, Beamer, Asanović and Patterson, SC 2012, as an edge map of Ligra.
//!
//! Returns: `distance` u32 in edges, `predecessor` as an original ID; null if unreached, and for the sources'
//! predecessors.
//!
//! Memory: 8 bytes per vertex, frontiers, both indexes.
//!
//! Passes over the edges: each list at most once when pushing, and part of the in-lists once per pulling iteration:
//! scanning a list stops at the first reached neighbor.
//!
//! Deviations: none; distances depend only on the graph, predecessors also on the order of the store, and neither on
//! threads, schedule or layout.

use super::repair;
use crate::outcome::{Column, Outcome, Values};
use crate::search::levels::{LevelSearch, by_levels};
use crate::{IdOrder, UNREACHED};
use outcrop_engine::{EdgeMap, Engine, State};
use outcrop_types::{
    MemoryPlan, ProgressUnit, Purpose, Result, RunEnd, VertexId, VertexSet, VertexValues, length_from,
};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Returns the memory of a search over `vertices` vertices, without the indexes.
pub fn memory(vertices: u32) -> MemoryPlan {
    MemoryPlan::new().with(Purpose::VertexValues, 2 * VertexValues::<u32>::bytes(u64::from(vertices)))
}

/// Searches from `sources` until nothing new is found.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, or if the run is interrupted.
pub fn bfs(engine: &Engine<'_>, sources: &[VertexId], ranks: IdOrder<'_>) -> Result<Outcome> {
    engine.set_end(reached_of(engine.vertices()));
    let unreached = || engine.vertex_values(|_| AtomicU32::new(UNREACHED));
    let mut search = Search { distance: unreached()?, predecessor: unreached()?, level: 0, iterations: 0, reached: 0 };
    if !search.start_from_result(engine, sources)? {
        search.reached = length_from(sources.len());
        sources.iter().for_each(|source| search.distance[*source as usize].store(0, Relaxed));
        by_levels(engine, &mut search, VertexSet::from_members(sources.to_vec(), engine.vertices()))?;
    }
    engine.save_result(|state| search.visit(state))?;
    let mut predecessor = search.predecessor.map(AtomicU32::into_inner);
    ranks.rank(&mut predecessor, engine.workers());
    let columns = vec![
        Column::new("distance", Values::Count(search.distance.map(AtomicU32::into_inner))),
        Column::new("predecessor", Values::Node(predecessor)),
    ];
    Ok(Outcome::new(columns, search.iterations))
}

/// Returns the end of a search for observers: at most all vertices are reached.
pub(super) fn reached_of(vertices: u32) -> RunEnd {
    RunEnd::Count { unit: ProgressUnit::Vertices, total: vertices.into(), at_most: true }
}

struct Search {
    distance: VertexValues<AtomicU32>,
    /// Predecessors, as vertices.
    predecessor: VertexValues<AtomicU32>,
    /// Distance of the vertices found in this step.
    level: u32,
    iterations: u32,
    /// Number of reached vertices, for observers.
    reached: u64,
}

impl Search {
    /// Serializes the result, with predecessors as vertices.
    fn visit(&self, state: &mut State<'_>) -> Result<()> {
        state.by_vertex(&self.distance)?;
        state.by_vertex(&self.predecessor)?;
        let vertices = self.predecessor.len() as VertexId;
        let exists = |vertex: VertexId| vertex < vertices || vertex == UNREACHED;
        state.require(self.predecessor.iter().all(|vertex| exists(vertex.load(Relaxed))))
    }

    /// Resumes from the previous result; returns false if there is none or everything must be recomputed.
    fn start_from_result(&mut self, engine: &Engine<'_>, sources: &[VertexId]) -> Result<bool> {
        let Some(changes) = engine.restore_result(|state| self.visit(state))? else { return Ok(false) };
        let distance = std::mem::replace(
            &mut self.distance,
            VertexValues::new(engine.budget(), Purpose::VertexValues, 0, |_| AtomicU32::new(0))?,
        );
        let (distance, rounds) = repair::repair_result(engine, distance, &self.predecessor, sources, changes)?;
        self.distance = distance;
        self.iterations = rounds.unwrap_or(0);
        if rounds.is_none() {
            let unreached = |values: &[AtomicU32]| values.iter().for_each(|value| value.store(UNREACHED, Relaxed));
            unreached(&self.distance);
            unreached(&self.predecessor);
        }
        Ok(rounds.is_some())
    }

    fn found_now(&self, vertex: VertexId) -> bool {
        self.distance[vertex as usize].load(Relaxed) == self.level
    }
}

impl LevelSearch for Search {
    fn begin_level(&mut self, distance: u32) -> Result<()> {
        self.level = distance;
        Ok(())
    }

    fn checkpoint(&mut self, engine: &Engine<'_>, depth: &mut u32, farthest: &mut VertexSet) -> Result<()> {
        engine.checkpoint("levels", |state| {
            state.number(&mut self.iterations)?;
            state.number(&mut self.reached)?;
            state.number(depth)?;
            state.frontier(farthest)?;
            state.shared(&self.distance)?;
            state.shared(&self.predecessor)
        })
    }

    fn end_level(&mut self, engine: &Engine<'_>, found: &VertexSet) {
        self.reached += length_from(found.len());
        engine.set_done(self.reached);
        self.iterations = engine.end_iteration(None);
    }
}

impl EdgeMap for Search {
    #[inline]
    fn update(&self, source: VertexId, target: VertexId, _: f64) -> bool {
        self.predecessor[target as usize].store(source, Relaxed);
        self.distance[target as usize].store(self.level, Relaxed);
        true
    }

    #[inline]
    fn update_atomic(&self, source: VertexId, target: VertexId, _: f64) -> bool {
        let predecessor = &self.predecessor[target as usize];
        if predecessor.load(Relaxed) > source {
            predecessor.fetch_min(source, Relaxed);
        }
        let distance = &self.distance[target as usize];
        distance.load(Relaxed) == UNREACHED
            && distance.compare_exchange(UNREACHED, self.level, Relaxed, Relaxed).is_ok()
    }

    /// Returns true for unreached vertices, and for those reached in this iteration, whose predecessor may still
    /// shrink.
    #[inline]
    fn cond(&self, target: VertexId) -> bool {
        let distance = self.distance[target as usize].load(Relaxed);
        distance == UNREACHED || distance == self.level
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
