//! Core numbers.
//!
//! Definition: the k-core of a graph is its largest subgraph in which every vertex has at least k neighbors; the core
//! number of a vertex is the largest k whose k-core contains it. The graph is taken as undirected and simple: loops and
//! duplicate edges are ignored, and `u -> v` and `v -> u` are one edge. With `k`, only the k-core is computed
//! (`one_core.rs`), as in Ligra's KCore (Shun and Blelloch, PPoPP 2013): the value is `k` for its vertices.
//!
//! Paper: peeling (Matula and Beck, JACM 1983) in rounds on frontiers, as in Julienne (Dhulipala, Blelloch and Shun,
//! SPAA 2017). In place of Julienne's buckets, each level scans the remaining vertices once for the smallest degree,
//! and rounds within a level only follow frontiers.
//!
//! Returns: `core_number` u32; 0 for vertices without neighbors. With `k`, null for vertices outside the k-core;
//! otherwise never null.
//!
//! Memory: 8 bytes per vertex (the degrees are only needed while neighbors are counted), at most a byte of frontiers,
//! both indexes, and in-memory lists to merge out- and in-lists.
//!
//! Passes over the edges: every list once to count neighbors, and the lists of a vertex once when it is removed. With
//! `k`, the lists of a vertex once when it is removed, and once for those that may have fewer than `k` neighbors
//! although their lists have at least `k` entries: in a graph without duplicate edges and loops, fewer than 2k.
//!
//! Deviations: none; the result does not depend on threads, order or layout.

use crate::outcome::{Column, Outcome, Values};
use outcrop_engine::neighborhood::{CountNeighbors, NeighborhoodBuffer, Neighborhoods, VisitNeighbors};
use outcrop_engine::{Engine, FrontierBuilder};
use outcrop_store::access::Workers;
use outcrop_types::{
    BitSet, MemoryPlan, ProgressUnit, Purpose, Result, RunEnd, VertexId, VertexSet, VertexValues, number_from,
};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Returns the memory for `vertices` vertices, including the degrees but without the indexes and in-memory lists.
pub fn memory(vertices: u32) -> MemoryPlan {
    let numbers = VertexValues::<u32>::bytes(u64::from(vertices));
    MemoryPlan::new()
        .with(Purpose::VertexValues, numbers)
        .with(Purpose::Degrees, numbers)
        .with(Purpose::Frontier, frontier_bytes(vertices))
}

/// Returns the memory of the remaining vertices, those being removed, and those to be removed next.
const fn frontier_bytes(vertices: u32) -> u64 {
    BitSet::bytes(vertices) + VertexSet::bytes(vertices) + FrontierBuilder::bytes(vertices)
}

/// Removes vertices in ascending order of their degree; `space` is for lists.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, or if the run is interrupted.
pub fn kcore(
    engine: &Engine<'_>,
    neighborhoods: &Neighborhoods<'_>,
    out_degrees: VertexValues<u32>,
    space: &NeighborhoodBuffer,
) -> Result<Outcome> {
    let vertices = engine.vertices();
    let _frontiers = engine.budget().reserve(frontier_bytes(vertices), Purpose::Frontier)?;
    let numbers = engine.vertex_values(|_| AtomicU32::new(0))?;
    let left = BitSet::full(vertices);
    let mut peel = Peel { numbers, left, next: FrontierBuilder::new(vertices), level: 0 };
    let degree = |vertex: VertexId| out_degrees[vertex as usize];
    let mut iterations = 0;
    if !engine.resumes_at("cores") {
        engine.note_visit(None);
        neighborhoods.visit(&VertexSet::all(vertices), space, degree, &CountNeighbors(&peel.numbers))?;
        iterations = engine.end_iteration(None);
    }
    drop(out_degrees);
    engine.set_end(RunEnd::Count { unit: ProgressUnit::Vertices, total: vertices.into(), at_most: false });
    // Number of removed vertices, for observers.
    let mut removed = None;
    while let Some(level) = peel.next_level(engine.workers()) {
        peel.level = level;
        let mut low = peel.all_of_level(engine.workers());
        while !low.is_empty() {
            engine.checkpoint("cores", |state| {
                state.number(&mut iterations)?;
                state.number(&mut peel.level)?;
                state.frontier(&mut low)?;
                state.members(&mut peel.left)?;
                state.shared(&peel.numbers)
            })?;
            let before = *removed.get_or_insert_with(|| vertices - peel.left.count());
            engine.set_done(before.into());
            removed = Some(before + number_from::<u32>(low.len()));
            engine.note_visit(Some(&low));
            engine.vertex_map(&low, |vertex| peel.remove(vertex));
            neighborhoods.visit(&low, space, |_| peel.level, &peel)?;
            low = peel.next.take();
            iterations = engine.end_iteration(None);
        }
    }
    engine.set_done(vertices.into());
    let numbers = Values::Count(peel.numbers.map(AtomicU32::into_inner));
    Ok(Outcome::new(vec![Column::new("core_number", numbers)], iterations))
}

/// Remaining graph.
struct Peel {
    /// Number of remaining neighbors; for a removed vertex, its core number.
    numbers: VertexValues<AtomicU32>,
    left: BitSet,
    /// Vertices whose number has fallen to the level.
    next: FrontierBuilder,
    /// Core number of the vertices that are being removed.
    level: u32,
}

/// Number of vertices per unit of work of a thread.
const BLOCK: u32 = 1 << 14;

impl Peel {
    #[inline]
    fn number(&self, vertex: VertexId) -> u32 {
        self.numbers[vertex as usize].load(Relaxed)
    }

    /// Returns the smallest degree of the remaining vertices.
    fn next_level(&self, workers: &Workers) -> Option<u32> {
        let blocks = workers.map_blocks(self.left.universe(), BLOCK, |block| {
            self.left.iter_range(block).map(|vertex| self.number(vertex)).min()
        });
        blocks.into_iter().flatten().min()
    }

    /// Returns the vertices whose degree is at most the level.
    fn all_of_level(&mut self, workers: &Workers) -> VertexSet {
        workers.map_blocks(self.left.universe(), BLOCK, |block| {
            let of_level = |vertex: &VertexId| self.number(*vertex) <= self.level;
            self.left.iter_range(block).filter(of_level).for_each(|vertex| self.next.add(vertex));
        });
        self.next.take()
    }

    fn remove(&self, vertex: VertexId) {
        self.left.remove(vertex);
        self.numbers[vertex as usize].store(self.level, Relaxed);
    }
}

impl VisitNeighbors for Peel {
    #[inline]
    fn keeps(&self, _: VertexId, neighbor: VertexId) -> bool {
        self.left.contains(neighbor)
    }

    #[inline]
    fn neighbors(&self, _: VertexId, part: &[VertexId]) {
        for neighbor in part {
            if self.numbers[*neighbor as usize].fetch_sub(1, Relaxed) == self.level + 1 {
                self.next.add(*neighbor);
            }
        }
    }
}
