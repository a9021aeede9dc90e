//! Runs of programs, from the first superstep to the last.

use super::state::{MessageRun, Progress};
use crate::engine::MessageEngine;
use crate::lists::{ChangedGraph, EdgeLog, EdgeWords};
use crate::program::MessageProgram;
use crate::records::{RecordLog, RecordSetup, Records};
use crate::requirements::MessageRequirements;
use outcrop_engine::VertexArray;
use outcrop_types::{BitSet, Error, Result, VertexSet, length_from};

/// Result of a run, without values.
#[derive(Debug)]
pub struct MessageResult<R> {
    /// Number of supersteps.
    pub supersteps: u32,
    /// Written records by key; `None` if the requirements have none.
    pub records: Option<Records<R>>,
}

impl<'g> MessageEngine<'g> {
    /// Runs `program` on `values` ([`MessageEngine::values`]), starting with the `active` vertices. The run ends when
    /// no vertex is active and no message is pending, when the program does not continue, or after `limit` supersteps.
    ///
    /// # Errors
    /// Returns an error if lists are not open, if values differ from the requirements in size or number, if a read
    /// fails or is damaged, if the disk is full, if the messages to one vertex exceed the grouping memory, or on
    /// interruption.
    pub fn run<P: MessageProgram>(
        &self,
        program: &P,
        values: &mut VertexArray<P::Value>,
        active: &VertexSet,
        limit: u32,
    ) -> Result<MessageResult<P::Record>> {
        self.check::<P>(values)?;
        let (requirements, before, earlier) = (&self.setup.requirements, values.traffic(), self.value_traffic());
        let vertices = requirements.all_vertices();
        let mut run = self.prepare(program)?;
        active.for_each(|vertex| _ = run.active.insert(vertex));
        let spaces = (0..2).map(|_| self.space()).collect::<Result<Vec<_>>>()?;
        let edge_log = self
            .setup
            .options
            .edge_log
            .then(|| EdgeLog::new(self.setup.spill, vertices, requirements.weighted, self.shares.edge_log));
        let mut progress = Progress::new(requirements.vertices, spaces, edge_log);
        let mut supersteps = 0;
        while supersteps < limit && run.should_continue() {
            self.setup.workers.cancellation().check()?;
            self.checkpoint("supersteps", |state| {
                state.number(&mut supersteps)?;
                run.visit(&mut progress.step, state)?;
                state.array(values)
            })?;
            run.superstep(&mut progress, values)?;
            let (now, words) = (values.traffic(), run.edge_words.as_ref().map_or((0, 0), EdgeWords::traffic));
            let traffic = (earlier.0 + now.0 - before.0 + words.0, earlier.1 + now.1 - before.1 + words.1);
            self.note_traffic(traffic, run.log.figures());
            let ended = run.end(&mut progress)?;
            supersteps += 1;
            if !program.continues(&ended) {
                break;
            }
        }
        self.keep_figures(progress.figures(run.log.figures()));
        let records = run.records.map(RecordLog::finish).transpose()?;
        Ok(MessageResult { supersteps, records })
    }

    /// Rejects values and lists that differ from the requirements.
    fn check<P: MessageProgram>(&self, values: &VertexArray<P::Value>) -> Result<()> {
        let requirements = &self.setup.requirements;
        let sizes = [length_from(size_of::<P::Value>()), length_from(size_of::<P::Message>())];
        let fitting = values.len() == requirements.all_vertices() as usize
            && values.is_on_disk() == requirements.on_disk
            && sizes[0] <= requirements.value_bytes
            && sizes[1] == requirements.message_bytes
            && P::COMBINES == requirements.combines
            && length_from(P::EDGE_WORDS) == requirements.edge_words
            && !(P::EDGE_WORDS > 0 && requirements.changes)
            && (requirements.records.1 == 0 || requirements.records.1 == length_from(size_of::<P::Record>()));
        if !fitting {
            return Err(Error::internal(
                "the values, messages, edge words or records of a program differ from its requirements",
            ));
        }
        let open = &self.setup.lists;
        match requirements.sides.lists(open.undirected()).iter().all(|direction| open.of(*direction).is_some()) {
            true => Ok(()),
            false => Err(Error::internal("a program reads lists that are not open")),
        }
    }

    fn prepare<'r, P: MessageProgram>(&'r self, program: &'r P) -> Result<MessageRun<'r, 'g, P>> {
        let (setup, requirements) = (&self.setup, &self.setup.requirements);
        let vertices = requirements.all_vertices();
        let log = self.message_log()?;
        let records = RecordSetup {
            keys: requirements.records.0,
            memory: self.shares.records,
            records: 0,
            spill: setup.spill,
            workers: setup.workers,
            budget: setup.budget,
        };
        let records = (requirements.records.1 > 0).then(|| RecordLog::new(records)).transpose()?;
        let graph = requirements
            .changes
            .then(|| {
                let &MessageRequirements { directed, weighted, vertices: existing, .. } = requirements;
                ChangedGraph::new(existing, vertices, directed, weighted, setup.budget)
            })
            .transpose()?;
        let edge_words = (P::EDGE_WORDS > 0)
            .then(|| {
                let lists = self.lists([None, None], None);
                EdgeWords::new(&lists, requirements.edge_words, self.shares.edge_words, setup.budget, setup.spill)
            })
            .transpose()?;
        let shares = self.shares;
        let empty = || BitSet::empty(vertices);
        let (active, next, before, wanted) = (empty(), empty(), empty(), empty());
        Ok(MessageRun { engine: self, program, shares, log, records, edge_words, graph, active, next, before, wanted })
    }
}
