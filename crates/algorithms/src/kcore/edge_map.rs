//! Core numbers.
//!
//! Definition: the k-core of a graph is its largest part in which every vertex has at least k neighbours; the core number of a
//! vertex is the largest k whose k-core holds it. The graph counts as undirected and simple: loops and repeated edges do not
//! count, and `u -> v` and `v -> u` are one edge. With `k` only the k-core is looked for, as in Ligra's KCore (Shun and Blelloch,
//! PPoPP 2013): the value is `k` for its vertices.
//! Paper: peeling (Matula and Beck, JACM 1983) in rounds on frontiers, as in Julienne (Dhulipala, Blelloch and Shun, SPAA 2017).
//! In place of Julienne's buckets, each level looks once through the vertices that are left for the smallest degree, and rounds
//! within a level go through frontiers only.
//! Returns: `core_number` u32; 0 for vertices without neighbours. Null with `k` for vertices outside the k-core, else never.
//! Memory: 8 bytes a vertex (the out-degrees are only needed while neighbours are counted), three quarters of a byte of frontiers,
//! both indexes, and lists held to bring out- and in-lists together. Passes over the edges: every list once to count neighbours,
//! and the lists of a vertex once when it is removed. With `k`, neighbours are counted up to four times `k` only, and in-lists are
//! not read where the out-list has as many; what falls below `k` nevertheless is counted again.
//! Deviations: none; the answer does not depend on threads, order or layout.

use crate::UNREACHED;
use crate::outcome::{Column, HeldBytes, Outcome, Values};
use outcrop_engine::neighbourhood::{HeldSpace, Neighbourhoods, VisitNeighbours};
use outcrop_engine::{Engine, FrontierBuilder};
use outcrop_store::access::Workers;
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

/// The vertices that are left, those of inexact number, those being removed, those being counted, and those to be removed next.
const fn frontier_bytes(vertices: u32) -> u64 {
    2 * BitSet::bytes(vertices) + 2 * VertexSet::bytes(vertices) + FrontierBuilder::bytes(vertices)
}

/// Memory of held lists. More than the most only makes batches larger: nothing is read twice either way.
pub const fn held_bytes() -> HeldBytes {
    HeldBytes { least: 256 << 10, most: 64 << 20 }
}

/// Removes vertices in ascending order of their degree; `held` bytes are for lists.
///
/// # Errors
/// A failed or damaged read, a budget that is too small, interruption.
pub fn kcore(
    engine: &Engine<'_>,
    neighbourhoods: &Neighbourhoods<'_>,
    out_degrees: VertexValues<u32>,
    k: Option<u32>,
    held: u64,
) -> Result<Outcome> {
    let (vertices, slots) = (engine.vertices(), engine.workers().slots());
    let _frontiers = engine.budget().reserve(frontier_bytes(vertices), Purpose::Frontier)?;
    let longest = HeldSpace::longest_within(held, slots);
    let space = HeldSpace::new(engine.budget(), held, vertices, longest, slots)?;
    let numbers = VertexValues::new(engine.budget(), Purpose::VertexValues, vertices as usize, |_| AtomicU32::new(0))?;
    let mut peel = Peel {
        numbers,
        limit: k.map_or(u32::MAX, |k| k.saturating_mul(SLACK)),
        left: BitSet::full(vertices),
        inexact: BitSet::full(vertices),
        next: FrontierBuilder::new(vertices),
        level: 0,
    };
    peel.count_all(engine, neighbourhoods, &space, out_degrees)?;
    let mut iterations = engine.end_iteration(None);
    while let Some(level) = peel.next_level(engine.workers(), k) {
        peel.level = level;
        let mut low = peel.all_of_level(engine.workers());
        while !low.is_empty() {
            low = peel.remove_all(engine, neighbourhoods, &space, low)?;
            iterations = engine.end_iteration(None);
        }
    }
    let numbers = match k {
        None => peel.numbers.map(AtomicU32::into_inner),
        // Who was removed has a smaller number, as levels are below k.
        Some(k) => peel.numbers.map(|number| if number.into_inner() >= k { k } else { UNREACHED }),
    };
    Ok(Outcome::new(vec![Column::new("core_number", Values::Count(numbers))], iterations))
}

/// With `k`, neighbours are counted up to so many times `k`. Those that have more are counted again when the count falls below `k`.
const SLACK: u32 = 4;

/// Counts the neighbours that are left.
struct Count<'p>(&'p Peel);

