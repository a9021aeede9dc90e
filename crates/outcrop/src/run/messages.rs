//! The messages model (MultiLogVC): what its engine is asked for, who gets which memory, and where messages go.

use super::Run;
use super::interval::index_residence;
use crate::graph::Graph;
use crate::lists;
use crate::memory_size::CacheSize;
use crate::result::ROW_BYTES;
use outcrop_algorithms::Needs;
use outcrop_algorithms::params::message_options;
use outcrop_engine::messages::{Extent, MessageDemand, MessageEngine, MessageSetup};
use outcrop_engine::{DegreeSource, Directions};
use outcrop_io::SpillFolder;
use outcrop_store::Order;
use outcrop_store::access::OpenLists;
use outcrop_store::layout::DegreeReader;
use outcrop_store::layout::StoredLists;
use outcrop_types::{Direction, Error, MemoryPlan, Purpose, Result};

/// The part of the memory that the plan leaves which the page cache gets, where nothing else is said: a quarter.
const CACHE_SHARE: u64 = 4;

/// Records are kept in pages of so many bytes at the least.
const RECORD_PAGE: u64 = 4 << 10;
/// The places of so many pages on disk take so many bytes.
const PLACES: u64 = 7000;
const PLACES_BYTES: u64 = 64 << 10;

/// More than any engine takes for buffers.
const ENOUGH: u64 = 32 << 20;

/// Work of a run in the messages model.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MessageWork {
    pub(crate) needs: Needs,
    pub(crate) demand: MessageDemand,
    /// Bytes a vertex of all vectors of values that exist at once.
    pub(crate) value_bytes: u64,
    /// Bytes a vertex of the columns of the result.
    pub(crate) column_bytes: u64,
    /// Records that are written down, at the most.
    pub(crate) records: u64,
}

impl MessageWork {
    /// Bytes of all vectors of values that exist at once.
    pub(crate) fn vectors(&self) -> u64 {
        (u64::from(self.demand.vertices) + u64::from(self.demand.spare_vertices)) * self.value_bytes
    }

    /// Memory of the places of records on disk, in bytes: beyond what the engine is given.
    fn record_places(&self) -> u64 {
        let (_, record_bytes) = self.demand.records;
        let pages = self.records.saturating_mul(4 + record_bytes) / RECORD_PAGE;
        if self.records == 0 { 0 } else { PLACES_BYTES * (2 + pages / PLACES) }
    }

    /// Memory that the engine and the values take, without lists that are open.
    fn plan(&self, extent: Extent) -> MemoryPlan {
        let least = self.demand.least_for(extent).with(Purpose::IoBuffers, self.record_places());
        let needs = least.needs().iter().filter(|need| need.bytes > 0);
        let plan = needs.fold(MemoryPlan::new(), |plan, need| plan.with(need.purpose, need.bytes));
        if self.demand.on_disk { plan } else { plan.with(Purpose::VertexValues, self.vectors()) }
    }
}

