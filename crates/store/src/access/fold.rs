//! Folds over lists: visitors that process one list at a time.

use super::block::retain_requested;
use super::neighbors::Neighbors;
use super::visit::{FirstNeighbors, ListBatch, Visit, VisitBatch};
use outcrop_types::{Result, VertexId};
use std::ops::ControlFlow;

/// Fold over each list. Every implementation is a [`Visit`].
///
/// A list arrives as one or more pieces, in order, on one worker, so a fold needs no synchronization, and its result
/// does not depend on the number of workers. Different lists are folded concurrently.
pub trait FoldLists: Sync {
    /// State carried from one piece of a list to the next.
    type Fold;

    /// Returns true if [`FoldLists::wants`] may return false, so that a sweep should ask before it reads.
    fn selective(&self) -> bool {
        true
    }

    /// Returns true if a sweep should visit `vertex`; called before its list is read.
    fn wants(&self, vertex: VertexId) -> bool {
        _ = vertex;
        true
    }

    /// Returns true if folds often stop after the first entries of a list.
    fn stops_early(&self) -> bool {
        false
    }

    /// Returns true if [`FoldLists::peek`] may complete a list, and empty lists need not be visited.
    fn peeks(&self) -> bool {
        false
    }

    /// Returns true if the fold needs only the first neighbor of `vertex`, without its weight, and has processed it in
    /// this call. Called before the list is read, if that is cheap.
    fn peek(&self, vertex: VertexId, neighbor: VertexId) -> bool {
        _ = (vertex, neighbor);
        false
    }

    /// Starts the list of `vertex`.
    fn begin(&self, vertex: VertexId) -> Self::Fold;

    /// Processes the next piece; `Break` skips the rest of the list.
    fn neighbors(&self, vertex: VertexId, fold: &mut Self::Fold, piece: Neighbors<'_>) -> ControlFlow<()>;

    /// Ends the list of `vertex`; also called for an empty list and after `Break`.
    fn end(&self, vertex: VertexId, fold: Self::Fold);
}

impl<F: FoldLists> Visit for F {
    fn selective(&self) -> bool {
        FoldLists::selective(self)
    }

    fn filter(&self, first: VertexId, wanted: &mut [u64]) {
        retain_requested(first, wanted, |vertex| self.wants(vertex));
    }

    fn stops_early(&self) -> bool {
        FoldLists::stops_early(self)
    }

    fn peeks(&self) -> bool {
        FoldLists::peeks(self)
    }

    fn peek(&self, first: VertexId, mut wanted: u64, neighbors: &FirstNeighbors) -> u64 {
        let mut rest = wanted;
        while rest != 0 {
            let bit = rest.trailing_zeros();
            if FoldLists::peek(self, first + bit, neighbors[bit as usize]) {
                wanted &= !(1 << bit);
            }
            rest &= rest - 1;
        }
        wanted
    }

    fn worker(&self) -> Box<dyn VisitBatch + '_> {
        Box::new(Folding { visit: self, open: None })
    }
}

/// Folds of one worker.
struct Folding<'v, F: FoldLists> {
    visit: &'v F,
    /// Fold of the current list.
    open: Option<F::Fold>,
}

impl<F: FoldLists> VisitBatch for Folding<'_, F> {
    fn lists(&mut self, batch: &ListBatch<'_>) -> Result<ControlFlow<()>> {
        if !batch.continues && !batch.continues_after {
            for (vertex, list) in batch.lists() {
                let mut fold = self.visit.begin(vertex);
                if !list.is_empty() {
                    _ = self.visit.neighbors(vertex, &mut fold, list);
                }
                self.visit.end(vertex, fold);
            }
            return Ok(ControlFlow::Continue(()));
        }
        self.pieces(batch)
    }
}

impl<F: FoldLists> Folding<'_, F> {
    /// Processes a batch whose first or last list is incomplete.
    #[inline(never)]
    fn pieces(&mut self, batch: &ListBatch<'_>) -> Result<ControlFlow<()>> {
        let mut continues_after = if batch.continues_after { batch.len() } else { usize::MAX };
        let mut flow = ControlFlow::Continue(());
        for (vertex, list) in batch.lists() {
            continues_after = continues_after.saturating_sub(1);
            let mut fold = self.open.take().unwrap_or_else(|| self.visit.begin(vertex));
            let piece =
                if list.is_empty() { ControlFlow::Continue(()) } else { self.visit.neighbors(vertex, &mut fold, list) };
            if continues_after == 0 && piece.is_continue() {
                self.open = Some(fold);
            } else {
                self.visit.end(vertex, fold);
                if continues_after == 0 {
                    flow = piece;
                }
            }
        }
        Ok(flow)
    }
}
