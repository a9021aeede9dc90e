//! The messages model (MultiLogVC): what its engine is asked for, who gets which memory, and where messages go.

use super::context::{Finished, ModelRun, Reading, RunContext};
use super::model::Planned;
use super::named_vertices::NamedVertices;
use super::purposes::positive;
use super::steps::step_rows;
use crate::lists;
use crate::memory_size::CacheSize;
use crate::result::ROW_BYTES;
use outcrop_algorithms::models::MessageWork;
use outcrop_algorithms::params::Choice;
use outcrop_algorithms::params::message_options;
use outcrop_algorithms::{MessageDriver, VertexVector};
use outcrop_engine::Directions;
use outcrop_io::SpillFolder;
use outcrop_messages::log::LogBackend;
use outcrop_messages::{Extent, MessageEngine, MessageOptions, MessageSetup};
use outcrop_report::MessageRecord;
use outcrop_store::access::OpenLists;
use outcrop_store::layout::StoredLists;
use outcrop_types::{Direction, MemoryPlan, MessageFigures, Purpose, Result};

/// The part of the memory that the plan leaves which the page cache gets, where nothing else is said: a quarter.
const CACHE_SHARE: u64 = 4;

/// Bytes of a value in a column of a result, at most.
const COLUMN_BYTES: u64 = 8;

/// Records are kept in pages of so many bytes at least.
const RECORD_PAGE: u64 = 4 << 10;
/// The places of so many pages on disk take so many bytes.
const PLACES: u64 = 7000;
const PLACES_BYTES: u64 = 64 << 10;

/// More than any engine takes for buffers.
const ENOUGH: u64 = 32 << 20;

impl ModelRun for Planned<'_, MessageWork, MessageDriver> {
    fn memory(&self) -> Result<MemoryPlan> {
        let requirements = &self.work.requirements;
        let longest =
            |sides| self.sides(sides).iter().map(|direction| self.longest_list(*direction)).sum::<Result<_>>();
        let messages = if requirements.combines { 0 } else { longest(requirements.along)? };
        let arcs = self.graph.directions(self.needs).first().map_or(0, |direction| lists::arcs(self.graph, *direction));
        let least = requirements.least_for(Extent { arcs, list: longest(requirements.sides)?, messages });
        let plan = positive(&least.with(Purpose::IoBuffers, self.record_places()));
        let plan = if self.on_disk { plan } else { plan.with(Purpose::VertexValues, self.vectors()) };
        Ok(self.with_lists(plan))
    }

    fn useful_memory(&self, caches: u64) -> u64 {
        match self.graph.page_cache {
            // The page cache is a quarter, rounded down.
            CacheSize::Rest => self.useful_bytes().min((caches + 1) * (CACHE_SHARE - 1)),
            _ => 0,
        }
    }

    /// Room for its values, columns that come into another order, records and the rows that they become, and the
    /// messages of a superstep beside those of the one before.
    fn temporary_bytes(&self) -> u64 {
        let (_, record_bytes) = self.work.requirements.records;
        let kept = self.work.records.saturating_mul(4 + record_bytes + ROW_BYTES);
        let values = self.value_room(self.vectors(), COLUMN_BYTES);
        values.saturating_add(kept).saturating_add(self.messages_at_once().saturating_mul(2))
    }

    /// The folder with room for values. How many messages do not fit the memory shows during the run.
    fn spill_folder(&self) -> Result<Option<SpillFolder>> {
        self.folder_with_room(self.value_room(self.vectors(), COLUMN_BYTES)).map(Some)
    }

    fn execute(
        &self,
        run: &RunContext<'_>,
        named: &NamedVertices,
        vector: Option<VertexVector>,
    ) -> Result<(Finished, Reading)> {
        run.on_lists(
            vector,
            |rest| self.engine_bytes(rest),
            |lists, ranks, vector| {
                let options = message_options(run.request.args())?;
                let engine = self.engine(run, lists, options)?;
                let (mut outcome, seconds) =
                    run.compute(&engine, || (self.driver)(&engine, run.session(ranks, named, vector)))?;
                let (figures, messages, (read, written)) =
                    (engine.figures(), engine.message_figures(), engine.value_traffic());
                drop(engine);
                // The engine counts logs of messages with values.
                let value_traffic =
                    (read.saturating_sub(messages.log_bytes_read), written + messages.edge_log_bytes_written);
                let rows = outcome.walks.take().map(|records| step_rows(run, records)).transpose()?;
                let messages = Some(message_record(options, run.request.message_log(), messages));
                Ok(Finished { value_traffic, messages, rows, ..Finished::new(outcome, seconds, figures) })
            },
        )
    }
}

