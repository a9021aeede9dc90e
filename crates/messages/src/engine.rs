//! The messages engine and its resources.

use super::lists::Lists;
use super::log::{GroupSpace, LogFigures, LogSetup, MessageLog, PAGE_BYTES, fused_bytes};
use super::memory::{Extent, LEAST_NUMBERS, Shares, choose_intervals, log_page_bytes, messages_at_once, numbers_for};
use super::setup::MessageSetup;
use outcrop_engine::context::{Edges, EngineContext};
use outcrop_engine::{Plain, Residence, VertexArray};
use outcrop_store::updates::EdgeChanges;
use outcrop_types::{BitSet, Direction, MessageFigures, Purpose, Reservation, Result, VertexId, VertexRange};
use std::ops::Deref;
use std::sync::{Mutex, PoisonError};

/// Runs message programs.
pub struct MessageEngine<'g> {
    context: EngineContext<'g>,
    pub(super) setup: MessageSetup<'g>,
    pub(super) shares: Shares,
    intervals: Vec<VertexRange>,
    figures: Mutex<MessageFigures>,
    _held: Vec<Reservation>,
}

impl<'g> Deref for MessageEngine<'g> {
    type Target = EngineContext<'g>;

    fn deref(&self) -> &EngineContext<'g> {
        &self.context
    }
}

impl<'g> MessageEngine<'g> {
    /// Chooses the intervals in one pass over the degrees, and reserves memory from the budget.
    ///
    /// # Errors
    /// Returns an error if the budget is less than `MessageRequirements::least_for`, if degrees are missing or damaged,
    /// or on interruption.
    pub fn new(setup: MessageSetup<'g>) -> Result<Self> {
        let requirements = &setup.requirements;
        let reserve = |bytes, purpose| setup.budget.reserve(bytes, purpose);
        let mut held = vec![
            reserve(requirements.set_bytes(), Purpose::Frontier)?,
            reserve(requirements.reader_bytes(), Purpose::IoBuffers)?,
        ];
        let rest = setup.memory.saturating_sub(requirements.set_bytes() + requirements.reader_bytes());
        let extent = Extent::of(&setup)?;
        let [sort, lists, edge_words] = requirements.beyond_least(extent);
        let beyond = sort + lists + edge_words + requirements.edge_index_bytes(extent.arcs);
        let memory = rest.min(setup.budget.available()).saturating_sub(beyond);
        let shares = Shares::of(memory, numbers_for(extent.arcs, requirements), requirements, &setup.options);
        let log = shares.log + shares.numbers - LEAST_NUMBERS;
        let (sort, lists, edge_words) = (shares.sort + sort, shares.lists + lists, shares.edge_words + edge_words);
        let mut shares = Shares { sort, lists, edge_words, log, numbers: LEAST_NUMBERS, ..shares };
        if setup.log.is_some() {
            // Sorts messages before they are written to disk.
            shares.log += shares.sort / 2;
            shares.sort -= shares.sort / 2;
        }
        held.push(reserve(shares.edge_log + shares.values + shares.edge_words, Purpose::IoBuffers)?);
        held.push(reserve(shares.lists, Purpose::HeldLists)?);
        let intervals = choose_intervals(&setup, &mut shares)?;
        let residence = match setup.requirements.on_disk {
            false => Residence::Memory(setup.budget, setup.workers),
            true => Residence::Disk(setup.spill, setup.workers.cancellation()),
        };
        let shared = (setup.workers, setup.budget, setup.observer);
        let context = EngineContext::new(setup.requirements.vertices, Edges::Lists(setup.lists), shared, residence);
        Ok(Self { context, setup, shares, intervals, figures: Mutex::default(), _held: held })
    }

    /// Returns the vertex intervals. Each interval has a message log.
    pub fn intervals(&self) -> &[VertexRange] {
        &self.intervals
    }

    /// Creates the values of all vertices, including spare ones, in memory or on disk as the requirements specify.
    /// `value` returns the initial value of a vertex.
    ///
    /// # Errors
    /// Returns an error if the budget is too small, on interruption, [`outcrop_types::Error::DiskFull`] or
    /// [`outcrop_types::Error::Io`].
    pub fn values<V: Plain>(&self, value: impl Fn(VertexId) -> V + Sync) -> Result<VertexArray<V>> {
        self.some_values(self.setup.requirements.all_vertices(), value)
    }

    /// Creates a message log that uses the whole log share.
    pub(super) fn message_log<M: Plain>(&self) -> Result<MessageLog<M>> {
        let (intervals, memory) = (&self.intervals, self.shares.log);
        let setup = LogSetup {
            intervals,
            page_bytes: log_page_bytes(&self.setup, intervals.len(), memory),
            memory,
            messages: messages_at_once(self.setup.lists.arcs(), &self.setup.requirements),
            spill: self.setup.spill,
            workers: self.setup.workers,
            budget: self.setup.budget,
        };
        match self.setup.log {
            None => MessageLog::new(setup, self.setup.requirements.combines),
            Some(backend) => MessageLog::with_backend(setup, backend),
        }
    }

    /// Allocates memory for the messages of a group.
    pub(super) fn space<M: Plain>(&self) -> Result<GroupSpace<M>> {
        GroupSpace::new(self.shares.sort / 2, PAGE_BYTES, self.setup.requirements.combines, self.setup.budget)
    }

    /// Returns the memory for grouping `messages` messages to `vertices` vertices, in bytes.
    pub(super) fn group_bytes(&self, messages: u64, vertices: u64) -> u64 {
        let requirements = &self.setup.requirements;
        fused_bytes(messages, vertices, requirements.message_bytes, requirements.combines)
    }

    /// Returns the source of the lists that the requirements name, including the changes of this run.
    pub(super) fn lists<'r>(
        &'r self,
        changes: [Option<&'r EdgeChanges>; 2],
        erased: Option<&'r BitSet>,
    ) -> Lists<'r, 'g> {
        let open = &self.setup.lists;
        let undirected = open.undirected();
        let loaded = self.setup.requirements.sides.lists(undirected);
        let sides = [Direction::Out, Direction::In].map(|side| loaded.contains(&side).then_some(side));
        let changes = if undirected { [changes[0], changes[0]] } else { changes };
        Lists {
            open,
            sides,
            degrees: &self.setup.degrees,
            vertices: self.vertices(),
            weighted: self.setup.requirements.weighted,
            changes,
            erased,
        }
    }

    /// Reports the I/O of the run so far: bytes of values on disk, including earlier runs, and bytes of the logs.
    pub(super) fn note_traffic(&self, values: (u64, u64), log: LogFigures) {
        let (read, written) = self.value_traffic();
        self.note_values(values.0 + log.bytes_read - read, values.1 + log.bytes_written - written);
    }

    pub(super) fn keep_figures(&self, figures: MessageFigures) {
        *self.figures.lock().unwrap_or_else(PoisonError::into_inner) = figures;
    }

    /// Returns the figures of logs, sorting and the edge log.
    pub fn message_figures(&self) -> MessageFigures {
        *self.figures.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
