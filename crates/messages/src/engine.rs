//! The engine: what a run of a program works with.

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
    /// Chooses the intervals, from the degrees in one pass over them, and reserves what it will use.
    ///
    /// # Errors
    /// The budget does not hold what `MessageRequirements::least_for` says; degrees that are damaged or missing;
    /// interruption.
    pub fn new(setup: MessageSetup<'g>) -> Result<Self> {
        let requirements = &setup.requirements;
        let reserve = |bytes, purpose| setup.budget.reserve(bytes, purpose);
        let mut held = vec![
            reserve(requirements.set_bytes(), Purpose::Frontier)?,
            reserve(requirements.reader_bytes(), Purpose::IoBuffers)?,
        ];
        let rest = setup.memory.saturating_sub(requirements.set_bytes() + requirements.reader_bytes());
        let extent = Extent::of(&setup)?;
        let [sort, lists] = requirements.beyond_least(extent);
        let memory = rest.min(setup.budget.available()).saturating_sub(sort + lists);
        let shares = Shares::of(memory, numbers_for(extent.arcs, requirements), requirements, &setup.options);
        let log = shares.log + shares.numbers - LEAST_NUMBERS;
        let (sort, lists) = (shares.sort + sort, shares.lists + lists);
        let mut shares = Shares { sort, lists, log, numbers: LEAST_NUMBERS, ..shares };
        if setup.log.is_some() {
            // It sorts messages on their way to the disk.
            shares.log += shares.sort / 2;
            shares.sort -= shares.sort / 2;
        }
        held.push(reserve(shares.edge_log + shares.values, Purpose::IoBuffers)?);
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

    /// Into which intervals the vertices are split, of which each has a log.
    pub fn intervals(&self) -> &[VertexRange] {
        &self.intervals
    }

    /// Values of all vertices, with those of spare ones, in memory or on disk as the requirements say, that of each as
    /// `value` says.
    ///
    /// # Errors
    /// The budget is too small; [`outcrop_types::Error::DiskFull`]; [`outcrop_types::Error::Io`]; interruption.
    pub fn values<V: Plain>(&self, value: impl Fn(VertexId) -> V + Sync) -> Result<VertexArray<V>> {
        self.some_values(self.setup.requirements.all_vertices(), value)
    }

    /// A log for messages, as large as its share.
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

    /// Room for the messages of a group.
    pub(super) fn space<M: Plain>(&self) -> Result<GroupSpace<M>> {
        GroupSpace::new(self.shares.sort / 2, PAGE_BYTES, self.setup.requirements.combines, self.setup.budget)
    }

    /// Bytes that grouping so many messages to so many vertices takes.
    pub(super) fn group_bytes(&self, messages: u64, vertices: u64) -> u64 {
        let requirements = &self.setup.requirements;
        fused_bytes(messages, vertices, requirements.message_bytes, requirements.combines)
    }

    /// Source of the lists that the requirements name, with what a run has changed of them.
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

    /// Bytes of values on disk, with all of earlier runs, and of the logs of this run that were read and written so
    /// far.
    pub(super) fn note_traffic(&self, values: (u64, u64), log: LogFigures) {
        let (read, written) = self.value_traffic();
        self.note_values(values.0 + log.bytes_read - read, values.1 + log.bytes_written - written);
    }

    pub(super) fn keep_figures(&self, figures: MessageFigures) {
        *self.figures.lock().unwrap_or_else(PoisonError::into_inner) = figures;
    }

    /// Figures of logs, sorting and the edge log.
    pub fn message_figures(&self) -> MessageFigures {
        *self.figures.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
