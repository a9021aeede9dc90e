//! Breadth-first searches of two steps from one root after the other, which number vertices as they first reach them.
//!
//! Roots are processed in waves of 1, 2, 4, ... so that many lists are read from disk at once: each step of a wave is
//! one select. A vertex belongs to the vertex that reached it first, by position in the previous step; vertices that
//! the same one reached are numbered in ascending order, as in its list. Roots of one wave do not hide each other:
//! waves of one root give the search as published. Memory: [`search_bytes`]. The order depends only on the graph.

use outcrop_store::access::{Adjacency, FoldLists, Neighbors, Workers};
use outcrop_types::{
    BitSet, MemoryBudget, Purpose, Reservation, Result, VertexId, VertexSet, VertexValues, index_from, length_from,
};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Maximum number of roots per wave.
pub(super) const MOST_ROOTS: usize = 1 << 14;

/// Memory that numbering `count` of `vertices` vertices takes besides the roots and the result, in bytes.
pub(super) const fn search_bytes(vertices: u32, count: u64) -> u64 {
    // Claims, waiting and found vertices, a frontier, and the vertices of a step with the positions of their
    // successors.
    VertexValues::<AtomicU32>::bytes(vertices as u64)
        + 2 * BitSet::bytes(vertices)
        + 2 * VertexSet::bytes(vertices)
        + 8 * count
        + 8 * MOST_ROOTS as u64
}

/// Search that numbers some vertices of a graph.
pub(super) struct BoundedSearch<'s> {
    lists: &'s dyn Adjacency,
    workers: &'s Workers,
    most_roots: usize,
    /// Unnumbered vertices.
    waiting: BitSet,
    /// Unnumbered vertices that were reached in this step.
    found: BitSet,
    /// Per vertex, the position in the previous step of the vertex that reached it first.
    claims: Vec<AtomicU32>,
    _held: Reservation,
}

impl<'s> BoundedSearch<'s> {
    /// Creates a search that numbers `count` vertices, with up to `most_roots` roots per wave.
    ///
    /// # Errors
    /// Returns an error if the budget is too small.
    pub(super) fn new(
        lists: &'s dyn Adjacency,
        count: usize,
        most_roots: usize,
        workers: &'s Workers,
        budget: &MemoryBudget,
    ) -> Result<Self> {
        let vertices = lists.num_vertices();
        Ok(Self {
            lists,
            workers,
            most_roots,
            _held: budget.reserve(search_bytes(vertices, length_from(count)), Purpose::Frontier)?,
            waiting: BitSet::empty(vertices),
            found: BitSet::empty(vertices),
            claims: (0..vertices).map(|_| AtomicU32::new(u32::MAX)).collect(),
        })
    }

    /// Fills `order` from `roots`, which are in root order: by search until `enough` positions are filled, then with
    /// the remaining roots in order. Returns the number of filled positions.
    ///
    /// # Errors
    /// Returns an error if a read fails or is damaged, or on interruption.
    pub(super) fn number(&mut self, roots: &[VertexId], enough: usize, order: &mut [VertexId]) -> Result<usize> {
        roots.iter().for_each(|root| _ = self.waiting.insert(*root));
        let (mut placed, mut cursor, mut most) = (0, 0, 1);
        while placed < enough && cursor < roots.len() {
            self.workers.cancellation().check()?;
            let wave = self.next_roots(roots, &mut cursor, most);
            placed += self.wave(&wave, &mut order[placed..])?;
            most = (most * 2).min(self.most_roots);
        }
        let rest = roots.iter().filter(|root| self.waiting.contains(**root));
        let places = &mut order[placed..];
        Ok(placed + places.iter_mut().zip(rest).map(|(place, root)| *place = *root).count())
    }

    /// Returns the next `most` unnumbered vertices of `roots`.
    fn next_roots(&self, roots: &[VertexId], cursor: &mut usize, most: usize) -> Vec<VertexId> {
        let mut wave = Vec::new();
        while let Some(root) = roots.get(*cursor).filter(|_| wave.len() < most) {
            *cursor += 1;
            if self.waiting.contains(*root) {
                wave.push(*root);
            }
        }
        wave
    }

