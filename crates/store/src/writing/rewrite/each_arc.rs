//! Iteration over the arcs of swept lists.

use crate::access::{FoldLists, Neighbors};
use outcrop_types::{BitSet, Result, VertexId};
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

/// Visitor that passes every list entry to a function: vertex, neighbor and weight. A piece of a list is passed as a
/// unit, so equal arcs keep their order.
pub(super) struct EachArc<'v, F> {
    take: Mutex<(F, Result<()>)>,
    /// Vertices whose lists are read; `None` for all.
    only: Option<&'v BitSet>,
}

impl<'v, F: FnMut(VertexId, VertexId, f64) -> Result<()> + Send> EachArc<'v, F> {
    pub(super) const fn new(take: F) -> Self {
        Self::of(None, take)
    }

    /// Visits the lists of some vertices.
    pub(super) const fn of(only: Option<&'v BitSet>, take: F) -> Self {
        Self { take: Mutex::new((take, Ok(()))), only }
    }

    /// Ends the visit.
    ///
    /// # Errors
    ///
    /// Returns the first error of the function, which was not called again afterwards.
    pub(super) fn finish(self) -> Result<()> {
        self.take.into_inner().unwrap_or_else(PoisonError::into_inner).1
    }
}

impl<F: FnMut(VertexId, VertexId, f64) -> Result<()> + Send> FoldLists for EachArc<'_, F> {
    type Fold = ();

    fn selective(&self) -> bool {
        self.only.is_some()
    }

    fn wants(&self, vertex: VertexId) -> bool {
        self.only.is_none_or(|only| only.contains(vertex))
    }

    fn begin(&self, _: VertexId) {}

    fn neighbors(&self, vertex: VertexId, (): &mut (), piece: Neighbors<'_>) -> ControlFlow<()> {
        let mut guard = self.take.lock().unwrap_or_else(PoisonError::into_inner);
        let (take, outcome) = &mut *guard;
        if outcome.is_err() {
            return ControlFlow::Break(());
        }
        piece.try_for_each(|neighbor, weight| match take(vertex, neighbor, weight) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                *outcome = Err(error);
                ControlFlow::Break(())
            }
        })
    }

    fn end(&self, _: VertexId, (): ()) {}
}
