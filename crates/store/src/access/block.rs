//! Blocks of vertices that the workers of a sweep take, one after the other.

use super::visit::Visit;
use outcrop_types::{Cancellation, Result, VertexId, VertexRange, index_from};
use std::convert::Infallible;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

const WORD: u32 = u64::BITS;

/// The vertices of a block whose lists are wanted, a bit each.
#[derive(Debug, Default)]
pub struct BitBlock {
    first: VertexId,
    words: Vec<u64>,
}

impl BitBlock {
    /// Memory of a block of so many vertices, in bytes.
    pub const fn bytes(vertices: u32) -> u64 {
        (vertices as u64).div_ceil(64) * 8 + 16
    }

    /// Takes the vertices of `range` that `visit` wants.
    pub fn fill(&mut self, range: VertexRange, visit: &dyn Visit) {
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
        if visit.selective() {
            visit.filter(self.first, &mut self.words);
        }
    }

    /// The first vertex of the first word, and the words.
    pub fn words(&self) -> (VertexId, &[u64]) {
        (self.first, &self.words)
    }

    /// True if the list of `vertex` is wanted.
    #[inline]
    pub fn contains(&self, vertex: VertexId) -> bool {
        let bit = vertex.wrapping_sub(self.first);
        self.words.get(index_from(u64::from(bit / WORD))).is_some_and(|word| word >> (bit % WORD) & 1 != 0)
    }

    /// Calls `with` with each vertex whose list is wanted, ascending.
    ///
    /// # Errors
    /// Those of `with`, which end it.
    #[inline]
    pub fn try_for_each<E>(&self, mut with: impl FnMut(VertexId) -> Result<(), E>) -> Result<(), E> {
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

/// Clears the bits of vertices for which `keep` says no; bit `i` of the words is vertex `first + i`.
#[inline]
pub fn keep_wanted(first: VertexId, wanted: &mut [u64], keep: impl Fn(VertexId) -> bool) {
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

/// The vertices of `range` that `visit` wants, ascending.
pub fn wanted_of(range: VertexRange, visit: &dyn Visit) -> Vec<VertexId> {
    let (mut block, mut wanted) = (BitBlock::default(), Vec::new());
    block.fill(range, visit);
    let Ok(()) = block.try_for_each(|vertex| {
        wanted.push(vertex);
        Ok::<_, Infallible>(())
    });
    wanted
}

/// Vertices in ascending blocks that begin at multiples of 64, handed out to workers.
#[derive(Debug)]
pub struct VertexClaims<'c> {
    range: VertexRange,
    step: u64,
    next: AtomicU64,
    cancellation: &'c Cancellation,
}

impl<'c> VertexClaims<'c> {
    /// The vertices of `range`, about `step` at once.
    pub fn new(range: VertexRange, step: u32, cancellation: &'c Cancellation) -> Self {
        let step = u64::from(step.next_multiple_of(WORD));
        Self { range, step, next: AtomicU64::new(u64::from(range.start / WORD * WORD)), cancellation }
    }

    /// The next block; none at the end.
    ///
    /// # Errors
    /// Interruption.
    pub fn claim(&self) -> Result<Option<VertexRange>> {
        let start = self.next.fetch_add(self.step, Relaxed);
        let end = start.saturating_add(self.step).min(u64::from(self.range.end));
        let start = start.max(u64::from(self.range.start));
        if start >= end {
            return Ok(None);
        }
        self.cancellation.check()?;
        Ok(Some(VertexRange::new(vertex(start), vertex(end))))
    }
}

fn vertex(number: u64) -> VertexId {
    VertexId::try_from(number).unwrap_or(VertexId::MAX)
}

#[cfg(test)]
mod tests {
    use super::super::{FoldLists, Neighbours};
    use super::*;
    use std::ops::ControlFlow;

    struct Every(u32);

    impl FoldLists for Every {
        type Fold = ();
        fn wants(&self, vertex: VertexId) -> bool {
            vertex.is_multiple_of(self.0)
        }
        fn begin(&self, _: VertexId) {}
        fn neighbours(&self, _: VertexId, (): &mut (), _: Neighbours<'_>) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }
        fn end(&self, _: VertexId, (): ()) {}
    }

    #[test]
    fn blocks_have_each_wanted_vertex_once() {
        let cancellation = Cancellation::new();
        for (start, end, step, every) in
            [(0, 0, 64, 1), (0, 64, 64, 1), (5, 1000, 100, 1), (63, 65, 1, 1), (130, 5000, 256, 7), (7, 7, 64, 1)]
        {
            let claims = VertexClaims::new(VertexRange::new(start, end), step, &cancellation);
            let (mut block, mut found) = (BitBlock::default(), Vec::new());
            while let Some(claim) = claims.claim().unwrap() {
                block.fill(claim, &Every(every));
                block
                    .try_for_each(|vertex| {
                        assert!(block.contains(vertex));
                        found.push(vertex);
                        Ok::<_, Infallible>(())
                    })
                    .unwrap();
                assert_eq!(block.words().0 % 64, 0);
                assert!(!block.contains(claim.end) && (claim.start == 0 || !block.contains(claim.start - 1)));
            }
            assert_eq!(found, (start..end).filter(|vertex| vertex % every == 0).collect::<Vec<_>>());
        }
    }
}
