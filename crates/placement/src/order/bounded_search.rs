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
    // Claims, who waits and who was found, a frontier, and the vertices of a step with where those behind them go.
    VertexValues::<AtomicU32>::bytes(vertices as u64)
        + 2 * BitSet::bytes(vertices)
        + 2 * VertexSet::bytes(vertices)
        + 8 * count
        + 8 * MOST_ROOTS as u64
}

/// Numbers some vertices of a graph.
pub(super) struct BoundedSearch<'s> {
    lists: &'s dyn Adjacency,
    workers: &'s Workers,
    most_roots: usize,
    /// Vertices that are not numbered yet.
    waiting: BitSet,
    /// Unnumbered vertices that were reached in this step.
    found: BitSet,
    /// Per vertex, the position in the previous step of the vertex that reached it first.
    claims: Vec<AtomicU32>,
    _held: Reservation,
}

impl<'s> BoundedSearch<'s> {
    /// A search that numbers `count` vertices, taking up to `most_roots` roots at a time.
    ///
    /// # Errors
    /// A budget that is too small.
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

    /// Fills `order` with `roots`, which stand in the order in which they are to be roots: until `enough` have a place
    /// by search, then the rest as it stands. How many places were filled.
    ///
    /// # Errors
    /// A failed or damaged read; interruption.
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

    /// The next `most` vertices of `roots` that wait.
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

    /// Puts the roots into `order`, each followed by the vertices that were reached from it: those of the first step,
    /// then those of the second. How many there are.
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

    /// Finds who waits and is a neighbor of `from`; how many belong to each of these.
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

    /// Puts who was found into `order`, from where whoever reached it has its `next` place; they wait no more.
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

/// Start of each of consecutive runs of these lengths.
fn starts(counts: &[u32]) -> Vec<u32> {
    let starts = counts.iter().scan(0, |end, count| {
        *end += count;
        Some(*end - count)
    });
    starts.collect()
}

/// The distinct vertices `from` as a set, without a second list of many.
fn frontier(from: &[VertexId], universe: u32) -> VertexSet {
    if from.len() <= VertexSet::sparse_limit(universe) {
        return VertexSet::from_members(from.to_vec(), universe);
    }
    let bits = BitSet::empty(universe);
    from.iter().for_each(|vertex| _ = bits.insert(*vertex));
    VertexSet::from_bits(bits)
}

/// Claims who waits for the first who reaches it.
struct Claim<'s> {
    waiting: &'s BitSet,
    found: &'s BitSet,
    claims: &'s [AtomicU32],
}

impl FoldLists for Claim<'_> {
    /// The position of the vertex.
    type Fold = u32;

    fn begin(&self, vertex: VertexId) -> u32 {
        self.claims[index_from(u64::from(vertex))].load(Relaxed)
    }

    fn neighbors(&self, _: VertexId, position: &mut u32, piece: Neighbors<'_>) -> ControlFlow<()> {
        for neighbor in piece.ids().iter().filter(|neighbor| self.waiting.contains(**neighbor)) {
            let claim = &self.claims[index_from(u64::from(*neighbor))];
            // A vertex that waits was never in a step before: what stands there is a claim of this step, or none.
            claim.fetch_min(*position, Relaxed);
            self.found.insert(*neighbor);
        }
        ControlFlow::Continue(())
    }

    fn end(&self, _: VertexId, _: u32) {}
}
