//! Core numbers.
//!
//! Definition: the k-core of a graph is its largest part in which every vertex has at least k neighbours; the core number of a
//! vertex is the largest k whose k-core holds it. The graph counts as undirected and simple: loops and repeated edges do not
//! count, and `u -> v` and `v -> u` are one edge. With `k` only cores up to the k-core are told apart: values are the smaller of
//! core number and `k`.
//! Paper: peeling (Matula and Beck, JACM 1983) in rounds on frontiers, as in Julienne (Dhulipala, Blelloch and Shun, SPAA 2017).
//! In place of Julienne's buckets, each level looks once through the vertices that are left for the smallest degree, and rounds
//! within a level go through frontiers only.
//! Returns: `core_number` u32, never null; 0 for vertices without neighbours.
//! Memory: 8 bytes a vertex (the out-degrees are only needed while neighbours are counted), half a byte of frontiers, both indexes,
//! and lists held to bring out- and in-lists together. Passes over the edges: every list once to count neighbours, and the lists
//! of a vertex once when it is removed. With `k`, lists of the k-core are only read until they prove it.
//! Deviations: none; the answer does not depend on threads, order or layout.

use crate::outcome::{Column, HeldBytes, Outcome, Values};
use outcrop_engine::Engine;
use outcrop_engine::edge_map::FrontierBuilder;
use outcrop_engine::neighbourhood::{HeldSpace, Neighbourhoods, VisitNeighbours};
use outcrop_store::access::{Adjacency, Workers};
use outcrop_types::{BitSet, MemoryPlan, Purpose, Result, VertexId, VertexSet, VertexValues};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Memory over `vertices` vertices, the out-degrees included, but for the indexes and held lists.
pub fn memory(vertices: u32) -> MemoryPlan {
    let numbers = VertexValues::<u32>::bytes(u64::from(vertices));
    MemoryPlan::new()
        .with(Purpose::VertexValues, numbers)
        .with(Purpose::Degrees, numbers)
        .with(Purpose::Frontier, frontier_bytes(vertices))
}

/// The vertices that are left, those being removed, and those to be removed next.
const fn frontier_bytes(vertices: u32) -> u64 {
    BitSet::bytes(vertices) + VertexSet::bytes(vertices) + FrontierBuilder::bytes(vertices)
}

/// Memory of held lists. More than the most only makes batches larger: nothing is read twice either way.
pub const fn held_bytes() -> HeldBytes {
    HeldBytes { least: 256 << 10, most: 64 << 20 }
}

/// Removes vertices in ascending order of their degree; `held` bytes are for lists.
///
/// # Errors
/// A failed or damaged read, a budget that is too small, interruption.
pub fn kcore<A: Adjacency>(
    engine: &Engine<'_, A>,
    neighbourhoods: &Neighbourhoods<'_, A>,
    out_degrees: VertexValues<u32>,
    k: Option<u32>,
    held: u64,
) -> Result<Outcome> {
    let (vertices, slots) = (engine.vertices(), engine.workers().slots());
    let _frontiers = engine.budget().reserve(frontier_bytes(vertices), Purpose::Frontier)?;
    let longest = HeldSpace::longest_within(held, slots);
    let space = HeldSpace::new(engine.budget(), held, vertices, longest, slots)?;
    let numbers = VertexValues::new(engine.budget(), Purpose::VertexValues, vertices as usize, |_| AtomicU32::new(0))?;
    let count = Count { degrees: &numbers };
    neighbourhoods.visit(&VertexSet::all(vertices), &space, |vertex| out_degrees[vertex as usize], &count)?;
    drop(out_degrees);
    let mut iterations = engine.end_iteration(None);
    let left = BitSet::full(vertices);
    let mut peel = Peel { numbers, left, next: FrontierBuilder::new(vertices), level: 0 };
    while let Some(least) = peel.least_degree(engine.workers()).filter(|least| k.is_none_or(|k| *least < k)) {
        peel.level = least;
        let mut removed = peel.all_of_level(engine.workers());
        while !removed.is_empty() {
            engine.vertex_map(&removed, |vertex| peel.remove(vertex));
            neighbourhoods.visit(&removed, &space, |_| least, &peel)?;
            removed = peel.next.take();
            iterations = engine.end_iteration(None);
        }
    }
    let most = k.unwrap_or(u32::MAX);
    let numbers = peel.numbers.map(|number| number.into_inner().min(most));
    Ok(Outcome {
        columns: vec![Column { name: "core_number", values: Values::Count(numbers) }],
        iterations,
        convergence: None,
    })
}

/// Counts neighbours.
struct Count<'c> {
    degrees: &'c [AtomicU32],
}

impl VisitNeighbours for Count<'_> {
    fn keeps(&self, _: VertexId, _: VertexId) -> bool {
        true
    }

    fn neighbours(&self, vertex: VertexId, part: &[VertexId]) {
        self.degrees[vertex as usize].fetch_add(part.len() as u32, Relaxed);
    }
}

/// The graph that is left.
struct Peel {
    /// The number of neighbours that are left; of a vertex that was removed, its core number.
    numbers: VertexValues<AtomicU32>,
    left: BitSet,
    /// Vertices whose degree has fallen to the level.
    next: FrontierBuilder,
    /// The core number of the vertices that are removed now.
    level: u32,
}

/// Vertices that a thread takes at once.
const BLOCK: u32 = 1 << 14;

impl Peel {
    /// The smallest degree of the vertices that are left.
    fn least_degree(&self, workers: &Workers) -> Option<u32> {
        let blocks = workers.map_blocks(self.left.universe(), BLOCK, |block| {
            self.left.iter_range(block).map(|vertex| self.numbers[vertex as usize].load(Relaxed)).min()
        });
        blocks.into_iter().flatten().min()
    }

    /// The vertices whose degree is the level, where no degree is less.
    fn all_of_level(&mut self, workers: &Workers) -> VertexSet {
        workers.map_blocks(self.left.universe(), BLOCK, |block| {
            let of_level = |vertex: &VertexId| self.numbers[*vertex as usize].load(Relaxed) == self.level;
            self.left.iter_range(block).filter(of_level).for_each(|vertex| self.next.add(vertex));
        });
        self.next.take()
    }

    fn remove(&self, vertex: VertexId) {
        self.left.remove(vertex);
        self.numbers[vertex as usize].store(self.level, Relaxed);
    }
}

impl VisitNeighbours for Peel {
    #[inline]
    fn keeps(&self, _: VertexId, neighbour: VertexId) -> bool {
        self.left.contains(neighbour)
    }

    fn neighbours(&self, _: VertexId, part: &[VertexId]) {
        for neighbour in part {
            if self.numbers[*neighbour as usize].fetch_sub(1, Relaxed) == self.level + 1 {
                self.next.add(*neighbour);
            }
        }
    }
}
