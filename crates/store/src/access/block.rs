//! Bit set of the requested vertices of a block.

use super::visit::Visit;
use outcrop_types::{BitSet, VertexId, VertexRange, index_from};
use std::convert::Infallible;

const WORD: u32 = u64::BITS;
/// Vertices of the blocks in which the next requested vertex is searched.
const BLOCK_VERTICES: u32 = 1 << 12;

/// Vertices of a block whose lists are requested, one bit each.
#[derive(Debug, Default)]
pub(crate) struct BitBlock {
    first: VertexId,
    words: Vec<u64>,
}

impl BitBlock {
    /// Returns the memory of a block of `vertices` vertices, in bytes.
    pub(crate) const fn bytes(vertices: u32) -> u64 {
        (vertices as u64).div_ceil(64) * 8 + 16
    }

    /// Fills the block with the vertices of `range` that `visit` requests.
    pub(crate) fn fill(&mut self, range: VertexRange, visit: &dyn Visit) {
        self.take_all(range);
        if visit.selective() && !range.is_empty() {
            visit.filter(self.first, &mut self.words);
        }
    }

    /// Fills the block with the vertices of `range` that are in `bits`.
    pub(crate) fn take(&mut self, range: VertexRange, bits: &BitSet) {
        self.take_all(range);
        self.words.iter_mut().zip(bits.words_from(self.first)).for_each(|(word, bits)| *word &= bits);
    }

    fn take_all(&mut self, range: VertexRange) {
        self.first = range.start / WORD * WORD;
        self.words.clear();
        if range.is_empty() {
            return;
        }
        self.words.resize(index_from(u64::from((range.end - self.first).div_ceil(WORD))), u64::MAX);
        if let Some(word) = self.words.first_mut() {
            *word &= u64::MAX << (range.start - self.first);
        }
        if let Some(word) = self.words.last_mut() {
            *word &= u64::MAX >> ((WORD - range.end % WORD) % WORD);
        }
    }

    /// Returns the first vertex of the first word, and the words.
    pub(crate) fn words(&self) -> (VertexId, &[u64]) {
        (self.first, &self.words)
    }

    /// Calls `with` with the first vertex of each word and the mutable word.
    ///
    /// # Errors
    ///
    /// Returns the first error of `with`.
    pub(crate) fn try_for_each_word<E>(
        &mut self,
        mut with: impl FnMut(VertexId, &mut u64) -> Result<(), E>,
    ) -> Result<(), E> {
        let vertices = (self.first..).step_by(WORD as usize);
        self.words.iter_mut().zip(vertices).try_for_each(|(word, vertex)| with(vertex, word))
    }

    /// Returns true if the list of `vertex` is requested.
    #[inline]
    pub(crate) fn contains(&self, vertex: VertexId) -> bool {
        let bit = vertex.wrapping_sub(self.first);
        self.words.get(index_from(u64::from(bit / WORD))).is_some_and(|word| word >> (bit % WORD) & 1 != 0)
    }

    /// Calls `with` with each vertex whose list is requested, in ascending order.
    ///
    /// # Errors
    ///
    /// Returns the first error of `with`.
    #[inline]
    pub(crate) fn try_for_each<E>(&self, mut with: impl FnMut(VertexId) -> Result<(), E>) -> Result<(), E> {
        for (word, base) in self.words.iter().zip((self.first..).step_by(WORD as usize)) {
            let mut rest = *word;
            while rest != 0 {
                with(base + rest.trailing_zeros())?;
                rest &= rest - 1;
            }
        }
        Ok(())
    }
}

/// Clears the bits of vertices for which `keep` returns false; bit `i` of the words is vertex `first + i`.
#[inline]
pub fn retain_requested(first: VertexId, wanted: &mut [u64], keep: impl Fn(VertexId) -> bool) {
    for (word, base) in wanted.iter_mut().zip((first..).step_by(WORD as usize)) {
        let mut rest = *word;
        while rest != 0 {
            if !keep(base + rest.trailing_zeros()) {
                *word &= !(rest & rest.wrapping_neg());
            }
            rest &= rest - 1;
        }
    }
}

/// Returns the first vertex of `range` that `visit` requests.
pub(crate) fn first_requested(range: VertexRange, visit: &dyn Visit) -> Option<VertexId> {
    if !visit.selective() {
        return Some(range.start).filter(|_| !range.is_empty());
    }
    let mut block = BitBlock::default();
    range.split(BLOCK_VERTICES).find_map(|part| {
        block.fill(part, visit);
        let (first, words) = block.words();
        let (word, base) = words.iter().zip((first..).step_by(WORD as usize)).find(|(word, _)| **word != 0)?;
        Some(base + word.trailing_zeros())
    })
}

/// Returns the vertices of `range` that `visit` requests, in ascending order.
pub fn requested_vertices(range: VertexRange, visit: &dyn Visit) -> Vec<VertexId> {
    let (mut block, mut wanted) = (BitBlock::default(), Vec::new());
    block.fill(range, visit);
    let Ok(()) = block.try_for_each(|vertex| {
        wanted.push(vertex);
        Ok::<_, Infallible>(())
    });
    wanted
}
