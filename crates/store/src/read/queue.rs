//! Work queues: consecutive positions, assigned to the workers in morsels (Leis, Boncz, Kemper, Neumann, SIGMOD 2014).

use outcrop_types::{Cancellation, Error, Result, VertexId, VertexRange};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Members of a sparse set per morsel.
pub(crate) const MEMBERS_AT_ONCE: u64 = 256;
/// Vertices that share a word of a bit set.
const WORD: u32 = u64::BITS;

/// Positions that the workers take in morsels.
#[derive(Debug)]
pub(crate) struct WorkQueue {
    next: AtomicU64,
    end: u64,
    step: u64,
}

impl WorkQueue {
    /// Creates a queue of the positions of `range`, `step` per morsel.
    pub(crate) const fn new(range: Range<u64>, step: u64) -> Self {
        Self { next: AtomicU64::new(range.start), end: range.end, step }
    }

    /// Takes the next morsel; `None` at the end.
    pub(crate) fn take(&self) -> Option<Range<u64>> {
        let start = self.next.fetch_add(self.step, Relaxed);
        let end = start.saturating_add(self.step).min(self.end);
        (start < end).then_some(start..end)
    }

    /// Takes the next morsel of positions that are vertices, or members of a set of vertices.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Internal`] if a position is not a vertex.
    pub(crate) fn take_vertices(&self) -> Result<Option<VertexRange>> {
        self.take().map(vertices).transpose()
    }

    /// Returns the positions that were not taken.
    pub(crate) fn left(&self) -> Range<u64> {
        self.next.load(Relaxed).min(self.end)..self.end
    }

    /// Discards the remaining positions.
    pub(crate) fn stop(&self) {
        self.next.store(self.end, Relaxed);
    }
}

/// Vertices of a range, in morsels that start at multiples of 64.
#[derive(Debug)]
pub(crate) struct VertexQueue<'c> {
    queue: WorkQueue,
    first: VertexId,
    cancellation: &'c Cancellation,
}

impl<'c> VertexQueue<'c> {
    /// Creates a queue of the vertices of `range`, about `step` per morsel.
    pub(crate) fn new(range: VertexRange, step: u32, cancellation: &'c Cancellation) -> Self {
        let positions = u64::from(range.start / WORD * WORD)..u64::from(range.end);
        let queue = WorkQueue::new(positions, u64::from(step.next_multiple_of(WORD)));
        Self { queue, first: range.start, cancellation }
    }

    /// Takes the next morsel; `None` at the end.
    ///
    /// # Errors
    ///
    /// Returns an error if the run is interrupted.
    pub(crate) fn take(&self) -> Result<Option<VertexRange>> {
        let Some(morsel) = self.queue.take_vertices()? else { return Ok(None) };
        self.cancellation.check()?;
        let morsel = VertexRange::new(morsel.start.max(self.first), morsel.end);
        Ok(Some(morsel).filter(|morsel| !morsel.is_empty()))
    }
}

fn vertices(positions: Range<u64>) -> Result<VertexRange> {
    let vertex = |position| {
        VertexId::try_from(position).map_err(|_| Error::internal("a work queue extends beyond the vertices"))
    };
    Ok(VertexRange::new(vertex(positions.start)?, vertex(positions.end)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::{BitBlock, FoldLists, Neighbors};
    use std::convert::Infallible;
    use std::ops::ControlFlow;

    struct Every(u32);

    impl FoldLists for Every {
        type Fold = ();
        fn wants(&self, vertex: VertexId) -> bool {
            vertex.is_multiple_of(self.0)
        }
        fn begin(&self, _: VertexId) {}
        fn neighbors(&self, _: VertexId, (): &mut (), _: Neighbors<'_>) -> ControlFlow<()> {
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
            let queue = VertexQueue::new(VertexRange::new(start, end), step, &cancellation);
            let (mut block, mut found) = (BitBlock::default(), Vec::new());
            while let Some(morsel) = queue.take().unwrap() {
                block.fill(morsel, &Every(every));
                block
                    .try_for_each(|vertex| {
                        assert!(block.contains(vertex));
                        found.push(vertex);
                        Ok::<_, Infallible>(())
                    })
                    .unwrap();
                assert_eq!(block.words().0 % 64, 0);
                assert!(!block.contains(morsel.end) && (morsel.start == 0 || !block.contains(morsel.start - 1)));
            }
            assert_eq!(found, (start..end).filter(|vertex| vertex % every == 0).collect::<Vec<_>>());
        }
    }
}
