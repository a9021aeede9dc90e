//! Hash table of the neighbors of one vertex.

use outcrop_types::VertexId;

/// Number that no vertex has.
const VACANT: VertexId = VertexId::MAX;

/// Marked vertex.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark<E, S> {
    vertex: VertexId,
    /// Edge to the vertex.
    pub(super) edge: E,
    /// Sum of its shares of triangles.
    pub(super) share: S,
}

/// Hash table of vertices with open addressing, at most half full.
#[derive(Debug, Default)]
pub(super) struct Marks<E, S> {
    marks: Vec<Mark<E, S>>,
    /// Number of hash bits that are not part of the position.
    shift: u32,
    /// Filled positions.
    filled: Vec<u32>,
    /// Bit filter by hash, which rejects most unmarked vertices without accessing the table.
    filter: Vec<u64>,
    /// Number of hash bits that are not part of the position in the filter.
    filter_shift: u32,
}

/// Filter bits per marked vertex, rounded up to a power of two.
const FILTER_BITS: usize = 16;

impl<E: Copy + Default, S: Copy + Default> Marks<E, S> {
    /// Returns the memory of a table of `vertices` vertices, in bytes.
    pub(super) const fn bytes_for(vertices: u64) -> u64 {
        let length = (4 * vertices).next_power_of_two();
        length * size_of::<Mark<E, S>>() as u64 + 12 * vertices + 1024
    }

    /// Prepares an empty table for `count` vertices.
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

    /// Returns the word and the bit of `vertex` in the filter.
    #[inline]
    const fn filter_place(&self, vertex: VertexId) -> (usize, u64) {
        let hash = vertex.wrapping_mul(0x9e37_79b1) >> self.filter_shift;
        ((hash / 64) as usize, 1 << (hash % 64))
    }

    /// Returns the position of `vertex`, or the vacant one where it would be inserted.
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

    /// Marks the unmarked `vertex`, with the edge to it.
    #[inline]
    pub(super) fn set(&mut self, vertex: VertexId, edge: E) {
        let place = self.find(vertex);
        self.marks[place] = Mark { vertex, edge, share: S::default() };
        self.filled.push(place as u32);
        let (word, bit) = self.filter_place(vertex);
        self.filter[word] |= bit;
    }

    /// Returns the mark of `vertex`, if it is marked.
    #[inline]
    pub(super) fn hit(&mut self, vertex: VertexId) -> Option<&mut Mark<E, S>> {
        let (word, bit) = self.filter_place(vertex);
        if self.filter[word] & bit == 0 {
            return None;
        }
        let place = self.find(vertex);
        Some(&mut self.marks[place]).filter(|mark| mark.vertex == vertex)
    }

    /// Removes all marks and passes on the shares of their vertices.
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
