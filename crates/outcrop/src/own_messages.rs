//! Programs of one's own in the messages model.

use crate::graph::Graph;
use crate::lists::{Lists, Reads};
use crate::own::OwnResult;
use crate::request::{MessageChoices, ValuePlace};
use crate::result::{TableSource, by_rank};
use crate::run::{MessageWork, index_residence, needs_of};
use outcrop_algorithms::{Column, Values};
use outcrop_engine::interval::Storage;
use outcrop_engine::messages::{MessageDemand, MessageProgram, Plain, Sides};
use outcrop_io::SpillFolder;
use outcrop_store::layout::StoredLists;
use outcrop_types::{MemoryBudget, MemoryPlan, Result, VertexId, VertexSet};

/// Which vertices are active in the first superstep.
#[derive(Clone, Copy, Debug)]
pub enum FirstActive<'r> {
    /// All.
    All,
    /// Those with these original ids.
    Ids(&'r [String]),
}

/// Where a [`MessageProgram`] begins, what it sees and when it ends.
pub struct MessageRun<'r, V, T> {
    /// The name of the column of the result.
    pub column: &'r str,
    /// The value that each vertex begins with.
    pub start: &'r (dyn Fn(VertexId) -> V + Sync),
    /// The part of the last value of a vertex that is the result.
    pub result: &'r (dyn Fn(V) -> T + Sync),
    /// Which vertices begin.
    pub active: FirstActive<'r>,
    /// Which lists the program is shown.
    pub sides: Sides,
    /// Against which lists of a vertex messages come to it, which says how many there may be: [`Sides::In`] where they are sent along
    /// out-edges.
    pub along: Sides,
    /// Whether the program adds or removes edges or vertices. Nothing of that changes the store.
    pub changes: bool,
    /// The most supersteps; fewer where no vertex is active any more.
    pub at_most: u32,
    /// Where values are kept.
    pub values: ValuePlace,
    /// How messages are kept and delivered.
    pub messages: MessageChoices,
}

impl<V: Plain, T: Plain> MessageRun<'_, V, T> {
    /// What a run of `P` on `graph` asks for.
    fn work<P: MessageProgram<Value = V>>(&self, graph: &Graph, on_disk: bool) -> MessageWork {
        let manifest = graph.store.manifest();
        let [value, message, result] =
            [size_of::<V>(), size_of::<P::Message>(), size_of::<T>()].map(|size| size as u64);
        let demand = MessageDemand {
            vertices: manifest.vertices,
            spare_vertices: 0,
            on_disk,
            sides: self.sides,
            along: self.along,
            directed: manifest.directed,
            weighted: manifest.weighted,
            value_bytes: value,
            message_bytes: message,
            combines: P::COMBINES,
            changes: self.changes,
            records: (0, 0),
        };
        MessageWork {
            needs: needs_of(self.sides),
            demand,
            value_bytes: value + result,
            column_bytes: result,
            records: 0,
        }
    }
}

impl Graph {
    /// Computes vertices by `program`, superstep after superstep, until none is active and no message waits; `examples/medians.rs` does.
    ///
    /// # Errors
    /// A budget that does not hold the program, a full disk, an id that the graph does not have, a damaged store.
    pub fn run_message_program<P, T>(&self, program: &P, run: &MessageRun<'_, P::Value, T>) -> Result<OwnResult>
    where
        P: MessageProgram,
        T: Plain,
        Values: From<Storage<T>>,
    {
        let budget = MemoryBudget::new(self.memory);
        let (work, plan) = self.place_messages(run.values, |on_disk| run.work::<P>(self, on_disk))?;
        budget.require(&plan)?;
        let spill = self.message_folder(&work)?;
        let active = match run.active {
            FirstActive::All => VertexSet::all(self.num_vertices()),
            FirstActive::Ids(ids) => VertexSet::from_members(self.find_all(ids, &budget)?, self.num_vertices()),
        };
        let lists = self.open_for_messages(&work, &plan, &budget)?;
        self.tell_notes();
        let ran = OwnRun { graph: self, work, spill: &spill, budget: &budget };
        let columns = ran.columns(program, run, (&*lists, active))?;
        drop(lists);
        let source = TableSource::new(self, budget);
        Ok(OwnResult::new(by_rank(columns, &source)?.0, source))
    }

    fn open_for_messages(&self, work: &MessageWork, plan: &MemoryPlan, budget: &MemoryBudget) -> Result<Lists> {
        let beside = self.engine_bytes(work, budget.available().saturating_sub(plan.total()));
        let reads = Reads { needs: work.needs, follows_frontiers: false, index: index_residence(work.demand.on_disk) };
        self.open_lists(reads, plan, plan.total() + beside, budget, &*self.observer)
    }
}

/// A program of one's own that is being run.
struct OwnRun<'g> {
    graph: &'g Graph,
    work: MessageWork,
    spill: &'g SpillFolder,
    budget: &'g MemoryBudget,
}

impl OwnRun<'_> {
    fn columns<P: MessageProgram, T: Plain>(
        &self,
        program: &P,
        run: &MessageRun<'_, P::Value, T>,
        (lists, active): (&[StoredLists], VertexSet),
    ) -> Result<Vec<Column>>
    where
        Values: From<Storage<T>>,
    {
        let (options, observer) = (run.messages.options(), &*self.graph.observer);
        let engine = self.graph.message_engine(&self.work, lists, (options, self.spill), (self.budget, observer))?;
        let mut values = engine.values(run.start)?;
        engine.run(program, &mut values, &active, run.at_most)?;
        let result = engine.project(&values, run.result)?;
        Ok(vec![Column::new(run.column.to_owned(), Values::from(result))])
    }
}
