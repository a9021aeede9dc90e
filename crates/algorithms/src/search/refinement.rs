//! Upper bounds of eccentricities from those of out-neighbors, in a directed graph (Akiba, Iwata, Kawata, ALENEX 2015,
//! section 3).
//!
//! A vertex reaches itself, its out-neighbors, and the vertices that they reach. A neighbor in its own component
//! reaches everything that it does, so the smallest bound of these, plus 1, is a bound. The other vertices are reached
//! by an edge out of the component: among those into the largest component the smallest bound counts, since it holds
//! for everything reached from there; among all others, the largest.

use super::bounds::{Bounds, Goal, reduce};
use outcrop_engine::Gather;
use outcrop_store::access::Neighbors;
use outcrop_types::{BitSet, Direction, Result, VertexId, VertexSet};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Maximum number of passes over lists outside of the largest component before the first search of other vertices.
const FIRST_PASSES: u32 = 256;
/// Maximum number of passes over lists of open vertices after a search.
const PASSES: u32 = 8;
/// Every further pass requires that the last one closed at least 1 in this many open vertices.
const WORTH_WHILE: usize = 10;

impl Bounds<'_, '_> {
    /// Bounds the eccentricities of vertices outside of the largest component, about which nothing is known: by the
    /// size of their component and the edges out of it. Returns true if lists were read.
    ///
    /// # Errors
    ///
    /// Returns an error if a read fails or the data is damaged, or if the run is interrupted.
    pub(super) fn refine_components(&self) -> Result<bool> {
        let outside = self.set_of(|vertex| !self.is_in_largest(vertex));
        if !self.refines() || outside.is_empty() {
            return Ok(false);
        }
        let (far, sizes) = self.bits.words();
        let name = |vertex: VertexId| self.components.component[vertex as usize] as usize;
        for _ in 0..FIRST_PASSES {
            far.iter().chain(sizes).for_each(|word| word.store(0, Relaxed));
            let leave = |vertex: VertexId, among: Among| {
                far[name(vertex)].fetch_max(among.beyond(), Relaxed);
                sizes[name(vertex)].fetch_add(1, Relaxed);
            };
            self.engine.gather_over(&outside, Direction::Out, &Refinement { bounds: self, apply: leave })?;
            let lowered = AtomicU32::new(0);
            self.engine.vertex_map(&outside, |vertex| {
                let [far, size] = [far, sizes].map(|words| words[name(vertex)].load(Relaxed));
                lowered.fetch_add(self.lower_to(vertex, far + size - 1).into(), Relaxed);
            });
            if lowered.into_inner() == 0 {
                break;
            }
        }
        Ok(true)
    }

    /// Lowers the upper bounds of open vertices as long as that closes some. In an undirected graph, and within a
    /// component, searches have already done so.
    ///
    /// # Errors
    ///
    /// Returns an error if a read fails or the data is damaged, or if the run is interrupted.
    pub(super) fn refine(&self) -> Result<()> {
        if !self.refines() {
            return Ok(());
        }
        let mut open = self.set_of(|vertex| self.is_open(vertex, 0));
        // New bounds are stored separately from those being read, so that the order of vertices makes no difference.
        let (next, _) = self.bits.words();
        for _ in 0..PASSES {
            let keep = |vertex: VertexId, among: Among| {
                let bound = among.own.map_or_else(|| among.beyond(), |own| u64::from(own) + 1);
                next[vertex as usize].store(bound, Relaxed);
            };
            if open.is_empty() {
                break;
            }
            self.engine.gather_over(&open, Direction::Out, &Refinement { bounds: self, apply: keep })?;
            self.engine.vertex_map(&open, |vertex| _ = self.lower_to(vertex, next[vertex as usize].load(Relaxed)));
            let before = open.len();
            open = self.engine.vertex_filter(&open, |vertex| self.is_open(vertex, 0));
            if (before - open.len()) * WORTH_WHILE < before {
                break;
            }
        }
        Ok(())
    }

    /// Returns true if vertices outside of the largest component matter, which searches do not cover.
    fn refines(&self) -> bool {
        self.components.directed && self.goal == Goal::Diameter
    }

    /// Lowers an upper bound; returns true if it was greater.
    fn lower_to(&self, vertex: VertexId, bound: u64) -> bool {
        // Default: the largest number bounds nothing.
        let bound = u32::try_from(bound).unwrap_or(u32::MAX);
        let lower = bound < self.bounds(vertex).1;
        reduce(&self.upper[vertex as usize], bound);
        lower
    }

    fn set_of(&self, member: impl Fn(VertexId) -> bool + Sync) -> VertexSet {
        let set = BitSet::empty(self.engine.vertices());
        self.of_blocks(|vertices| {
            vertices.filter(|vertex| member(*vertex)).for_each(|vertex| _ = set.insert(vertex));
        });
        VertexSet::from_bits(set)
    }
}

/// Calls `apply` with each vertex and the bounds of its out-neighbors.
struct Refinement<'r, 'b, 'e, F> {
    bounds: &'r Bounds<'b, 'e>,
    apply: F,
}

/// Upper bounds of the out-neighbors of a vertex, if there are any.
#[derive(Default)]
struct Among {
    /// Smallest in the vertex's own component.
    own: Option<u32>,
    /// Smallest in the largest component, if that is another one.
    largest: Option<u32>,
    /// Largest in all others.
    others: Option<u32>,
}

impl Among {
    /// Returns an upper bound of the distance to vertices reached over the edges out of the component.
    fn beyond(&self) -> u64 {
        self.largest.max(self.others).map_or(0, |bound| u64::from(bound) + 1)
    }
}

fn smaller(one: Option<u32>, other: u32) -> Option<u32> {
    Some(one.map_or(other, |one| one.min(other)))
}

impl<F: Fn(VertexId, Among) + Sync> Gather for Refinement<'_, '_, '_, F> {
    type Sum = (VertexId, Among);

    fn begin(&self, vertex: VertexId) -> Self::Sum {
        (vertex, Among::default())
    }

    #[inline]
    fn gather(&self, (vertex, among): &mut Self::Sum, piece: Neighbors<'_>) {
        let component = &self.bounds.components.component;
        let own = component[*vertex as usize];
        for other in piece.ids().iter().filter(|other| *other != vertex) {
            let upper = self.bounds.upper[*other as usize].load(Relaxed);
            match component[*other as usize] {
                name if name == own => among.own = smaller(among.own, upper),
                name if name == self.bounds.largest => among.largest = smaller(among.largest, upper),
                _ => among.others = among.others.max(Some(upper)),
            }
        }
    }

    fn apply(&self, vertex: VertexId, (_, among): Self::Sum) {
        (self.apply)(vertex, among);
    }
}
