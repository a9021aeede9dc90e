//! Reading of lists for queries, within the memory of the graph; lists stay open between queries as between runs.

use super::requested_vertices::RequestedVertices;
use crate::graph::Graph;
use crate::lists::{IndexParts, Lists, Reads, Warm, memory, sides};
use crate::result::{NodeIds, TableSource, batch_memory};
use outcrop_algorithms::{ListUse, Requirements};
use outcrop_store::access::OpenLists;
use outcrop_store::layout::compact::IndexResidence;
use outcrop_store::writing::{ArcGatherer, GatherSettings};
use outcrop_types::{Direction, Error, MemoryBudget, MemoryPlan, Purpose, Result};
use std::str::FromStr;
use std::sync::Arc;

/// Maximum number of vertices for which only parts of the index are read.
const FEW_MEMBERS: usize = 16;
/// Reciprocal of the share of the remaining memory for each of two sorters.
const SORTER_SHARE: u64 = 8;
/// Reciprocal of the share of that memory kept free for original IDs and the vertex order, if they fit.
const IDS_SHARE: u64 = 3;

/// Sides of the edges of a vertex, which are the same in an undirected graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sides {
    /// Edges from the vertex.
    #[default]
    Out,
    /// Edges to the vertex.
    In,
    /// Edges from the vertex, then edges to it.
    Both,
}

impl FromStr for Sides {
    type Err = Error;

    /// Parses `out`, `in` or `both`.
    fn from_str(text: &str) -> Result<Self> {
        match text {
            "out" => Ok(Self::Out),
            "in" => Ok(Self::In),
            "both" => Ok(Self::Both),
            _ => Err(Error::Usage(format!("direction must be out, in or both, not {text:?}"))),
        }
    }
}

impl Sides {
    /// Returns the directions whose lists contain these edges: in an undirected graph, a single direction contains all.
    pub(super) fn directions(self, graph: &Graph) -> &'static [Direction] {
        match self {
            _ if !graph.store.manifest().graph.directed => &[Direction::Out],
            Self::Out => &[Direction::Out],
            Self::In => &[Direction::In],
            Self::Both => &[Direction::Out, Direction::In],
        }
    }

    fn needs(self, graph: &Graph) -> Requirements {
        match self {
            _ if !graph.store.manifest().graph.directed => Requirements::OUT_LISTS,
            Self::Out => Requirements::OUT_LISTS,
            Self::In => Requirements::IN_LISTS,
            Self::Both => Requirements::BOTH_LISTS,
        }
    }
}

/// Query in progress: its memory, and the lists that stay open.
pub(super) struct Question<'g> {
    pub(super) graph: &'g Graph,
    pub(super) budget: MemoryBudget,
    needs: Requirements,
    /// Minimum memory to reserve.
    plan: MemoryPlan,
    /// True if the query sorts arcs and answers with original IDs.
    answers: bool,
    warm: Arc<Warm>,
}

impl<'g> Question<'g> {
    /// Starts a query that reads lists of these `sides`, sorts arcs and answers with original IDs; the caller reserves
    /// the memory in `own`.
    ///
    /// # Errors
    ///
    /// Returns an error with the exact minimum if the budget is too small.
    pub(super) fn begin(graph: &'g Graph, sides: Sides, own: MemoryPlan) -> Result<Self> {
        let own = own.and(&ArcGatherer::memory(&graph.store, 0)).with(Purpose::Results, batch_memory(&graph.store));
        let question = Self { answers: true, ..Self::begin_lists(graph, sides, own)? };
        graph.keep_ids(&question.warm, &question.budget, question.plan.total())?;
        Ok(question)
    }

    /// Same as [`Question::begin`] for a query that only reads lists. What the handle keeps is dropped unless it reads.
    ///
    /// # Errors
    ///
    /// Returns an error with the exact minimum if the budget is too small.
    pub(super) fn begin_lists(graph: &'g Graph, sides: Sides, own: MemoryPlan) -> Result<Self> {
        let (needs, budget) = (sides.needs(graph), MemoryBudget::new(graph.memory));
        let plan = graph.directions(needs).iter().fold(own, |plan, side| plan.and(&memory(graph, *side)));
        budget.require(&plan)?;
        let warm = graph.handed_over(&budget);
        Ok(Self { graph, budget, needs, plan, answers: false, warm })
    }

