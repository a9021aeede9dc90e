//! Visits of some vertices within sweeps, past all others.

use outcrop_store::access::{ListBatch, Packer, Visit, VisitBatch};
use outcrop_types::{BitSet, Result, VertexId};
use std::ops::ControlFlow;

/// Those of a visit that are members.
pub(super) struct Among<'v> {
    pub(super) members: &'v BitSet,
    pub(super) visit: &'v dyn Visit,
    /// Whether everything is read, and what is wanted of it visited: what systems do that know no other way (LOSC, section 3.6).
    pub(super) whole: bool,
}

impl Among<'_> {
    fn keep_members(&self, first: VertexId, wanted: &mut [u64]) {
        for (base, word) in (first..).step_by(64).zip(&mut *wanted) {
            let mut rest = *word;
            while rest != 0 {
                if !self.members.contains(base + rest.trailing_zeros()) {
                    *word &= !(rest & rest.wrapping_neg());
                }
                rest &= rest - 1;
            }
        }
        if self.visit.selective() {
            self.visit.filter(first, wanted);
        }
    }

    fn visits(&self, vertex: VertexId) -> bool {
        let mut wanted = [1];
        self.keep_members(vertex, &mut wanted);
        wanted != [0]
    }
}

impl Visit for Among<'_> {
    fn selective(&self) -> bool {
        !self.whole
    }

    fn filter(&self, first: VertexId, wanted: &mut [u64]) {
        self.keep_members(first, wanted);
    }

    fn stops_early(&self) -> bool {
        self.visit.stops_early()
    }

    fn worker(&self) -> Box<dyn VisitBatch + '_> {
        match self.whole {
            false => self.visit.worker(),
            true => Box::new(Chosen { among: self, packer: Some(Packer::new(self.visit)), open: None }),
        }
    }
}

/// One worker's end where everything is read.
struct Chosen<'v> {
    among: &'v Among<'v>,
    /// Until the work has ended.
    packer: Option<Packer<'v>>,
    /// Whether the list that goes on is wanted.
    open: Option<bool>,
}

impl VisitBatch for Chosen<'_> {
    fn lists(&mut self, batch: &ListBatch<'_>) -> Result<ControlFlow<()>> {
        let Some(packer) = &mut self.packer else { return Ok(ControlFlow::Break(())) };
        let mut left = batch.len();
        for (vertex, list) in batch.lists() {
            left -= 1;
            let wanted = self.open.take().unwrap_or_else(|| {
                let wanted = self.among.visits(vertex);
                if wanted {
                    packer.begin(vertex);
                }
                wanted
            });
            let flow = if wanted { packer.piece(list.ids(), list.weights()) } else { ControlFlow::Break(()) };
            let goes_on = left == 0 && batch.goes_on();
            if goes_on && flow.is_continue() {
                self.open = Some(wanted);
                return Ok(flow);
            }
            if wanted {
                packer.end()?;
            }
            if goes_on {
                return Ok(flow);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn finish(&mut self) -> Result<()> {
        self.packer.take().map_or(Ok(()), Packer::close)
    }
}
