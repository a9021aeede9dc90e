//! Views of grouped messages.

use super::space::{GroupSpace, Shape};
use bytemuck::cast_slice;
use outcrop_engine::Plain;
use outcrop_types::{VertexId, VertexRange};

/// Positions of the messages of each vertex.
#[derive(Clone, Copy, Debug)]
enum Index<'s> {
    /// Start of each vertex's messages, and the end of the last.
    Dense(&'s [u32]),
    /// Vertices with messages, the start of each vertex's messages, and the end of the last.
    Sparse(&'s [VertexId], &'s [u32]),
    /// Bits of the vertices, set for those with a message, and the bit of the first vertex.
    Folded(&'s [u64], usize),
}

/// Messages to consecutive vertices.
#[derive(Debug)]
pub struct BlockMessages<'s, M> {
    range: VertexRange,
    index: Index<'s>,
    messages: &'s mut [M],
}

impl<M: Plain> GroupSpace<M> {
    /// Returns the number of grouped messages.
    pub const fn len(&self) -> usize {
        self.messages
    }

    /// Returns true if there are no messages.
    pub const fn is_empty(&self) -> bool {
        self.messages == 0
    }

    /// Returns all messages.
    pub fn all(&mut self) -> BlockMessages<'_, M> {
        let (range, shape, vertices, count) = (self.range, self.shape, self.vertices, self.messages);
        let (messages, [first, second, ..], _) = self.split();
        let (index, messages) = match shape {
            Shape::Dense => (Index::Dense(&cast_slice(first)[..=range.len()]), &mut messages[..count]),
            Shape::Sparse => {
                let (of, begins) = (&cast_slice(first)[..vertices], &cast_slice(second)[..=vertices]);
                (Index::Sparse(of, begins), &mut messages[..count])
            }
            Shape::Folded => (Index::Folded(cast_slice(first), 0), messages),
        };
        BlockMessages { range, index, messages }
    }

    /// Returns the vertices, the start of each vertex's messages with the end of the last, and the messages. Requires a
    /// [`GroupSpace::indexed`] space.
    pub fn indexes(&mut self) -> (VertexRange, &[u32], &mut [M]) {
        let all = self.all();
        match all.index {
            Index::Dense(begins) => (all.range, begins, all.messages),
            Index::Sparse(..) | Index::Folded(..) => (VertexRange::default(), &[0], &mut []),
        }
    }

    /// Splits all messages into blocks that end at multiples of `vertices`, except the last block.
    pub fn blocks(&mut self, vertices: u32) -> impl Iterator<Item = (VertexRange, BlockMessages<'_, M>)> {
        let mut rest = Some(self.all()).filter(|all| !all.range.is_empty());
        std::iter::from_fn(move || {
            let all = rest.take()?;
            let end = (all.range.start / vertices + 1).saturating_mul(vertices);
            let (block, others) = all.split_at(end);
            rest = Some(others).filter(|others| !others.range.is_empty());
            Some((block.range, block))
        })
    }
}

impl<'s, M: Plain> BlockMessages<'s, M> {
    /// Returns the vertices.
    pub const fn range(&self) -> VertexRange {
        self.range
    }

    /// Returns the messages to `vertex`; none if it is outside the block.
    #[inline]
    pub fn of(&mut self, vertex: VertexId) -> &mut [M] {
        if !self.range.contains(vertex) {
            return &mut [];
        }
        let position = (vertex - self.range.start) as usize;
        let stretch = match self.index {
            Index::Dense(begins) => begins[position]..begins[position + 1],
            Index::Sparse(vertices, begins) => match vertices.binary_search(&vertex) {
                Ok(place) => begins[place]..begins[place + 1],
                Err(_) => return &mut [],
            },
            Index::Folded(bits, first) => {
                let there = bits[(first + position) / 64] >> ((first + position) % 64) & 1;
                return &mut self.messages[position..position + there as usize];
            }
        };
        let base = self.base();
        &mut self.messages[(stretch.start - base) as usize..(stretch.end - base) as usize]
    }

    /// Returns the vertices with messages, ascending.
    pub fn vertices(&self) -> impl Iterator<Item = VertexId> + use<'s, M> {
        let range = self.range;
        let (dense, sparse, folded) = match self.index {
            Index::Dense(begins) => (Some(begins), None, None),
            Index::Sparse(vertices, _) => (None, Some(vertices), None),
            Index::Folded(bits, first) => (None, None, Some((bits, first))),
        };
        let dense = dense.into_iter().flat_map(move |begins| {
            begins.windows(2).zip(range.iter()).filter(|(bounds, _)| bounds[0] < bounds[1]).map(|(_, vertex)| vertex)
        });
        let folded = folded.into_iter().flat_map(move |(bits, first)| ones(bits, first, range));
        dense.chain(sparse.into_iter().flatten().copied()).chain(folded)
    }

    /// Splits into the messages to vertices before `vertex` and the others.
    #[must_use]
    pub fn split_at(self, vertex: VertexId) -> (Self, Self) {
        let vertex = vertex.clamp(self.range.start, self.range.end.max(self.range.start));
        let position = (vertex - self.range.start) as usize;
        let base = self.base();
        let (before, from, split) = match self.index {
            Index::Dense(begins) => {
                let split = begins.get(position).map_or(0, |begin| begin - base);
                (Index::Dense(&begins[..=position]), Index::Dense(&begins[position..]), split as usize)
            }
            Index::Sparse(vertices, begins) => {
                let place = vertices.partition_point(|known| *known < vertex);
                let before = Index::Sparse(&vertices[..place], &begins[..=place]);
                (before, Index::Sparse(&vertices[place..], &begins[place..]), (begins[place] - base) as usize)
            }
            Index::Folded(bits, first) => (self.index, Index::Folded(bits, first + position), position),
        };
        let (messages, others) = self.messages.split_at_mut(split);
        (
            Self { range: VertexRange::new(self.range.start, vertex), index: before, messages },
            Self { range: VertexRange::new(vertex, self.range.end), index: from, messages: others },
        )
    }

    /// Returns the position of the first message among all messages.
    fn base(&self) -> u32 {
        match self.index {
            Index::Dense(begins) | Index::Sparse(_, begins) => begins.first().copied().unwrap_or(0),
            Index::Folded(..) => 0,
        }
    }
}

/// Returns the vertices of `range` whose bits are set. The first vertex has bit `first`.
fn ones(bits: &[u64], first: usize, range: VertexRange) -> impl Iterator<Item = VertexId> {
    let end = first + range.len();
    (first / 64..end.div_ceil(64)).flat_map(move |word| {
        let mut rest = bits[word];
        if word == first / 64 {
            rest &= u64::MAX << (first % 64);
        }
        std::iter::from_fn(move || {
            let bit = rest.trailing_zeros() as usize;
            let there = rest != 0 && word * 64 + bit < end;
            rest &= rest.wrapping_sub(1);
            there.then(|| range.start + (word * 64 + bit - first) as VertexId)
        })
    })
}
