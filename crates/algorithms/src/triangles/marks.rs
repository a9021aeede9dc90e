//! Hash table of the neighbors of one vertex.

use outcrop_types::VertexId;

/// Marked vertex.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark<E, S> {
    vertex: VertexId,
    /// Edge to the vertex.
    pub(super) edge: E,
    /// Sum of its shares of triangles.
    pub(super) share: S,
}

/// Marked vertices, with a hash table of their numbers (open addressing with linear probing). Nearly all slots are
/// vacant, and one access rejects most unmarked vertices.
#[derive(Debug)]
pub(super) struct Marks<E, S> {
    marks: Vec<Mark<E, S>>,
    /// Number of a mark, from 1 on, or 0.
    slots: Vec<u32>,
    /// Number of hash bits that are not part of a slot.
    shift: u32,
}

/// Number of slots, 128 KiB, that most processors keep in the cache of a core.
const SLOTS: u64 = 1 << 15;

/// Returns the number of slots for up to `longest` of `vertices` vertices.
const fn slots_for(vertices: u32, longest: u64) -> u64 {
    let most = (vertices as u64).next_power_of_two();
    let slots = (2 * longest).next_power_of_two();
    let few = if most < SLOTS { most } else { SLOTS };
    if slots < few { few } else { slots }
}

impl<E: Copy, S: Copy + Default> Marks<E, S> {
    /// Returns the memory of marks of up to `longest` of `vertices` vertices, in bytes.
    pub(super) const fn bytes_for(vertices: u32, longest: u64) -> u64 {
        slots_for(vertices, longest) * 4 + longest * size_of::<Mark<E, S>>() as u64 + 1024
    }

    /// Creates a table for up to `longest` of `vertices` vertices.
    pub(super) fn new(vertices: u32, longest: u64) -> Self {
        let slots = slots_for(vertices, longest);
        Self {
            marks: Vec::with_capacity(longest as usize),
            slots: vec![0; slots as usize],
            shift: u32::BITS - slots.trailing_zeros(),
        }
    }

    /// Returns the first slot of `vertex`.
    #[inline]
    const fn home(&self, vertex: VertexId) -> usize {
        (vertex.wrapping_mul(0x9e37_79b1) >> self.shift) as usize
    }

    #[inline]
    const fn next(&self, slot: usize) -> usize {
        (slot + 1) & (self.slots.len() - 1)
    }

    /// Marks the unmarked `vertex`, with the edge to it.
    #[inline]
    pub(super) fn set(&mut self, vertex: VertexId, edge: E) {
        let mut slot = self.home(vertex);
        while self.slots[slot] != 0 {
            slot = self.next(slot);
        }
        self.marks.push(Mark { vertex, edge, share: S::default() });
        self.slots[slot] = self.marks.len() as u32;
    }

    /// Returns the mark of `vertex`, if it is marked.
    #[inline]
    pub(super) fn hit(&mut self, vertex: VertexId) -> Option<&mut Mark<E, S>> {
        let mut slot = self.home(vertex);
        loop {
            let number = (self.slots[slot] as usize).checked_sub(1)?;
            if self.marks[number].vertex == vertex {
                return Some(&mut self.marks[number]);
            }
            slot = self.next(slot);
        }
    }

    /// Removes all marks and passes on the shares of their vertices.
    pub(super) fn drain(&mut self, mut take: impl FnMut(VertexId, S)) {
        // Each mark vacates the slots from its first one to the next vacant one: all of them once all marks have.
        for number in 0..self.marks.len() {
            let Mark { vertex, share, .. } = self.marks[number];
            take(vertex, share);
            let mut slot = self.home(vertex);
            while self.slots[slot] != 0 {
                self.slots[slot] = 0;
                slot = self.next(slot);
            }
        }
        self.marks.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outcrop_types::SplitMix64;

    #[test]
    fn exactly_the_marked_vertices_are_found_in_nearly_full_and_in_sparse_tables() {
        for (vertices, longest) in [(1, 1), (2, 2), (100, 20), (100, 100), (1 << 20, 50_000)] {
            let mut marks = Marks::<u32, u32>::new(vertices, longest);
            for seed in 0..3 {
                let numbers = SplitMix64::new(seed, 1);
                let mut marked: Vec<u32> = (0..longest).map(|at| numbers.up_to(at, vertices - 1)).collect();
                marked.sort_unstable();
                marked.dedup();
                marked.iter().for_each(|vertex| marks.set(*vertex, vertex + 7));
                for vertex in 0..vertices {
                    let found = marks.hit(vertex).map(|mark| {
                        mark.share += vertex;
                        mark.edge
                    });
                    assert_eq!(found, marked.binary_search(&vertex).ok().map(|_| vertex + 7));
                }
                let mut shares = Vec::new();
                marks.drain(|vertex, share| shares.push((vertex, share)));
                assert!(shares.iter().copied().eq(marked.iter().map(|vertex| (*vertex, *vertex))));
                assert!((0..vertices).all(|vertex| marks.hit(vertex).is_none()));
            }
        }
    }
}