    /// Appends the roots to `order`, each followed by the vertices reached from it: first those of the first step, then
    /// those of the second. Returns their number.
    fn wave(&mut self, roots: &[VertexId], order: &mut [VertexId]) -> Result<usize> {
        roots.iter().for_each(|root| self.waiting.remove(*root));
        let of_root = self.step(roots)?;
        let mut near = vec![0; of_root.iter().map(|count| index_from(u64::from(*count))).sum()];
        self.place_found(starts(&of_root), &mut near);
        let mut of_near = self.step(&near)?;
        let mut first_near = 0;
        let mut end = 0;
        for (root, count) in roots.iter().zip(&of_root) {
            let nears = first_near..first_near + index_from(u64::from(*count));
            first_near = nears.end;
            order[index_from(u64::from(end))] = *root;
            end += 1;
            order[index_from(u64::from(end))..][..nears.len()].copy_from_slice(&near[nears.clone()]);
            end += *count;
            for far in &mut of_near[nears] {
                end += std::mem::replace(far, end);
            }
        }
        self.place_found(of_near, order);
        Ok(index_from(u64::from(end)))
    }

    /// Finds the unnumbered neighbors of `from`; returns the number of vertices claimed by each.
    fn step(&mut self, from: &[VertexId]) -> Result<Vec<u32>> {
        let mut counts = vec![0_u32; from.len()];
        if from.is_empty() {
            return Ok(counts);
        }
        for (position, vertex) in (0_u32..).zip(from) {
            self.claims[index_from(u64::from(*vertex))].store(position, Relaxed);
        }
        let claim = Claim { waiting: &self.waiting, found: &self.found, claims: &self.claims };
        self.lists.select(&frontier(from, self.lists.num_vertices()), &claim)?;
        self.found.iter().for_each(|vertex| counts[self.claim(vertex)] += 1);
        Ok(counts)
    }

    /// Writes the found vertices to `order`, each at the `next` position of the vertex that reached it, and marks them
    /// as numbered.
    fn place_found(&mut self, mut next: Vec<u32>, order: &mut [VertexId]) {
        for vertex in self.found.iter() {
            let place = &mut next[self.claim(vertex)];
            order[index_from(u64::from(*place))] = vertex;
            *place += 1;
            self.waiting.remove(vertex);
        }
        self.found.clear();
    }

    fn claim(&self, vertex: VertexId) -> usize {
        index_from(u64::from(self.claims[index_from(u64::from(vertex))].load(Relaxed)))
    }
}

/// Returns the start of each of consecutive runs of these lengths.
fn starts(counts: &[u32]) -> Vec<u32> {
    let starts = counts.iter().scan(0, |end, count| {
        *end += count;
        Some(*end - count)
    });
    starts.collect()
}

/// Returns the distinct vertices of `from` as a set, without a second list if there are many.
fn frontier(from: &[VertexId], universe: u32) -> VertexSet {
    if from.len() <= VertexSet::sparse_limit(universe) {
        return VertexSet::from_members(from.to_vec(), universe);
    }
    let bits = BitSet::empty(universe);
    from.iter().for_each(|vertex| _ = bits.insert(*vertex));
    VertexSet::from_bits(bits)
}

/// Claims unnumbered vertices for the first vertex that reaches them.
struct Claim<'s> {
    waiting: &'s BitSet,
    found: &'s BitSet,
    claims: &'s [AtomicU32],
}

impl FoldLists for Claim<'_> {
    /// Position of the vertex.
    type Fold = u32;

    fn begin(&self, vertex: VertexId) -> u32 {
        self.claims[index_from(u64::from(vertex))].load(Relaxed)
    }

    fn neighbors(&self, _: VertexId, position: &mut u32, piece: Neighbors<'_>) -> ControlFlow<()> {
        for neighbor in piece.ids().iter().filter(|neighbor| self.waiting.contains(**neighbor)) {
            let claim = &self.claims[index_from(u64::from(*neighbor))];
            // An unnumbered vertex was in no earlier step: its entry is a claim of this step, or none.
            claim.fetch_min(*position, Relaxed);
            self.found.insert(*neighbor);
        }
        ControlFlow::Continue(())
    }

    fn end(&self, _: VertexId, _: u32) {}
}
