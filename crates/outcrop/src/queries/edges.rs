//! All edges, in ascending order of original IDs.

use super::answer::{Answer, ArcColumns, Arcs};
use crate::graph::Graph;
use crate::result::{TableSource, batch_memory};
use outcrop_store::writing::{ArcOrder, ArcRanker};
use outcrop_types::{Purpose, Result};

impl Graph {
    /// Returns all edges with the columns `source`, `target` and, if requested, `weight`, in ascending order of the
    /// original IDs of source and target. An undirected edge is returned once, smaller ID first. Edges are sorted
    /// before the first batch.
    ///
    /// # Errors
    ///
    /// Returns an error if weights are requested but the graph has none, if the store is damaged, if the budget or disk
    /// is too small, or if the query is interrupted.
    pub fn edges(&self, weights: bool) -> Result<Answer> {
        let weighted = self.require_weights(weights)?;
        let budget = self.budget();
        let ranker = ArcRanker {
            store: &self.store,
            temporary: &self.temp_folder,
            weighted,
            ranked: true,
            salvages: false,
            work: self.work(&budget, &*self.observer),
        };
        let batches = batch_memory(&self.store);
        budget.require(&ranker.memory().with(Purpose::Results, batches))?;
        let room = budget.reserve(batches, Purpose::Results)?;
        let arcs = Arcs { arcs: ranker.sort(ArcOrder::Edges, &[])?, ranks: None, layer: None };
        drop(room);
        self.report_notes();
        let columns = ArcColumns { first: "source", second: "target", weighted, layered: false };
        Ok(Answer::arcs(TableSource::new(self, budget)?, &columns, vec![arcs], Vec::new()))
    }
}
