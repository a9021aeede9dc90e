//! Changes applied to lists between a layout and a visitor.

use super::neighbors::Neighbors;
use super::packer::Packer;
use super::visit::{FirstNeighbors, ListBatch, Visit, VisitBatch};
use outcrop_types::{Result, VertexId};
use std::ops::ControlFlow;

/// Change of lists.
pub trait ChangeLists: Sync {
    /// State carried from one piece of a list to the next.
    type Rest;

    /// Returns true if the list of `vertex` stays as it is.
    fn leaves(&self, vertex: VertexId) -> bool {
        _ = vertex;
        false
    }

    /// Returns the vertices of the 64 from `first` on, a multiple of 64, whose lists may change.
    fn changed(&self, first: VertexId) -> u64 {
        (0..64).filter(|bit| !self.leaves(first + bit)).fold(0, |changed, bit| changed | 1 << bit)
    }

    /// Returns the first neighbor of the changed list of `vertex`, whose first neighbor on disk is `stored`; `None` if
    /// that is unknown without the list.
    fn first(&self, vertex: VertexId, stored: VertexId) -> Option<VertexId> {
        _ = (vertex, stored);
        None
    }

    /// Starts the list of `vertex`; returns `None` if the list is skipped.
    fn begin(&self, vertex: VertexId) -> Option<Self::Rest>;

    /// Passes the changed entries of the next piece to `take`, in nonempty parts; returns `Break` if the rest of the
    /// list is not requested.
    fn piece(&self, rest: &mut Self::Rest, piece: Neighbors<'_>, take: TakePart<'_>) -> ControlFlow<()>;

    /// Passes the entries after the last piece to `take`; not called after `Break`.
    fn end(&self, rest: Self::Rest, take: TakePart<'_>) {
        _ = (rest, take);
    }
}

/// Receiver of the parts of a list.
pub type TakePart<'t> = &'t mut dyn FnMut(Neighbors<'_>) -> ControlFlow<()>;

/// Visitor adapter that applies a change to lists.
pub struct Changing<'v, C> {
    visit: &'v dyn Visit,
    change: C,
}

impl<'v, C: ChangeLists> Changing<'v, C> {
    /// Creates an adapter that passes lists to `visit` with `change` applied.
    pub const fn new(visit: &'v dyn Visit, change: C) -> Self {
        Self { visit, change }
    }
}

impl<C: ChangeLists> Visit for Changing<'_, C> {
    fn selective(&self) -> bool {
        self.visit.selective()
    }

    fn filter(&self, first: VertexId, wanted: &mut [u64]) {
        self.visit.filter(first, wanted);
    }

    fn stops_early(&self) -> bool {
        self.visit.stops_early()
    }

    fn peeks(&self) -> bool {
        self.visit.peeks()
    }

    fn peek(&self, first: VertexId, wanted: u64, neighbors: &FirstNeighbors) -> u64 {
        let mut changed = wanted & self.change.changed(first);
        if changed == 0 {
            return self.visit.peek(first, wanted, neighbors);
        }
        let (mut shown, mut neighbors) = (wanted, *neighbors);
        while changed != 0 {
            let bit = changed.trailing_zeros();
            match self.change.first(first + bit, neighbors[bit as usize]) {
                Some(neighbor) => neighbors[bit as usize] = neighbor,
                None => shown &= !(1 << bit),
            }
            changed &= changed - 1;
        }
        self.visit.peek(first, shown, &neighbors) | wanted & !shown
    }

    fn changed(&self, first: VertexId) -> u64 {
        self.change.changed(first) | self.visit.changed(first)
    }

    fn reads_weights(&self) -> bool {
        self.visit.reads_weights()
    }

    fn worker(&self) -> Box<dyn VisitBatch + '_> {
        worker_of(self.visit, &self.change)
    }
}

/// Creates a worker that passes lists to `visit` with `change` applied.
pub fn worker_of<'v, C: ChangeLists>(visit: &'v dyn Visit, change: &'v C) -> Box<dyn VisitBatch + 'v> {
    Box::new(Worker { change, open: None, packer: Some(Packer::new(visit)) })
}

/// Worker that applies a change to lists.
struct Worker<'v, C: ChangeLists> {
    change: &'v C,
    /// State of the current list.
    open: Option<C::Rest>,
    /// Packer of the changed lists; `None` after the end.
    packer: Option<Packer<'v>>,
}

/// Minimum numbers of lists and of entries of a run of unchanged lists that is passed on without copying.
const RUN_LISTS: usize = 8;
const RUN_ENTRIES: usize = 64;

impl<C: ChangeLists> VisitBatch for Worker<'_, C> {
    /// Passes on runs of unchanged lists as they are, and packs all others.
    fn lists(&mut self, batch: &ListBatch<'_>) -> Result<ControlFlow<()>> {
        let (mut done, mut next, mut flow) = (0, 0, ControlFlow::Continue(()));
        while next < batch.len() {
            let end = next + batch.vertices[next..].iter().take_while(|vertex| self.change.leaves(**vertex)).count();
            let run = batch.part(next..end);
            // All pieces of a list must be passed on, or all be packed.
            let is_piece = end > next && (run.continues || run.continues_after);
            if is_piece || run.len() >= RUN_LISTS || run.entries() >= RUN_ENTRIES {
                _ = self.change_lists(&batch.part(done..next))?;
                flow = self.packer.as_mut().map_or(Ok(ControlFlow::Break(())), |packer| packer.pass(&run))?;
                done = end;
            }
            next = end.max(next + 1);
        }
        if done < batch.len() { self.change_lists(&batch.part(done..batch.len())) } else { Ok(flow) }
    }

    fn finish(&mut self) -> Result<()> {
        self.packer.take().map_or(Ok(()), Packer::close)
    }
}

impl<C: ChangeLists> Worker<'_, C> {
    /// Applies the change to lists, and packs them.
    fn change_lists(&mut self, batch: &ListBatch<'_>) -> Result<ControlFlow<()>> {
        let Some(packer) = &mut self.packer else { return Ok(ControlFlow::Break(())) };
        let mut left = batch.len();
        for (vertex, list) in batch.lists() {
            left -= 1;
            let continues_after = left == 0 && batch.continues_after();
            let begun = self.open.take().or_else(|| self.change.begin(vertex).inspect(|_| packer.begin(vertex)));
            let Some(mut rest) = begun else {
                if continues_after {
                    return Ok(ControlFlow::Break(()));
                }
                continue;
            };
            let mut take = |part: Neighbors<'_>| packer.piece(part.into());
            let flow = self.change.piece(&mut rest, list, &mut take);
            if continues_after && flow.is_continue() {
                self.open = Some(rest);
                return Ok(flow);
            }
            if flow.is_continue() {
                self.change.end(rest, &mut take);
            }
            packer.end()?;
            if continues_after {
                return Ok(flow);
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}
