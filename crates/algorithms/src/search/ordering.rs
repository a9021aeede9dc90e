//! Choice of the next sources.

use super::bounds::Bounds;
use outcrop_types::VertexId;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Bound, degree, inverted rank, vertex: the largest key is searched from first, independent of threads.
type Key = (u32, u32, Reverse<u32>, VertexId);

impl Bounds<'_, '_> {
    fn key(&self, vertex: VertexId, bound: u32) -> Key {
        let Self { components, .. } = self;
        (bound, components.degrees[vertex as usize], Reverse(components.ranks.of(vertex)), vertex)
    }

    /// Returns the vertex of the largest component with the most edges.
    pub(super) fn choose_start(&self) -> Option<VertexId> {
        self.largest_keys(1, |vertex| self.is_in_largest(vertex).then_some(0)).first().copied()
    }

    /// Returns up to `count` open vertices, alternately of the largest upper bounds and of the smallest lower bounds;
    /// in every third `turn`, vertices of the smallest lower bounds of the largest component, open or not: central
    /// vertices yield bounds of most others.
    pub(super) fn choose(&self, turn: u32, count: usize) -> Vec<VertexId> {
        let least = self.least();
        let far = |vertex| self.is_open(vertex, least).then(|| self.bounds(vertex).1);
        let near = |vertex| self.is_open(vertex, least).then(|| !self.bounds(vertex).0);
        let central = |vertex| {
            let (lower, upper) = self.bounds(vertex);
            (lower < upper && self.is_in_largest(vertex)).then_some(!lower)
        };
        let chosen = match turn % 3 {
            1 => self.largest_keys(count, near),
            2 => self.largest_keys(count, central),
            _ => Vec::new(),
        };
        if chosen.is_empty() { self.largest_keys(count, far) } else { chosen }
    }

    /// Returns the `count` vertices of the largest keys, among those for which `bound` returns one.
    fn largest_keys(&self, count: usize, bound: impl Fn(VertexId) -> Option<u32> + Sync) -> Vec<VertexId> {
        let of_block = |vertices: &mut dyn Iterator<Item = VertexId>| {
            let mut largest = BinaryHeap::with_capacity(count + 1);
            for (vertex, bound) in vertices.filter_map(|vertex| Some((vertex, bound(vertex)?))) {
                largest.push(Reverse(self.key(vertex, bound)));
                if largest.len() > count {
                    largest.pop();
                }
            }
            largest.into_vec()
        };
        let mut keys = self.of_blocks(of_block).concat();
        keys.sort_unstable();
        keys.into_iter().take(count).map(|Reverse((.., vertex))| vertex).collect()
    }
}
