//! Edges between pairs of vertices.

use super::reading::{Question, Sides};
use super::requested_vertices::{AtPlaces, RequestedVertices};
use crate::graph::Graph;
use outcrop_store::writing::IdBatch;
use outcrop_types::{BitSet, Error, Purpose, Result};
use std::ops::ControlFlow;

impl Graph {
    /// Returns for each source and the target at the same position if there is an edge between them; in an undirected
    /// graph, in either direction.
    ///
    /// # Errors
    ///
    /// Returns an error if the numbers of sources and targets differ, if an ID is not in the graph, if the budget is
    /// too small, if the store is damaged, or if the query is interrupted.
    pub fn has_edges(&self, sources: &IdBatch, targets: &IdBatch) -> Result<Vec<bool>> {
        if sources.len() != targets.len() {
            let message =
                format!("expected one target per source: {} sources, {} targets", sources.len(), targets.len());
            return Err(Error::Usage(message));
        }
        let count = sources.len() as u32;
        let plan = RequestedVertices::memory(self, sources.len()).and(&RequestedVertices::memory(self, targets.len()));
        let plan = plan.with(Purpose::Frontier, BitSet::bytes(count));
        let question = Question::begin(self, Sides::Out, plan)?;
        let asked = RequestedVertices::find(self, sources, &question.budget)?;
        let others = RequestedVertices::find(self, targets, &question.budget)?;
        let (targets, found) = (others.vertices(), BitSet::empty(count));
        let visit = AtPlaces::new(&asked, |place, piece| {
            if piece.ids().binary_search(&targets[place as usize]).is_ok() {
                found.insert(place);
            }
            ControlFlow::Continue(())
        });
        question.read(false, asked.bytes() + others.bytes(), Some(&asked), |lists, _| {
            for direction in Sides::Out.directions(self) {
                lists.require(*direction)?.select(&asked.set(self), &visit)?;
            }
            Ok(())
        })?;
        Ok((0..count).map(|place| found.contains(place)).collect())
    }
}
