//! The neighbours of one vertex, to be found by number.

use outcrop_types::VertexId;

/// No vertex has this number.
const VACANT: VertexId = VertexId::MAX;

/// A vertex that is marked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark<E, S> {
    vertex: VertexId,
    /// The edge to it.
    pub(super) edge: E,
    /// The sum of its shares of triangles.
    pub(super) share: S,
}

/// A hash table of vertices with open addressing, at most half full.
#[derive(Debug, Default)]
pub(super) struct Marks<E, S> {
    marks: Vec<Mark<E, S>>,
    /// Bits of a hash that do not say where it goes.
    shift: u32,
    /// Places where a vertex was put.
    filled: Vec<u32>,
    /// A bit for each of so many hashes, by which most vertices that are not marked are told without a look at the
    /// table.
    filter: Vec<u64>,
    /// Bits of a hash that do not say where it is in the filter.
    filter_shift: u32,
}

/// Bits of the filter for each vertex that is marked, rounded up to a power of two.
const FILTER_BITS: usize = 16;

impl<E: Copy + Default, S: Copy + Default> Marks<E, S> {
    /// Memory of a table of `vertices` vertices, in bytes.
    pub(super) const fn bytes_for(vertices: u64) -> u64 {
        let length = (4 * vertices).next_power_of_two();
        length * size_of::<Mark<E, S>>() as u64 + 12 * vertices + 1024
    }

    /// Makes room for `count` vertices.
    pub(super) fn begin(&mut self, count: usize) {
        let length = (2 * count).next_power_of_two().max(16);
        if self.marks.len() < length {
            self.marks = vec![Mark { vertex: VACANT, edge: E::default(), share: S::default() }; length];
        }
        self.shift = u32::BITS - length.trailing_zeros();
        let bits = (FILTER_BITS * count).next_power_of_two().max(64);
        if self.filter.len() < bits / 64 {
            self.filter.resize(bits / 64, 0);
        }
        self.filter_shift = u32::BITS - bits.trailing_zeros();
    }

    #[inline]
    const fn home(&self, vertex: VertexId) -> usize {
        (vertex.wrapping_mul(0x9e37_79b1) >> self.shift) as usize
    }

    /// The word and the bit of `vertex` in the filter.
    #[inline]
    const fn filter_place(&self, vertex: VertexId) -> (usize, u64) {
        let hash = vertex.wrapping_mul(0x9e37_79b1) >> self.filter_shift;
        ((hash / 64) as usize, 1 << (hash % 64))
    }

    /// The place of `vertex`, or the vacant one where it would be.
    #[inline]
    fn find(&self, vertex: VertexId) -> usize {
        let last = (1_usize << (u32::BITS - self.shift)) - 1;
        let mut place = self.home(vertex);
        loop {
            let found = self.marks[place].vertex;
            if found == vertex || found == VACANT {
                return place;
            }
            place = (place + 1) & last;
        }
    }

    /// Marks `vertex`, which is not marked, with the edge to it.
    #[inline]
    pub(super) fn set(&mut self, vertex: VertexId, edge: E) {
        let place = self.find(vertex);
        self.marks[place] = Mark { vertex, edge, share: S::default() };
        self.filled.push(place as u32);
        let (word, bit) = self.filter_place(vertex);
        self.filter[word] |= bit;
    }

    /// The mark of `vertex`, where it is marked.
    #[inline]
    pub(super) fn hit(&mut self, vertex: VertexId) -> Option<&mut Mark<E, S>> {
        let (word, bit) = self.filter_place(vertex);
        if self.filter[word] & bit == 0 {
            return None;
        }
        let place = self.find(vertex);
        Some(&mut self.marks[place]).filter(|mark| mark.vertex == vertex)
    }

    /// Takes all marks off and hands over the shares of their vertices.
    pub(super) fn drain(&mut self, mut take: impl FnMut(VertexId, S)) {
        let mut filled = std::mem::take(&mut self.filled);
        for place in filled.drain(..) {
            let (word, _) = self.filter_place(self.marks[place as usize].vertex);
            self.filter[word] = 0;
            let mark = &mut self.marks[place as usize];
            take(mark.vertex, mark.share);
            mark.vertex = VACANT;
        }
        self.filled = filled;
    }
}