impl Graph {
    /// The directions that `sides` means here: an undirected graph has one.
    fn sides(&self, sides: Directions) -> &'static [Direction] {
        sides.lists(!self.store.manifest().directed)
    }

    /// Memory that `work` reserves at the least, lists included.
    ///
    /// # Errors
    /// Degrees that are damaged or cannot be read: the lists and the messages of any vertex have to fit.
    pub(crate) fn plan_messages(&self, work: &MessageWork) -> Result<MemoryPlan> {
        let longest =
            |sides| self.sides(sides).iter().map(|direction| self.longest_list(*direction)).sum::<Result<_>>();
        let messages = if work.demand.combines { 0 } else { longest(work.demand.along)? };
        let arcs = self.directions(work.needs).first().map_or(0, |direction| lists::arcs(self, *direction));
        let mut plan = work.plan(Extent { arcs, list: longest(work.demand.sides)?, messages });
        for direction in self.directions(work.needs) {
            plan = plan.and(&lists::memory_with_index(self, direction, index_residence(work.demand.on_disk)));
        }
        Ok(plan)
    }

    /// Messages of a superstep at the most, and what each takes in a log.
    fn messages_at_once(&self, work: &MessageWork) -> u64 {
        let arcs: u64 = self
            .sides(work.demand.along)
            .iter()
            .map(|direction| lists::arcs(self, self.store.stored(*direction)))
            .sum();
        arcs.saturating_mul(4 + work.demand.message_bytes)
    }

    /// Memory beyond which the engine gains nothing, in bytes: its logs, which are a twentieth of it, hold all messages of two supersteps
    /// in pages that are not all full.
    fn useful_bytes(&self, work: &MessageWork) -> u64 {
        let lists: u64 = self.directions(work.needs).into_iter().map(|direction| lists::arcs(self, direction)).sum();
        let messages = self.messages_at_once(work).saturating_mul(50);
        messages.max(work.demand.list_bytes(lists).saturating_mul(2)).saturating_add(ENOUGH)
    }

    /// The part of the `rest` bytes beyond the plan that the engine gets to sort messages and to hold lists. The page cache gets what is
    /// left: a quarter, or more where everything that the engine can use is held.
    ///
    /// All messages of a superstep are written and read again where they are not held, and lists only where they are active: messages
    /// come first.
    pub(crate) fn engine_bytes(&self, work: &MessageWork, rest: u64) -> u64 {
        match self.page_cache {
            CacheSize::Rest => self.useful_bytes(work).min(rest - rest / CACHE_SHARE),
            cache => rest.saturating_sub(cache.bytes(self.memory, rest)),
        }
    }

    /// Memory that the engine gets beyond the plan where the page cache gets `caches` bytes.
    pub(crate) fn engine_bytes_beside(&self, work: &MessageWork, caches: u64) -> u64 {
        match self.page_cache {
            // The page cache is a quarter, rounded down.
            CacheSize::Rest => self.useful_bytes(work).min((caches + 1) * (CACHE_SHARE - 1)),
            _ => 0,
        }
    }

    /// Room for temporary files that `work` needs at the most, in bytes: its values, columns that come into another order, records
    /// and the rows that they become, and the messages of a superstep beside those of the one before.
    pub(crate) fn message_room(&self, work: &MessageWork) -> u64 {
        let (_, record_bytes) = work.demand.records;
        let kept = work.records.saturating_mul(4 + record_bytes + ROW_BYTES);
        self.value_room(work).saturating_add(kept).saturating_add(self.messages_at_once(work).saturating_mul(2))
    }

    /// The part of [`Graph::message_room`] that is needed in any case.
    fn value_room(&self, work: &MessageWork) -> u64 {
        let reordered = if self.store.manifest().order == Order::Original { 0 } else { work.column_bytes };
        match work.demand.on_disk {
            true => work.vectors() + u64::from(work.demand.vertices) * reordered,
            false => 0,
        }
    }

    /// The folder for messages, and values on disk. How many messages do not fit the memory shows during the run.
    ///
    /// # Errors
    /// [`Error::DiskFull`] with what is needed and what is free, where values alone do not fit; the folder cannot be written to.
    pub(crate) fn message_folder(&self, work: &MessageWork) -> Result<SpillFolder> {
        let (folder, needed) = (SpillFolder::new(&self.temp_folder)?, self.value_room(work));
        match folder.free_bytes()? {
            Some(free) if free < needed => {
                Err(Error::DiskFull { path: self.temp_folder.clone(), needed: Some((needed, free)) })
            }
            _ => Ok(folder),
        }
    }
}

impl Run<'_> {
    /// An engine over open lists, with what the budget has left beside values that are not made yet.
    pub(super) fn message_engine<'s>(
        &'s self,
        work: &MessageWork,
        lists: &'s [StoredLists],
    ) -> Result<MessageEngine<'s>> {
        let Run { graph, budget, observer, .. } = *self;
        let mut degrees = DegreeSource::default();
        for direction in [Direction::Out, Direction::In] {
            let wanted = [work.demand.sides, work.demand.along].map(|sides| sides.lists(false));
            if wanted.iter().any(|directions| directions.contains(&direction)) {
                degrees = degrees.with(direction, DegreeReader::open(&graph.store, direction, graph.io, budget)?);
            }
        }
        let unmade = if work.demand.on_disk { 0 } else { work.vectors() };
        let (out, into) = lists::sides(lists, work.needs);
        MessageEngine::new(MessageSetup {
            lists: OpenLists::new(out, into),
            degrees,
            demand: work.demand,
            options: message_options(self.request.args())?,
            log: self.request.message_log(),
            memory: budget.available().saturating_sub(unmade + work.record_places()).min(graph.useful_bytes(work)),
            spill: self.spill()?,
            workers: &graph.workers,
            budget,
            observer,
        })
    }
}
