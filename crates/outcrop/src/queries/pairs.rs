//! Edges between pairs of vertices.

use super::asked::Asked;
use super::reading::{Question, Sides};
use crate::graph::Graph;
use outcrop_store::access::{FoldLists, Neighbours};
use outcrop_store::writing::IdBatch;
use outcrop_types::{BitSet, Error, Purpose, Result, VertexId};
use std::ops::{ControlFlow, Range};

impl Graph {
    /// True for each pair of a source and the target at the same position that have an edge; of an undirected graph in either order.
    ///
    /// # Errors
    /// Not as many targets as sources; an id that the graph does not have; a budget that is too small; a damaged store; interruption.
    pub fn has_edges(&self, sources: &IdBatch, targets: &IdBatch) -> Result<Vec<bool>> {
        if sources.len() != targets.len() {
            let message = format!("{} sources need as many targets, not {}", sources.len(), targets.len());
            return Err(Error::Usage(message));
        }
        let count = sources.len() as u32;
        let plan = Asked::memory(self, sources.len()).and(&Asked::memory(self, targets.len()));
        let plan = plan.with(Purpose::Frontier, BitSet::bytes(count));
        let question = Question::begin(self, Sides::Out, plan)?;
        let asked = Asked::find(self, sources, &question.budget)?;
        let others = Asked::find(self, targets, &question.budget)?;
        let found = BitSet::empty(count);
        let visit = Seek { asked: &asked, targets: others.vertices(), found: &found };
        question.read((false, asked.bytes() + others.bytes()), |lists, _| {
            for direction in Sides::Out.directions(self) {
                lists.require(*direction)?.select(&asked.set(self), &visit)?;
            }
            Ok(())
        })?;
        Ok((0..count).map(|place| found.contains(place)).collect())
    }
}

/// Looks for targets in the lists of their sources.
struct Seek<'s> {
    asked: &'s Asked,
    /// The vertex that is looked for at each place.
    targets: Vec<VertexId>,
    found: &'s BitSet,
}

impl FoldLists for Seek<'_> {
    type Fold = Range<usize>;

    fn selective(&self) -> bool {
        false
    }

    fn begin(&self, vertex: VertexId) -> Range<usize> {
        self.asked.places(vertex)
    }

    fn neighbours(&self, _: VertexId, positions: &mut Range<usize>, piece: Neighbours<'_>) -> ControlFlow<()> {
        for place in positions.clone().map(|position| self.asked.place(position)) {
            if piece.ids().binary_search(&self.targets[place as usize]).is_ok() {
                self.found.insert(place);
            }
        }
        ControlFlow::Continue(())
    }

    fn end(&self, _: VertexId, _: Range<usize>) {}
}
