//! Strongly connected components.
//!
//! Definition: two vertices are in one component if there are paths from each to the other along the edges' direction;
//! a component is named by its smallest original ID. In an undirected graph, components are the connected ones.
//!
//! Paper: Slota, Rajamanickam and Madduri, IPDPS 2014 (Multistep), in four steps:
//!
//! 1. trimming: vertices without in-edges or without out-edges are components, and are removed repeatedly;
//! 2. forward and backward search from the vertex with the most edges finds the largest component (Fleischer,
//!    Hendrickson and Pınar, 2000);
//! 3. if the remaining edges fit the memory for in-memory lists: Tarjan, SIAM J. Comput. 1972;
//! 4. otherwise coloring (Orzan, 2004): colors propagate along edges, the smallest wins, and the vertices with the
//!    color of a vertex that reach it are its component.
//!
//! Returns: `component`, an original ID, never null.
//!
//! Memory: 12 bytes per vertex, three quarters of a byte of frontiers and marks, both indexes; with Tarjan's algorithm
//! also 8 bytes per vertex, 12 per remaining vertex, and 4 per remaining edge, from the memory for in-memory lists.
//!
//! Passes over the edges: the lists of a vertex once when it is trimmed, once per search that finds it, once to load
//! them into memory, and once per round in which its color changes.
//!
//! Deviations: trimming and searches end after 256 rounds, so that long paths do not take one round per vertex if
//! memory suffices for Tarjan's algorithm. Colors are compared by a hash that changes between colorings, and later
//! colors stay within the regions of earlier ones: about log n colorings are expected, while comparing IDs may need as
//! many as there are components in a row. The result does not depend on memory, threads, order or layout.

use super::coloring::COLORING;
use super::search::Search;
use crate::IdOrder;
use crate::outcome::{Column, InMemoryListBytes, Outcome, Values};
use crate::search::push::push;
use outcrop_engine::Engine;
use outcrop_store::access::Adjacency;
use outcrop_types::{BitSet, Direction, MemoryPlan, Purpose, Result, VertexId, VertexValues};
use std::cmp::Reverse;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Number of rounds of trimming or searching after which the graph is considered long.
const MOST_ROUNDS: u32 = 256;

/// Returns the memory for `vertices` vertices, including the degrees of both directions but without frontiers, the
/// indexes and in-memory lists.
pub fn memory(vertices: u32) -> MemoryPlan {
    let numbers = VertexValues::<u32>::bytes(u64::from(vertices));
    MemoryPlan::new()
        .with(Purpose::VertexValues, numbers)
        .with(Purpose::Degrees, 2 * numbers)
        .with(Purpose::Frontier, 2 * BitSet::bytes(vertices))
}

/// Returns the memory of in-memory lists.
pub const fn in_memory_list_bytes(vertices: u32, arcs: u64, slots: usize) -> InMemoryListBytes {
    InMemoryListBytes { least: 0, most: super::serial::bytes(vertices, vertices, arcs, 1 << 20, slots) }
}

/// Finds components, with `held` bytes for lists. `into` is the same as `out` in an undirected graph.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, or if the run is interrupted.
pub fn scc(
    engine: &Engine<'_>,
    out: &dyn Adjacency,
    into: &dyn Adjacency,
    out_degrees: VertexValues<u32>,
    in_degrees: VertexValues<u32>,
    ranks: IdOrder<'_>,
    held: u64,
) -> Result<Outcome> {
    let vertices = engine.vertices();
    let _marks = engine.budget().reserve(2 * BitSet::bytes(vertices), Purpose::Frontier)?;
    let mut search = Search::new(engine, out, into, out_degrees, in_degrees, ranks)?;
    let resumes = engine.resumes_at(COLORING);
    let mut iterations = 0;
    if !resumes {
        search.trim()?;
        iterations = engine.end_iteration(None);
        if search.find_largest()? {
            iterations = engine.end_iteration(None);
        }
    }
    if search.is_unfinished() {
        let serially = !resumes && search.finish_serially(held)?;
        iterations = if serially { engine.end_iteration(None) } else { search.color()? };
    }
    Ok(Outcome::new(
        vec![Column::new("component", Values::Node(search.component.map(AtomicU32::into_inner)))],
        iterations,
    ))
}

impl Search<'_, '_> {
    fn trim(&self) -> Result<()> {
        let mut trimmed = self.left_that(|search, vertex| {
            let none = |left: &[AtomicU32]| left[vertex as usize].load(Relaxed) == 0;
            none(&search.out_left) || none(&search.in_left)
        })?;
        self.engine.vertex_map(&trimmed, |vertex| _ = self.take_out(vertex));
        for _ in 0..MOST_ROUNDS {
            if trimmed.is_empty() {
                break;
            }
            trimmed = self.engine.collect(|next| {
                let drop_edge = |left: &[AtomicU32], vertex: VertexId| {
                    if left[vertex as usize].fetch_sub(1, Relaxed) == 1 && self.take_out(vertex) {
                        next.add(vertex);
                    }
                };
                push(self.engine, self.out, &trimmed, &|_, target| drop_edge(&self.in_left, target))?;
                push(self.engine, self.into, &trimmed, &|_, source| drop_edge(&self.out_left, source))
            })?;
        }
        Ok(())
    }

    /// Finds the component of the vertex with the most edges; returns true if that took few rounds.
    fn find_largest(&mut self) -> Result<bool> {
        let Some(pivot) = self.most_edges() else { return Ok(false) };
        let left = |vertex| self.is_left(vertex);
        if !self.reach(pivot, Direction::Out, MOST_ROUNDS, &self.reached, left)? {
            self.reached.clear();
            return Ok(false);
        }
        let reached = |vertex| self.reached.contains(vertex);
        let found = self.reach(pivot, Direction::In, MOST_ROUNDS, &self.reaching, reached)?;
        if found {
            self.name_reaching(pivot);
        }
        self.reaching.clear();
        Ok(found)
    }

    /// Returns the remaining vertex with the most edges.
    fn most_edges(&self) -> Option<VertexId> {
        let edges = |vertex: VertexId| {
            let [out, into] =
                [&self.out_left, &self.in_left].map(|left| u64::from(left[vertex as usize].load(Relaxed)));
            (out * into, Reverse(vertex))
        };
        let most = self.of_blocks(|left| left.map(edges).max()).into_iter().flatten().max();
        most.map(|(_, Reverse(vertex))| vertex)
    }

    /// Makes a component of `pivot` and the other vertices found by the backward search.
    fn name_reaching(&self, pivot: VertexId) {
        let found = |vertex: &VertexId| self.reaching.contains(*vertex);
        let least = self.of_blocks(|left| left.filter(found).map(|vertex| self.ranks.of(vertex)).min());
        let name = least.into_iter().flatten().fold(self.ranks.of(pivot), u32::min);
        self.of_blocks(|left| {
            left.filter(found).for_each(|vertex| self.component[vertex as usize].store(name, Relaxed));
        });
    }
}
