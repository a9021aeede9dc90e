//! All edges, in the order of their original ids.

use super::answer::{Answer, ArcColumns, Arcs};
use crate::graph::Graph;
use crate::result::{BATCH_MEMORY, TableSource};
use outcrop_io::Disk;
use outcrop_store::writing::{ArcOrder, ArcRanker};
use outcrop_types::{Purpose, Result};

impl Graph {
    /// All edges: the columns `source`, `target` and, where they are asked for, `weight`, in ascending order of the original ids of source and
    /// target. An undirected edge comes once, with the smaller id first. They are sorted before the first batch.
    ///
    /// # Errors
    /// Weights of a graph without any; a damaged store; a budget or disk that is too small; interruption.
    pub fn edges(&self, weights: bool) -> Result<Answer> {
        let weighted = self.require_weights(weights)?;
        let budget = self.budget();
        let ranker = ArcRanker {
            store: &self.store,
            io: self.io,
            temporary: (&Disk, &self.temp_folder),
            weighted,
            budget: &budget,
            workers: &self.workers,
            observer: &*self.observer,
        };
        budget.require(&ranker.memory().with(Purpose::Results, BATCH_MEMORY))?;
        let room = budget.reserve(BATCH_MEMORY, Purpose::Results)?;
        let arcs = Arcs { arcs: ranker.sort(ArcOrder::Edges)?, ranks: None, layer: None };
        drop(room);
        self.tell_notes();
        let columns = ArcColumns { first: "source", second: "target", weighted, layered: false };
        Ok(Answer::arcs(TableSource::new(self, budget)?, &columns, vec![arcs], Vec::new()))
    }
}
