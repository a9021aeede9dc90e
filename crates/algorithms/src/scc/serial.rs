//! Tarjan's algorithm on in-memory lists.

use super::search::Search;
use outcrop_engine::neighborhood::{NeighborhoodBuffer, Neighborhoods, SelectNeighbors};
use outcrop_types::{Purpose, Result, VertexId};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Bytes per vertex on both stacks: the path, and the vertices whose components are unknown.
const STACK_BYTES: u64 = 12;
/// Number of steps between checks of the cancellation flag.
const STEPS: u64 = 1 << 16;

/// Returns the memory for `edges` between `left` vertices, none of which has more than `longest`, in bytes.
pub(super) const fn bytes(vertices: u32, left: u32, edges: u64, longest: u64, slots: usize) -> u64 {
    NeighborhoodBuffer::bytes_for(edges, vertices, longest, slots) + STACK_BYTES * left as u64
}

impl Search<'_, '_> {
    /// Finds all remaining components if `held` bytes can hold the edges between them; returns true if they can.
    pub(super) fn finish_serially(&mut self, held: u64) -> Result<bool> {
        let (vertices, slots) = (self.engine.vertices(), self.engine.workers().slots());
        let blocks = self.of_blocks(|left| {
            let degrees = left.map(|vertex| u64::from(self.out_left[vertex as usize].load(Relaxed)));
            degrees.fold((0_u32, 0_u64, 0_u64), |(left, sum, most), degree| (left + 1, sum + degree, most.max(degree)))
        });
        let sum = |(left, edges, longest): (u32, u64, u64), (more, sum, most): (u32, u64, u64)| {
            (left + more, edges + sum, longest.max(most))
        };
        let (left, edges, longest) = blocks.into_iter().fold((0, 0, 0), sum);
        if held < bytes(vertices, left, edges, longest, slots) {
            return Ok(false);
        }
        let stacks = self.engine.budget().reserve(STACK_BYTES * u64::from(left), Purpose::HeldLists)?;
        let space = NeighborhoodBuffer::new(self.engine.budget(), held - stacks.bytes(), vertices, longest, slots)?;
        let loaded = Neighborhoods::new(self.out, self.out).load(0, &space, self, false)?;
        if loaded.end < vertices {
            return Ok(false);
        }
        let numbers = [&self.out_left, &self.in_left].into_iter().flat_map(|numbers| numbers.iter());
        numbers.for_each(|number| number.store(0, Relaxed));
        let (path, open) = (Vec::with_capacity(left as usize), Vec::with_capacity(left as usize));
        let mut tarjan = Tarjan { search: self, space: &space, path, open, numbered: 0 };
        tarjan.run()?;
        Ok(true)
    }
}

/// Holds the out-edges between remaining vertices.
impl SelectNeighbors for Search<'_, '_> {
    fn keeps(&self, _: VertexId, neighbor: VertexId) -> bool {
        self.is_left(neighbor)
    }

    fn at_most(&self, vertex: VertexId) -> u32 {
        if self.is_left(vertex) { self.out_left[vertex as usize].load(Relaxed) } else { 0 }
    }
}

struct Tarjan<'t, 's, 'e> {
    search: &'t Search<'s, 'e>,
    space: &'t NeighborhoodBuffer,
    /// Vertices of the path, each with the position in its list.
    path: Vec<(VertexId, u32)>,
    /// Vertices whose component is unknown, in the order of discovery.
    open: Vec<VertexId>,
    numbered: u32,
}

impl Tarjan<'_, '_, '_> {
    fn run(&mut self) -> Result<()> {
        let cancellation = self.search.engine.workers().cancellation();
        let mut steps = 0_u64;
        for start in 0..self.search.engine.vertices() {
            if self.search.is_left(start) {
                self.enter(start);
            }
            while let Some((vertex, next)) = self.path.last_mut() {
                steps += 1;
                if steps.is_multiple_of(STEPS) {
                    cancellation.check()?;
                }
                let followed = self.space.part(0, *vertex as usize).single.get(*next as usize);
                *next += 1;
                let vertex = *vertex;
                match followed {
                    Some(other) => self.follow(vertex, other.load(Relaxed)),
                    None => self.leave(vertex),
                }
            }
        }
        cancellation.check()
    }

    /// Returns the discovery number of `vertex`; 0 before its discovery.
    fn number(&self, vertex: VertexId) -> &AtomicU32 {
        &self.search.in_left[vertex as usize]
    }

    /// Returns the smallest discovery number known to be on a cycle with `vertex`.
    fn low(&self, vertex: VertexId) -> &AtomicU32 {
        &self.search.out_left[vertex as usize]
    }

    fn enter(&mut self, vertex: VertexId) {
        self.numbered += 1;
        self.number(vertex).store(self.numbered, Relaxed);
        self.low(vertex).store(self.numbered, Relaxed);
        self.path.push((vertex, 0));
        self.open.push(vertex);
    }

    fn follow(&mut self, vertex: VertexId, other: VertexId) {
        if !self.search.is_left(other) {
            return;
        }
        match self.number(other).load(Relaxed) {
            0 => self.enter(other),
            number => _ = self.low(vertex).fetch_min(number, Relaxed),
        }
    }

    fn leave(&mut self, vertex: VertexId) {
        self.path.pop();
        let low = self.low(vertex).load(Relaxed);
        if let Some((before, _)) = self.path.last() {
            self.low(*before).fetch_min(low, Relaxed);
        }
        if low != self.number(vertex).load(Relaxed) {
            return;
        }
        // Open vertices are in the order of their numbers.
        let first = self.open.partition_point(|open| self.number(*open).load(Relaxed) < low);
        let ranks = self.open[first..].iter().map(|member| self.search.ranks.of(*member));
        let name = ranks.fold(self.search.ranks.of(vertex), u32::min);
        self.open.drain(first..).for_each(|member| self.search.component[member as usize].store(name, Relaxed));
    }
}
