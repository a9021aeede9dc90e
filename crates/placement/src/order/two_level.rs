//! Vertices that are reached together, one after the other (ChunkGraph, Wang et al., USENIX ATC 2024, section 3.3).
//!
//! Roots are taken in descending degree; from each, breadth-first search goes two steps; who was reached comes behind the root, and is
//! no root any more. Once most vertices have a place, the rest follows as it stands.
//!
//! Deviation: roots are taken in waves of 1, 2, 4, ... at a time, so that a disk is asked for many lists at once; roots of one wave
//! do not hide each other. The order depends on nothing but the graph.

use outcrop_store::access::{Adjacency, Neighbours, Visit, Workers};
use outcrop_types::{
    BitSet, MemoryBudget, Purpose, Reservation, Result, VertexId, VertexSet, VertexValues, index_from, length_from,
};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The most roots of one wave.
const MOST_ROOTS: usize = 1 << 14;

/// Memory that ordering `count` of `vertices` vertices takes besides `roots` and the result, in bytes.
pub const fn two_level_bytes(vertices: u32, count: u64) -> u64 {
    // Claims, who waits and who was found, frontiers, and vertices with what claimed them.
    VertexValues::<AtomicU32>::bytes(vertices as u64)
        + 2 * BitSet::bytes(vertices)
        + 2 * VertexSet::bytes(vertices)
        + 20 * count
}

/// The vertices of `roots`, which stand in the order in which they are to be roots, in the order of their places. `share` of them, from 0
/// to 1, get theirs by search.
///
/// # Errors
/// A budget that is too small; a failed or damaged read; interruption.
pub fn two_level<A: Adjacency>(
    lists: &A,
    roots: &[VertexId],
    share: f64,
    workers: &Workers,
    budget: &MemoryBudget,
) -> Result<VertexValues<VertexId>> {
    let vertices = lists.num_vertices();
    let mut search = Search {
        lists,
        workers,
        waiting: BitSet::empty(vertices),
        found: BitSet::empty(vertices),
        _held: budget.reserve(two_level_bytes(vertices, 0) + 20 * length_from(roots.len()), Purpose::Frontier)?,
        claims: (0..vertices).map(|_| AtomicU32::new(u32::MAX)).collect(),
    };
    roots.iter().for_each(|root| _ = search.waiting.insert(*root));
    let mut order = VertexValues::new(budget, Purpose::IdMap, roots.len(), |_| 0)?;
    let enough = (roots.len() as f64 * share.clamp(0.0, 1.0)).ceil() as usize;
    let (mut placed, mut cursor, mut most) = (0, 0, 1);
    while placed < enough && cursor < roots.len() {
        let wave = search.next_roots(roots, &mut cursor, most);
        for vertex in search.wave(&wave)? {
            order[placed] = vertex;
            placed += 1;
        }
        most = (most * 2).min(MOST_ROOTS);
    }
    for vertex in roots.iter().filter(|vertex| search.waiting.contains(**vertex)) {
        order[placed] = *vertex;
        placed += 1;
    }
    Ok(order)
}

struct Search<'s, A> {
    lists: &'s A,
    workers: &'s Workers,
    /// Vertices without a place.
    waiting: BitSet,
    /// Those of them that were reached in this step.
    found: BitSet,
    /// The position in the step before of the first who reached a vertex.
    claims: Vec<AtomicU32>,
    _held: Reservation,
}

/// Vertices that were reached, each with the position of who reached it, in the order of these positions.
type Reached = Vec<(u32, VertexId)>;

impl<A: Adjacency> Search<'_, A> {
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

    /// The roots, each followed by the vertices that were reached from it.
    fn wave(&mut self, roots: &[VertexId]) -> Result<Vec<VertexId>> {
        roots.iter().for_each(|root| self.waiting.remove(*root));
        let near = self.step(roots)?;
        let near_vertices: Vec<VertexId> = near.iter().map(|(_, vertex)| *vertex).collect();
        let far = self.step(&near_vertices)?;
        let mut order = Vec::with_capacity(roots.len() + near.len() + far.len());
        let (mut near_rest, mut far_rest, mut passed) = (near.as_slice(), far.as_slice(), 0);
        for (number, root) in (0_u32..).zip(roots) {
            order.push(*root);
            let of_root = near_rest.partition_point(|(claim, _)| *claim <= number);
            let (now, later) = near_rest.split_at(of_root);
            order.extend(now.iter().map(|(_, vertex)| *vertex));
            (near_rest, passed) = (later, passed + of_root);
            let of_near = far_rest.partition_point(|(claim, _)| index_from(u64::from(*claim)) < passed);
            let (now, later) = far_rest.split_at(of_near);
            order.extend(now.iter().map(|(_, vertex)| *vertex));
            far_rest = later;
        }
        Ok(order)
    }

    /// Who waits and is a neighbour of `from`; they wait no more.
    fn step(&mut self, from: &[VertexId]) -> Result<Reached> {
        for (position, vertex) in (0_u32..).zip(from) {
            self.claims[index_from(u64::from(*vertex))].store(position, Relaxed);
        }
        let frontier = VertexSet::from_members(from.to_vec(), self.lists.num_vertices());
        self.lists.select(&frontier, &Claim { waiting: &self.waiting, found: &self.found, claims: &self.claims })?;
        let claim = |vertex: VertexId| self.claims[index_from(u64::from(vertex))].load(Relaxed);
        let mut reached: Reached = self.found.iter().map(|vertex| (claim(vertex), vertex)).collect();
        self.found.clear();
        self.workers.sort(&mut reached);
        reached.iter().for_each(|(_, vertex)| self.waiting.remove(*vertex));
        Ok(reached)
    }
}

/// Claims who waits for the first who reaches it.
struct Claim<'s> {
    waiting: &'s BitSet,
    found: &'s BitSet,
    claims: &'s [AtomicU32],
}

impl Visit for Claim<'_> {
    /// The position of the vertex.
    type Fold = u32;

    fn begin(&self, vertex: VertexId) -> u32 {
        self.claims[index_from(u64::from(vertex))].load(Relaxed)
    }

    fn neighbours(&self, _: VertexId, position: &mut u32, piece: Neighbours<'_>) -> ControlFlow<()> {
        for neighbour in piece.ids().iter().filter(|neighbour| self.waiting.contains(**neighbour)) {
            let claim = &self.claims[index_from(u64::from(*neighbour))];
            // A vertex that waits was never in a step before: what stands there is a claim of this step, or none.
            claim.fetch_min(*position, Relaxed);
            self.found.insert(*neighbour);
        }
        ControlFlow::Continue(())
    }

    fn end(&self, _: VertexId, _: u32) {}
}