impl Planned<'_, MessageWork, MessageDriver> {
    /// Bytes of all vectors of values that exist at once.
    fn vectors(&self) -> u64 {
        let MessageWork { requirements, value_bytes, .. } = &self.work;
        (u64::from(requirements.vertices) + u64::from(requirements.spare_vertices)) * value_bytes
    }

    /// Memory of the places of records on disk, in bytes: beyond what the engine is given.
    fn record_places(&self) -> u64 {
        let (records, (_, record_bytes)) = (self.work.records, self.work.requirements.records);
        let pages = records.saturating_mul(4 + record_bytes) / RECORD_PAGE;
        if records == 0 { 0 } else { PLACES_BYTES * (2 + pages / PLACES) }
    }

    /// The directions that `sides` means here: an undirected graph has one.
    fn sides(&self, sides: Directions) -> &'static [Direction] {
        sides.lists(!self.graph.store.manifest().graph.directed)
    }

    /// Maximum bytes of the messages of a superstep in a log.
    fn messages_at_once(&self) -> u64 {
        let requirements = &self.work.requirements;
        let arcs = |direction| lists::arcs(self.graph, self.graph.store.stored(direction));
        let arcs: u64 = self.sides(requirements.along).iter().copied().map(arcs).sum();
        arcs.saturating_mul(4 + requirements.message_bytes)
    }

    /// Memory beyond which the engine gains nothing, in bytes: its logs, which are a twentieth of it, hold all messages
    /// of two supersteps in pages that are not all full.
    fn useful_bytes(&self) -> u64 {
        let lists = self.work.requirements.list_bytes(self.arcs()).saturating_mul(2);
        self.messages_at_once().saturating_mul(50).max(lists).saturating_add(ENOUGH)
    }

    /// The part of the `rest` bytes beyond the plan that the engine gets to sort messages and to hold lists. The page
    /// cache gets what is left: a quarter, or more where everything that the engine can use is held.
    ///
    /// All messages of a superstep are written and read again where they are not held, and lists only where they are
    /// active: messages come first.
    fn engine_bytes(&self, rest: u64) -> u64 {
        let given = self.graph.page_cache.leaves(self.graph.memory, rest);
        given.unwrap_or_else(|| self.useful_bytes().min(rest - rest / CACHE_SHARE))
    }

    /// An engine over open lists, with what the budget has left beside values that are not made yet.
    fn engine<'s>(
        &self,
        run: &'s RunContext<'_>,
        lists: &'s [StoredLists],
        options: MessageOptions,
    ) -> Result<MessageEngine<'s>> {
        let RunContext { graph, budget, observer, .. } = *run;
        let requirements = self.work.requirements;
        let wanted = [requirements.sides, requirements.along].map(|sides| sides.lists(false));
        let degrees = self.degrees(budget, |one| wanted.iter().any(|directions| directions.contains(&one)))?;
        let unmade = if self.on_disk { 0 } else { self.vectors() };
        let (out, into) = lists::sides(lists, self.needs);
        MessageEngine::new(MessageSetup {
            lists: OpenLists::new(out, into),
            degrees,
            requirements,
            options,
            log: run.request.message_log(),
            memory: budget.available().saturating_sub(unmade + self.record_places()).min(self.useful_bytes()),
            spill: run.spill()?,
            workers: &graph.workers,
            budget,
            observer,
        })
    }
}

fn message_record(options: MessageOptions, log: Option<&dyn LogBackend>, figures: MessageFigures) -> MessageRecord {
    MessageRecord {
        delivery: options.delivery.word().into(),
        log: log.map_or("multi", LogBackend::name).into(),
        fuse: options.fuse,
        edge_log: options.edge_log,
        figures,
    }
}
