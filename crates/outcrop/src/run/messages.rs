//! The messages model (MultiLogVC): engine requirements, division of memory, and location of messages.

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

/// Default share of the page cache in the memory that the plan leaves: a quarter.
const CACHE_SHARE: u64 = 4;

/// Maximum bytes per value in a result column.
const COLUMN_BYTES: u64 = 8;

/// Minimum bytes per page of records.
const RECORD_PAGE: u64 = 4 << 10;
/// The places of so many pages on disk take so many bytes.
const PLACES: u64 = 7000;
const PLACES_BYTES: u64 = 64 << 10;

/// More memory than any engine needs for buffers.
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
        Ok(self.with_degrees(self.with_lists(plan), |direction| self.reads_degrees(direction)))
    }

    fn useful_memory(&self, caches: u64) -> u64 {
        match self.graph.page_cache {
            // The page cache gets a quarter, rounded down.
            CacheSize::Rest => self.useful_bytes().min((caches + 1) * (CACHE_SHARE - 1)),
            _ => 0,
        }
    }

    /// Returns the space for values, reordered columns, records and the rows made from them, edge words, and the
    /// messages of a superstep and of the previous one.
    fn temporary_bytes(&self) -> u64 {
        let (_, record_bytes) = self.work.requirements.records;
        let kept = self.work.records.saturating_mul(4 + record_bytes + ROW_BYTES);
        let values = self.value_room(self.vectors(), COLUMN_BYTES);
        values
            .saturating_add(kept)
            .saturating_add(self.edge_words())
            .saturating_add(self.messages_at_once().saturating_mul(2 * self.work.requirements.messages_per_entry))
    }

    /// Returns the folder, with enough space for values. The number of messages that exceed memory is known only during
    /// the run.
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
                // The engine counts message logs together with values.
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
    /// Returns the bytes of all simultaneous vectors of values.
    fn vectors(&self) -> u64 {
        let MessageWork { requirements, value_bytes, .. } = &self.work;
        (u64::from(requirements.vertices) + u64::from(requirements.spare_vertices)) * value_bytes
    }

    /// Returns the memory for the page numbers of records on disk, beyond the engine's memory, in bytes.
    fn record_places(&self) -> u64 {
        let (records, (_, record_bytes)) = (self.work.records, self.work.requirements.records);
        let pages = records.saturating_mul(4 + record_bytes) / RECORD_PAGE;
        if records == 0 { 0 } else { PLACES_BYTES * (2 + pages / PLACES) }
    }

    /// Returns true if the engine reads the degrees of `direction`.
    fn reads_degrees(&self, direction: Direction) -> bool {
        let requirements = &self.work.requirements;
        [requirements.sides, requirements.along].iter().any(|sides| sides.lists(false).contains(&direction))
    }

    /// Returns the directions of `sides`; an undirected graph has one.
    fn sides(&self, sides: Directions) -> &'static [Direction] {
        sides.lists(!self.graph.store.manifest().graph.directed)
    }

    /// Returns the bytes of the edge words.
    fn edge_words(&self) -> u64 {
        let requirements = &self.work.requirements;
        self.entries(requirements.sides).saturating_mul(4 * requirements.edge_words)
    }

    /// Returns the number of list entries of the directions of `sides`.
    fn entries(&self, sides: Directions) -> u64 {
        let arcs = |direction| lists::arcs(self.graph, self.graph.store.stored(direction));
        self.sides(sides).iter().copied().map(arcs).sum()
    }

    /// Returns the bytes of a superstep's messages in a log, with one per list entry.
    fn messages_at_once(&self) -> u64 {
        let requirements = &self.work.requirements;
        self.entries(requirements.along).saturating_mul(4 + requirements.message_bytes)
    }

    /// Returns the memory beyond which the engine gains nothing, in bytes: its logs, a twentieth of it, then fit all
    /// messages of two supersteps in partly filled pages.
    fn useful_bytes(&self) -> u64 {
        let lists = self.work.requirements.list_bytes(self.arcs()).saturating_mul(2);
        self.messages_at_once().saturating_mul(50).max(lists).saturating_add(ENOUGH)
    }

    /// Returns the part of the `rest` bytes beyond the plan that the engine gets for sorting messages and caching
    /// lists. The page cache gets the remainder: a quarter, or more if the engine can use no more.
    ///
    /// All messages of a superstep that do not fit in memory are written and read again, but only lists of active
    /// vertices are read: messages have priority.
    fn engine_bytes(&self, rest: u64) -> u64 {
        let given = self.graph.page_cache.leaves(self.graph.memory, rest);
        given.unwrap_or_else(|| self.useful_bytes().min(rest - rest / CACHE_SHARE))
    }

    /// Creates an engine over open lists with the remaining budget, excluding values that are not allocated yet.
    fn engine<'s>(
        &self,
        run: &'s RunContext<'_>,
        lists: &'s [StoredLists],
        options: MessageOptions,
    ) -> Result<MessageEngine<'s>> {
        let RunContext { graph, budget, observer, .. } = *run;
        let requirements = self.work.requirements;
        let degrees = self.degrees(budget, |direction| self.reads_degrees(direction))?;
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
