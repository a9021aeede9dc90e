//! Iteration over the arcs of swept lists.

use crate::access::{FoldLists, Neighbors};
use outcrop_types::{Result, VertexId};
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

/// Visitor that passes every list entry to a function: vertex, neighbor and weight. A piece of a list is passed as a
/// unit, so equal arcs keep their order.
pub(super) struct EachArc<F>(Mutex<(F, Result<()>)>);

impl<F: FnMut(VertexId, VertexId, f64) -> Result<()> + Send> EachArc<F> {
    pub(super) const fn new(take: F) -> Self {
        Self(Mutex::new((take, Ok(()))))
    }

    /// Ends the visit.
    ///
    /// # Errors
    ///
    /// Returns the first error of the function, which was not called again afterwards.
    pub(super) fn finish(self) -> Result<()> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner).1
    }
}

impl<F: FnMut(VertexId, VertexId, f64) -> Result<()> + Send> FoldLists for EachArc<F> {
    type Fold = ();

    fn selective(&self) -> bool {
        false
    }

    fn begin(&self, _: VertexId) {}

    fn neighbors(&self, vertex: VertexId, (): &mut (), piece: Neighbors<'_>) -> ControlFlow<()> {
        let mut guard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
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