impl VisitNeighbours for Count<'_> {
    #[inline]
    fn keeps(&self, _: VertexId, neighbour: VertexId) -> bool {
        self.0.left.contains(neighbour)
    }

    #[inline]
    fn enough(&self, vertex: VertexId, more: usize) -> bool {
        u64::from(self.0.number(vertex)) + more as u64 >= u64::from(self.0.limit)
    }

    #[inline]
    fn neighbours(&self, vertex: VertexId, part: &[VertexId]) {
        self.0.numbers[vertex as usize].fetch_add(part.len() as u32, Relaxed);
    }
}

/// The graph that is left.
struct Peel {
    /// The number of neighbours that are left, or fewer where it is inexact; of a vertex that was removed, its core number.
    numbers: VertexValues<AtomicU32>,
    /// Neighbours are counted up to this number.
    limit: u32,
    left: BitSet,
    /// Vertices that had at least as many neighbours as the limit when they were counted.
    inexact: BitSet,
    /// Vertices whose number has fallen to the level.
    next: FrontierBuilder,
    /// The core number of the vertices that are removed now.
    level: u32,
}

/// Vertices that a thread takes at once.
const BLOCK: u32 = 1 << 14;

impl Peel {
    #[inline]
    fn number(&self, vertex: VertexId) -> u32 {
        self.numbers[vertex as usize].load(Relaxed)
    }

    fn note_exact(&self, vertex: VertexId) {
        if self.number(vertex) < self.limit {
            self.inexact.remove(vertex);
        }
    }

    /// Counts the neighbours of every vertex; the out-degrees are not needed afterwards.
    fn count_all(
        &self,
        engine: &Engine<'_>,
        neighbourhoods: &Neighbourhoods<'_>,
        space: &HeldSpace,
        out_degrees: VertexValues<u32>,
    ) -> Result<()> {
        let all = VertexSet::all(engine.vertices());
        let bound = |vertex: VertexId| out_degrees[vertex as usize].min(self.limit);
        engine.note_visit(None);
        neighbourhoods.visit(&all, space, bound, &Count(self))?;
        engine.vertex_map(&all, |vertex| self.note_exact(vertex));
        Ok(())
    }

    /// Removes those of `low` that are of the level; the vertices that have come down to it.
    fn remove_all(
        &mut self,
        engine: &Engine<'_>,
        neighbourhoods: &Neighbourhoods<'_>,
        space: &HeldSpace,
        low: VertexSet,
    ) -> Result<VertexSet> {
        let removed = self.recount(engine, neighbourhoods, space, low)?;
        engine.note_visit(Some(&removed));
        engine.vertex_map(&removed, |vertex| self.remove(vertex));
        neighbourhoods.visit(&removed, space, |_| self.level, self)?;
        Ok(self.next.take())
    }

    /// Those of `low` that have no more neighbours than the level: where that is not known they are counted again.
    fn recount(
        &self,
        engine: &Engine<'_>,
        neighbourhoods: &Neighbourhoods<'_>,
        space: &HeldSpace,
        low: VertexSet,
    ) -> Result<VertexSet> {
        let mut unsure = Vec::new();
        low.for_each(|vertex| unsure.extend(Some(vertex).filter(|vertex| self.inexact.contains(*vertex))));
        if unsure.is_empty() {
            return Ok(low);
        }
        let unsure = VertexSet::from_members(unsure, self.left.universe());
        engine.vertex_map(&unsure, |vertex| self.numbers[vertex as usize].store(0, Relaxed));
        neighbourhoods.visit(&unsure, space, |_| self.limit, &Count(self))?;
        engine.vertex_map(&unsure, |vertex| self.note_exact(vertex));
        Ok(engine.vertex_filter(&low, |vertex| self.number(vertex) <= self.level))
    }

    /// The smallest degree of the vertices that are left; with `k`, all below it at once.
    fn next_level(&self, workers: &Workers, k: Option<u32>) -> Option<u32> {
        let blocks = workers.map_blocks(self.left.universe(), BLOCK, |block| {
            self.left.iter_range(block).map(|vertex| self.number(vertex)).min()
        });
        let least = blocks.into_iter().flatten().min()?;
        match k {
            None => Some(least),
            Some(k) => k.checked_sub(1).filter(|level| least <= *level),
        }
    }

    /// The vertices whose degree is at most the level.
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

impl VisitNeighbours for Peel {
    #[inline]
    fn keeps(&self, _: VertexId, neighbour: VertexId) -> bool {
        self.left.contains(neighbour)
    }

    #[inline]
    fn neighbours(&self, _: VertexId, part: &[VertexId]) {
        for neighbour in part {
            if self.numbers[*neighbour as usize].fetch_sub(1, Relaxed) == self.level + 1 {
                self.next.add(*neighbour);
            }
        }
    }
}
