//! Classes of 64 vertices, with ranks.

use bytemuck::{Pod, Zeroable};
use outcrop_types::{VertexId, VertexRange, index_from, length_from};

/// Classes of 64 vertices (no neighbors, one or two neighbors in the index, or a list in a chunk), and the counts
/// before them. 32 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct ClassBlock {
    /// Low and high bit of each class.
    planes: [u64; 2],
    /// Number of mini-vertex entries before this block.
    minis: u64,
    /// Number of vertices with chunked lists before this block.
    located: u32,
    zero: u32,
}

/// Class of a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// No neighbors.
    Empty,
    /// Mini vertex: the position of its first entry among the minis, and its degree.
    Mini(u64, usize),
    /// Number of the list among the chunked lists.
    Located(u32),
}

impl ClassBlock {
    /// Number of vertices per block.
    pub(crate) const VERTICES: u32 = 64;
    /// Class of a vertex with a chunked list; the class of a mini vertex is its degree.
    pub(crate) const LOCATED: usize = 3;

    /// Returns a block of empty vertices after `minis` mini entries and `located` located vertices.
    pub(crate) const fn after(minis: u64, located: u32) -> Self {
        Self { planes: [0; 2], minis, located, zero: 0 }
    }

    /// Sets the class of `vertex`, which must be empty.
    pub(crate) const fn set(&mut self, vertex: VertexId, class: usize) {
        let bit = 1 << (vertex % Self::VERTICES);
        if class & 1 != 0 {
            self.planes[0] |= bit;
        }
        if class & 2 != 0 {
            self.planes[1] |= bit;
        }
    }

    /// Returns the class of `vertex`.
    #[inline]
    pub(crate) fn class(&self, vertex: VertexId) -> Class {
        let bit = 1_u64 << (vertex % Self::VERTICES);
        let before = bit - 1;
        let [low, high] = self.planes;
        match (low & bit != 0, high & bit != 0) {
            (false, false) => Class::Empty,
            (true, true) => Class::Located(self.located + (low & high & before).count_ones()),
            (one, _) => {
                let entries = (low & !high & before).count_ones() + 2 * (high & !low & before).count_ones();
                Class::Mini(self.minis + u64::from(entries), if one { 1 } else { 2 })
            }
        }
    }

    /// Calls `take` with each vertex of `range`, within the block, that has no chunked list, with the position of its
    /// first entry among the minis, and its degree.
    #[inline]
    pub(crate) fn for_each_outside_chunks(&self, range: VertexRange, mut take: impl FnMut(VertexId, u64, usize)) {
        let [low, high] = self.planes;
        let before = (1_u64 << (range.start % Self::VERTICES)) - 1;
        let skipped = (low & !high & before).count_ones() + 2 * (high & !low & before).count_ones();
        let mut first = self.minis + u64::from(skipped);
        for vertex in range.iter() {
            let bit = vertex % Self::VERTICES;
            let class = (low >> bit & 1) + 2 * (high >> bit & 1);
            if class < 3 {
                take(vertex, first, index_from(class));
                first += class;
            }
        }
    }

    /// Calls `take` with the bit of each vertex of `wanted` and its class, one class after the other, which needs no
    /// counting.
    #[inline]
    pub(crate) fn for_each(&self, wanted: u64, mut take: impl FnMut(u32, Class)) {
        let [low, high] = self.planes;
        for_each_bit(wanted & !low & !high, |bit| take(bit, Class::Empty));
        let mut first = self.minis;
        for_each_bit(if wanted & (low ^ high) == 0 { 0 } else { low ^ high }, |bit| {
            let degree = 1 + (high >> bit & 1);
            if wanted >> bit & 1 != 0 {
                take(bit, Class::Mini(first, index_from(degree)));
            }
            first += degree;
        });
        let (located, mut rank) = (low & high, self.located);
        for_each_bit(if wanted & located == 0 { 0 } else { located }, |bit| {
            if wanted >> bit & 1 != 0 {
                take(bit, Class::Located(rank));
            }
            rank += 1;
        });
    }

    /// Returns the vertices with chunked lists as bits, and their number before the block.
    #[inline]
    pub(crate) const fn located(&self) -> (u64, u32) {
        (self.planes[0] & self.planes[1], self.located)
    }

    /// Returns the counts before the next block.
    pub(crate) fn next(&self) -> Self {
        let [low, high] = self.planes;
        let minis = (low & !high).count_ones() + 2 * (high & !low).count_ones();
        Self::after(self.minis + u64::from(minis), self.located.saturating_add((low & high).count_ones()))
    }

    /// Returns true if the counts before the block equal those of `expected`, and only the first `vertices` have a
    /// class.
    pub(crate) fn agrees_with(&self, expected: &Self, vertices: u32) -> bool {
        let beyond = if vertices >= Self::VERTICES { 0 } else { u64::MAX << vertices };
        let [low, high] = self.planes;
        (self.minis, self.located, self.zero) == (expected.minis, expected.located, 0) && (low | high) & beyond == 0
    }

    /// Returns the numbers of mini-vertex entries and located vertices before the block.
    pub(crate) const fn before(&self) -> (u64, u32) {
        (self.minis, self.located)
    }

    /// Returns the memory for the classes of `vertices` vertices, in bytes.
    pub(crate) const fn bytes(vertices: u32) -> u64 {
        (vertices.div_ceil(Self::VERTICES) as u64) * length_from(size_of::<Self>())
    }
}

#[inline]
fn for_each_bit(mut bits: u64, mut take: impl FnMut(u32)) {
    while bits != 0 {
        take(bits.trailing_zeros());
        bits &= bits - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_and_ranks_come_back() {
        let classes: Vec<usize> = (0..64).map(|v| (v * 7 + v / 5) % 4).collect();
        let mut block = ClassBlock::after(1000, 50);
        classes.iter().enumerate().for_each(|(v, class)| block.set(v as u32, *class));
        let (mut minis, mut located) = (1000, 50);
        for (vertex, class) in (0..).zip(&classes) {
            let expected = match class {
                0 => Class::Empty,
                3 => Class::Located(located),
                degree => Class::Mini(minis, *degree),
            };
            assert_eq!(block.class(vertex + 128), expected);
            match class {
                3 => located += 1,
                degree => minis += *degree as u64,
            }
        }
        for (start, end) in [(0, 64), (5, 5), (17, 40), (63, 64)] {
            let mut expected: Vec<_> = (start..end).filter(|v| classes[*v as usize] != 3).collect();
            block.for_each_outside_chunks(VertexRange::new(start, end), |vertex, first, degree| {
                assert_eq!(vertex, expected.remove(0));
                assert!(degree == 0 || block.class(vertex) == Class::Mini(first, degree));
            });
            assert!(expected.is_empty());
        }
        for wanted in [0, u64::MAX, 0x0123_4567_89ab_cdef, 1, 1 << 63] {
            let mut seen = 0;
            block.for_each(wanted, |bit, class| {
                assert_eq!(block.class(bit), class);
                assert_eq!(seen & 1 << bit, 0);
                seen |= 1 << bit;
            });
            assert_eq!(seen, wanted);
        }
        assert_eq!(block.next(), ClassBlock::after(minis, located));
        assert!(block.agrees_with(&ClassBlock::after(1000, 50), 64));
        assert!(!block.agrees_with(&ClassBlock::after(1000, 50), 63));
        assert!(!block.agrees_with(&ClassBlock::after(1000, 51), 64));
    }
}