    /// Calls `work` to read lists (only those of the vertices in `only`, if given), with weights if `weighted`; passes
    /// the memory for each sorter to it. The query has already reserved `held` bytes of its plan.
    ///
    /// # Errors
    ///
    /// Returns an error if lists are damaged or `work` fails.
    pub(super) fn read<T>(
        &self,
        weighted: bool,
        held: u64,
        only: Option<&RequestedVertices>,
        work: impl FnOnce(OpenLists<'_>, u64) -> Result<T>,
    ) -> Result<T> {
        let free = self.graph.memory.saturating_sub(self.plan.total());
        let share = free / SORTER_SHARE;
        let kept = if self.warm.keeps_ids() { NodeIds::bytes_to_keep(&self.graph.store) } else { 0 };
        // The IDs of an answer should not evict lists that stay open.
        let all = Some(NodeIds::bytes_of_all(&self.graph.store)).filter(|bytes| bytes + kept <= free / IDS_SHARE);
        let answer = if self.answers { 2 * share + all.unwrap_or(0) } else { 0 };
        let unheld = self.plan.total().saturating_sub(held) + answer + kept;
        // Lists that stay open are read for other vertices, too.
        let few = only.filter(|asked| asked.ascending().len() <= FEW_MEMBERS && self.graph.last_run.is_none());
        let members = few.map(|asked| asked.ascending().iter().map(|(vertex, _)| *vertex).collect());
        let index = IndexParts { residence: IndexResidence::Resident, members };
        let reads =
            Reads { needs: self.needs, follows_frontiers: few.is_none(), list_use: ListUse::Few, weighted, index };
        let (budget, observer) = (&self.budget, &*self.graph.observer);
        let warm = self.graph.last_run.as_ref().map(|_| &*self.warm);
        let mut lists = self.graph.open_lists(&reads, &self.plan, unheld, budget, warm, observer)?;
        lists.show_weights(weighted);
        let (out, into) = sides(&lists, self.needs);
        let answer = work(OpenLists::new(out, into), share)?;
        self.close(lists);
        Ok(answer)
    }

    fn close(&self, lists: Lists) {
        self.graph.report_notes();
        if let Some(last) = &self.graph.last_run {
            self.warm.put(lists);
            last.keep(Arc::clone(&self.warm));
        }
    }

    /// Creates a gatherer of arcs whose sorters have `share` bytes each.
    pub(super) fn gatherer(&self, share: u64, weighted: bool, ascending: bool) -> Result<ArcGatherer<'_>> {
        ArcGatherer::new(GatherSettings {
            store: &self.graph.store,
            spill: self.graph.spill_folder()?,
            weighted,
            ascending,
            share,
            work: self.graph.work(&self.budget, &*self.graph.observer),
        })
    }

    /// Returns the source of an answer's IDs.
    pub(super) fn source(&self) -> Result<TableSource> {
        // The IDs of a handle stay in memory without the answer.
        let kept = self.graph.last_run.is_none().then(|| Arc::clone(&self.warm));
        Ok(TableSource { _kept: kept, ..TableSource::new(self.graph, self.budget.clone())? })
    }
}

impl Graph {
    /// Calls `work`, which reads no lists, within the memory; keeps open lists unless memory is short.
    pub(super) fn within_memory<T>(&self, work: impl FnOnce(&MemoryBudget) -> Result<T>) -> Result<T> {
        self.with_kept(|budget, warm| {
            self.keep_ids(warm, budget, 0)?;
            work(budget)
        })
    }

    /// Same as [`Graph::within_memory`] for work with what the handle keeps, to which no IDs are added.
    pub(super) fn with_kept<T>(&self, work: impl FnOnce(&MemoryBudget, &Warm) -> Result<T>) -> Result<T> {
        let budget = MemoryBudget::new(self.memory);
        let warm = self.handed_over(&budget);
        let done = work(&budget, &warm)?;
        self.last_run.iter().for_each(|last| last.keep(Arc::clone(&warm)));
        Ok(done)
    }

    /// Returns what the handle keeps in memory, if there is one.
    fn handed_over(&self, budget: &MemoryBudget) -> Arc<Warm> {
        self.last_run.as_ref().map_or_else(|| Warm::in_budget(budget), |last| last.hand_over(budget))
    }

    /// Keeps IDs that are read in memory from now on if there is room for them in addition to the `planned` bytes.
    fn keep_ids(&self, warm: &Warm, budget: &MemoryBudget, planned: u64) -> Result<()> {
        let room = self.memory.saturating_sub(planned) / IDS_SHARE;
        if !warm.keeps_ids() && NodeIds::bytes_to_keep(&self.store) <= room {
            warm.keep_ids(self.store.unlocked(self.io)?, self.io, budget)?;
        }
        Ok(())
    }

    /// Refuses weights of a graph that has none.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Usage`].
    pub(super) fn require_weights(&self, wanted: bool) -> Result<bool> {
        if wanted && !self.store.manifest().graph.weighted {
            return Err(Error::Usage(format!("{} has no weights", self.store.folder().display())));
        }
        Ok(wanted)
    }
}
