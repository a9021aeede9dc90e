//! Breadth-first search.
//!
//! Definition: the distance of a vertex is the least number of edges of a path from any source along the edges' direction; its
//! predecessor is, of the in-neighbours one step nearer, the one with the smallest original id.
//! Paper: direction-optimising BFS, Beamer, Asanović and Patterson, SC 2012, as an edge map of Ligra.
//! Returns: `distance` u32 in edges, `predecessor` as an original id; null where unreached, and for the sources' predecessors.
//! Memory: 8 bytes a vertex, frontiers, both indexes. Passes over the edges: each list at most once pushing, and part of the
//! in-lists once for each pulling iteration. Deviations: none; the answer does not depend on threads, order or layout.

use crate::outcome::{Column, Outcome, Values};
use crate::search::levels::{LevelSearch, by_levels};
use crate::{IdOrder, UNREACHED};
use outcrop_engine::{EdgeMap, Engine};
use outcrop_types::{MemoryPlan, Purpose, Result, VertexId, VertexSet, VertexValues};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Memory of a search over `vertices` vertices, but for the indexes.
pub fn memory(vertices: u32) -> MemoryPlan {
    MemoryPlan::new().with(Purpose::VertexValues, 2 * VertexValues::<u32>::bytes(u64::from(vertices)))
}

/// Searches from `sources` until nothing new is found.
///
/// # Errors
/// A failed or damaged read, a budget that is too small, interruption.
pub fn bfs(engine: &Engine<'_>, sources: &[VertexId], ranks: IdOrder<'_>) -> Result<Outcome> {
    let unreached = || {
        let count = engine.vertices() as usize;
        VertexValues::new(engine.budget(), Purpose::VertexValues, count, |_| AtomicU32::new(UNREACHED))
    };
    let mut search = Search { distance: unreached()?, predecessor: unreached()?, level: 0, ranks, iterations: 0 };
    sources.iter().for_each(|source| search.distance[*source as usize].store(0, Relaxed));
    by_levels(engine, &mut search, VertexSet::from_members(sources.to_vec(), engine.vertices()))?;
    let columns = vec![
        Column::new("distance", Values::Count(search.distance.map(AtomicU32::into_inner))),
        Column::new("predecessor", Values::Node(search.predecessor.map(AtomicU32::into_inner))),
    ];
    Ok(Outcome::new(columns, search.iterations))
}

struct Search<'r> {
    distance: VertexValues<AtomicU32>,
    predecessor: VertexValues<AtomicU32>,
    /// The distance of the vertices that are found now.
    level: u32,
    ranks: IdOrder<'r>,
    iterations: u32,
}

impl Search<'_> {
    fn found_now(&self, vertex: VertexId) -> bool {
        self.distance[vertex as usize].load(Relaxed) == self.level
    }
}

impl LevelSearch for Search<'_> {
    fn begin_level(&mut self, distance: u32) -> Result<()> {
        self.level = distance;
        Ok(())
    }

    fn end_level(&mut self, engine: &Engine<'_>, _: &VertexSet) {
        self.iterations = engine.end_iteration(None);
    }
}

impl EdgeMap for Search<'_> {
    #[inline]
    fn update(&self, source: VertexId, target: VertexId, _: f64) -> bool {
        let predecessor = &self.predecessor[target as usize];
        predecessor.store(predecessor.load(Relaxed).min(self.ranks.of(source)), Relaxed);
        let first = !self.found_now(target);
        self.distance[target as usize].store(self.level, Relaxed);
        first
    }

    #[inline]
    fn update_atomic(&self, source: VertexId, target: VertexId, _: f64) -> bool {
        self.predecessor[target as usize].fetch_min(self.ranks.of(source), Relaxed);
        self.distance[target as usize].compare_exchange(UNREACHED, self.level, Relaxed, Relaxed).is_ok()
    }

    /// Vertices found in this iteration still look for a smaller predecessor.
    #[inline]
    fn cond(&self, target: VertexId) -> bool {
        let distance = self.distance[target as usize].load(Relaxed);
        distance == UNREACHED || distance == self.level
    }

    /// In-neighbours ascend by vertex, and so by rank in original order: the first hit is the smallest.
    #[inline]
    fn settled(&self, target: VertexId) -> bool {
        self.ranks.ascending() && self.found_now(target)
    }
}
