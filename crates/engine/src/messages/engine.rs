//! The engine: what a run of a program works with.

use super::demand::{Delivery, LogKind, MessageDemand};

use super::lists::{ChangedGraph, EdgeLog, Lists};
use super::log::{GroupSpace, LogFigures, LogSetup, MessageLog, PAGE_BYTES, fused_bytes};
use super::memory::{
    Extent, LEAST_NUMBERS, Shares, bytes_of, choose_intervals, log_page_bytes, messages_at_once, numbers_for,
};
use super::program::{MessageProgram, Plain};
use super::records::{RecordLog, RecordSetup, Records};
use super::supersteps::{Progress, Run};
use crate::columns::{Columns, traffic_of};
use crate::interval::{DegreeSource, Storage};
use crate::iterations::IterationLog;
use outcrop_io::SpillFolder;
use outcrop_store::access::{AccessFigures, OpenLists, Workers};
use outcrop_store::updates::EdgeChanges;
use outcrop_types::{
    BitSet, Direction, Error, MemoryBudget, MessageFigures, Observer, Purpose, Reservation, Result, VertexId,
    VertexRange, VertexSet,
};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Setup that an engine works with.
pub struct MessageSetup<'g> {
    /// The lists that are open.
    pub lists: OpenLists<'g>,
    /// The degrees of both directions that the demand names.
    pub degrees: DegreeSource<'g>,
    /// Demand on the engine.
    pub demand: MessageDemand,
    /// Options for keeping and delivering messages.
    pub options: MessageOptions,
    /// Memory for all that the engine takes, which is everything but values, in bytes; at least [`MessageDemand::least`] is taken.
    pub memory: u64,
    /// Folder for messages, and for values that live on disk.
    pub spill: &'g SpillFolder,
    /// The threads.
    pub workers: &'g Workers,
    /// Memory budget that pays for it all.
    pub budget: &'g MemoryBudget,
    /// Observer that is told of supersteps.
    pub observer: &'g dyn Observer,
}

/// Options for keeping and delivering messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageOptions {
    /// Time at which messages are delivered.
    pub delivery: Delivery,
    /// Kind of log that keeps them.
    pub log: LogKind,
    /// True if small logs of neighbouring intervals are computed together (section V.A.2).
    pub fuse: bool,
    /// True if lists of vertices that are likely to be active are logged (section V.C).
    pub edge_log: bool,
}

impl Default for MessageOptions {
    fn default() -> Self {
        Self { delivery: Delivery::Synchronous, log: LogKind::Multi, fuse: true, edge_log: true }
    }
}

/// Runs message programs.
pub struct MessageEngine<'g> {
    pub(super) setup: MessageSetup<'g>,
    shares: Shares,
    intervals: Vec<VertexRange>,
    figures: Mutex<MessageFigures>,
    traffic: Mutex<(u64, u64)>,
    log: Mutex<IterationLog>,
    _held: Vec<Reservation>,
}

/// Results of a run, besides values.
#[derive(Debug)]
pub struct Ran<R> {
    /// Number of supersteps.
    pub supersteps: u32,
    /// The records that were written down, by key; `None` where the demand has none.
    pub records: Option<Records<R>>,
}

impl<'g> MessageEngine<'g> {
    /// Chooses the intervals, from the degrees in one pass over them, and reserves what it will use.
    ///
    /// # Errors
    /// The budget does not hold what [`MessageDemand::least_for`] says; degrees that are damaged or missing; interruption.
    pub fn new(setup: MessageSetup<'g>) -> Result<Self> {
        let demand = &setup.demand;
        let reserve = |bytes, purpose| setup.budget.reserve(bytes, purpose);
        let mut held =
            vec![reserve(demand.set_bytes(), Purpose::Frontier)?, reserve(demand.reader_bytes(), Purpose::IoBuffers)?];
        let rest = setup.memory.saturating_sub(demand.set_bytes() + demand.reader_bytes());
        let extent = Extent::of(&setup)?;
        let [sort, lists] = demand.beyond_least(extent);
        let memory = rest.min(setup.budget.available()).saturating_sub(sort + lists);
        let shares = Shares::of((memory, numbers_for(extent.arcs, demand)), demand, &setup.options);
        let log = shares.log + shares.numbers - LEAST_NUMBERS;
        let (sort, lists) = (shares.sort + sort, shares.lists + lists);
        let mut shares = Shares { sort, lists, log, numbers: LEAST_NUMBERS, ..shares };
        if setup.options.log == LogKind::Single {
            // One log is sorted on its way to the disk.
            shares.log += shares.sort / 2;
            shares.sort -= shares.sort / 2;
        }
        held.push(reserve(shares.edge_log + shares.values, Purpose::IoBuffers)?);
        held.push(reserve(shares.lists, Purpose::HeldLists)?);
        let intervals = choose_intervals(&setup, &mut shares)?;
        let engine = Self {
            shares,
            intervals,
            figures: Mutex::default(),
            traffic: Mutex::default(),
            log: Mutex::new(IterationLog::new(AccessFigures::default())),
            _held: held,
            setup,
        };
        *engine.log() = IterationLog::new(engine.figures());
        Ok(engine)
    }

    /// Number of vertices of the graph, without spare ones.
    pub const fn vertices(&self) -> u32 {
        self.setup.demand.vertices
    }

    /// Into which intervals the vertices are split, of which each has a log.
    pub fn intervals(&self) -> &[VertexRange] {
        &self.intervals
    }

    /// Values of all vertices, in memory or on disk as the demand says, that of each as `value` says.
    ///
    /// # Errors
    /// The budget is too small; [`Error::DiskFull`]; [`Error::Io`].
    pub fn values<V: Plain>(&self, value: impl Fn(VertexId) -> V) -> Result<Storage<V>> {
        self.columns().made_of(self.setup.demand.all_vertices(), |vertex| Ok(value(vertex)))
    }

    /// Another column of values of the same vertices, made from the first, such as one of its parts; spare vertices are left out.
    ///
    /// # Errors
    /// The budget is too small; [`Error::DiskFull`]; [`Error::Io`].
    pub fn project<V: Plain, T: Plain>(&self, values: &Storage<V>, part: impl Fn(V) -> T) -> Result<Storage<T>> {
        self.columns().project(self.vertices(), values, part)
    }

    const fn columns(&self) -> Columns<'_> {
        let MessageSetup { spill, budget, workers, demand, .. } = &self.setup;
        Columns { on_disk: demand.on_disk, spill, budget, cancellation: workers.cancellation() }
    }

    /// Runs `program` on `values` ([`MessageEngine::values`]), beginning with the `active` vertices, until no vertex is active and no
    /// message waits, the program does not continue, or there were `limit` supersteps.
    ///
    /// # Errors
    /// Lists that are not open, or values of another size or number than the demand says; a failed or damaged read, a full disk,
    /// interruption; messages to one vertex that take more than the memory to group them.
    pub fn run<P: MessageProgram>(
        &self,
        program: &P,
        values: &mut Storage<P::Value>,
        active: &VertexSet,
        limit: u32,
    ) -> Result<Ran<P::Record>> {
        self.check::<P>(values)?;
        let (demand, before, earlier) = (&self.setup.demand, traffic_of(values), self.value_traffic());
        let vertices = demand.all_vertices();
        let mut run = self.prepare(program)?;
        active.for_each(|vertex| _ = run.active.insert(vertex));
        let spaces = (0..2).map(|_| self.space()).collect::<Result<Vec<_>>>()?;
        let edge_log = self
            .setup
            .options
            .edge_log
            .then(|| EdgeLog::new(self.setup.spill, vertices, demand.weighted, self.shares.edge_log));
        let mut progress = Progress::new(demand.vertices, spaces, edge_log);
        let mut supersteps = 0;
        while supersteps < limit && run.goes_on() {
            self.setup.workers.cancellation().check()?;
            run.superstep(&mut progress, values)?;
            let now = traffic_of(values);
            self.note_traffic((earlier.0 + now.0 - before.0, earlier.1 + now.1 - before.1), run.log.figures());
            let ended = run.end(&mut progress)?;
            supersteps += 1;
            if !program.continues(&ended) {
                break;
            }
        }
        self.keep_figures(&progress, run.log.figures());
        let records = run.records.map(RecordLog::finish).transpose()?;
        Ok(Ran { supersteps, records })
    }

    /// Refuses values and lists that are not what the demand says.
    fn check<P: MessageProgram>(&self, values: &Storage<P::Value>) -> Result<()> {
        let demand = &self.setup.demand;
        let length = match values {
            Storage::Memory(values) => values.len() as u64,
            Storage::Disk(file) => file.len(),
        };
        let sizes = [bytes_of::<P::Value>(), bytes_of::<P::Message>()];
        let fitting = length == u64::from(demand.all_vertices())
            && matches!(values, Storage::Disk(_)) == demand.on_disk
            && sizes[0] <= demand.value_bytes
            && sizes[1] == demand.message_bytes
            && P::COMBINES == demand.combines
            && (demand.records.1 == 0 || demand.records.1 == bytes_of::<P::Record>());
        if !fitting {
            return Err(Error::Usage("a program has other values, messages or records than were asked for".to_owned()));
        }
        let open = &self.setup.lists;
        match demand.sides.directions(open.undirected()).iter().all(|direction| open.of(*direction).is_some()) {
            true => Ok(()),
            false => Err(Error::Usage("a program asks for lists that are not open".to_owned())),
        }
    }

    fn prepare<'r, P: MessageProgram>(&'r self, program: &'r P) -> Result<Run<'r, 'g, P>> {
        let (setup, demand) = (&self.setup, &self.setup.demand);
        let vertices = demand.all_vertices();
        let log = self.message_log::<P>()?;
        let records = RecordSetup {
            keys: demand.records.0,
            memory: self.shares.records,
            records: 0,
            spill: setup.spill,
            workers: setup.workers,
            budget: setup.budget,
        };
        let records = (demand.records.1 > 0).then(|| RecordLog::new(records)).transpose()?;
        let kind = (demand.directed, demand.weighted);
        let graph =
            demand.changes.then(|| ChangedGraph::new((demand.vertices, vertices), kind, setup.budget)).transpose()?;
        let empty = || BitSet::empty(vertices);
        let (active, next, before, wanted) = (empty(), empty(), empty(), empty());
        Ok(Run { engine: self, program, shares: self.shares, log, records, graph, active, next, before, wanted })
    }

    fn message_log<P: MessageProgram>(&self) -> Result<MessageLog<P::Message>> {
        let (intervals, memory) = (&self.intervals, self.shares.log);
        let (kind, combines) = (self.setup.options.log, P::COMBINES);
        let setup = LogSetup {
            intervals,
            page_bytes: log_page_bytes(&self.setup, intervals.len(), memory),
            memory,
            messages: messages_at_once(self.setup.lists.arcs(), &self.setup.demand),
            spill: self.setup.spill,
            workers: self.setup.workers,
            budget: self.setup.budget,
        };
        MessageLog::new(setup, kind, combines)
    }

    /// Room for the messages of a group.
    fn space<M: Plain>(&self) -> Result<GroupSpace<M>> {
        GroupSpace::new(self.shares.sort / 2, PAGE_BYTES, self.setup.demand.combines, self.setup.budget)
    }

    /// Bytes that grouping so many messages to so many vertices takes.
    pub(super) fn group_bytes(&self, messages: u64, vertices: u64) -> u64 {
        let demand = &self.setup.demand;
        fused_bytes(messages, vertices, demand.message_bytes, demand.combines)
    }

    /// Source of the lists that the demand names, with what a run has changed of them.
    pub(super) fn lists<'r>(
        &'r self,
        changes: [Option<&'r EdgeChanges>; 2],
        erased: Option<&'r BitSet>,
    ) -> Lists<'r, 'g> {
        let open = &self.setup.lists;
        let undirected = open.undirected();
        let loaded = self.setup.demand.sides.directions(undirected);
        let sides = [Direction::Out, Direction::In].map(|side| loaded.contains(&side).then_some(side));
        let changes = if undirected { [changes[0], changes[0]] } else { changes };
        Lists {
            open,
            sides,
            degrees: &self.setup.degrees,
            vertices: self.vertices(),
            weighted: self.setup.demand.weighted,
            changes,
            erased,
        }
    }

    pub(super) fn log(&self) -> MutexGuard<'_, IterationLog> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends an iteration of the record: the observer hears what was done since the last one ended.
    pub(super) fn end_iteration(&self, change: Option<f64>) {
        self.log().end(self.figures(), change, self.setup.observer);
    }

    /// Bytes of values on disk, with all of earlier runs, and of the logs of this run that were read and written so far.
    fn note_traffic(&self, values: (u64, u64), log: LogFigures) {
        let so_far = (values.0 + log.bytes_read, values.1 + log.bytes_written);
        let mut traffic = self.traffic.lock().unwrap_or_else(PoisonError::into_inner);
        self.log().note_values((so_far.0 - traffic.0, so_far.1 - traffic.1));
        *traffic = so_far;
    }

    fn keep_figures<P: MessageProgram>(&self, progress: &Progress<'_, P>, log: LogFigures) {
        let edge_log = progress.edge_log.as_ref().map(|log| log.figures).unwrap_or_default();
        let mut figures = self.figures.lock().unwrap_or_else(PoisonError::into_inner);
        *figures = MessageFigures {
            sent: log.sent,
            delivered: log.delivered,
            log_bytes_written: log.bytes_written,
            log_bytes_read: log.bytes_read,
            logged_lists: edge_log.logged,
            lists_from_log: edge_log.served,
            edge_log_bytes_written: edge_log.bytes_written,
            edge_log_bytes_read: edge_log.bytes_read,
            ..progress.figures
        };
    }

    /// Counts of all reads of lists so far.
    pub fn figures(&self) -> AccessFigures {
        self.setup.lists.figures()
    }

    /// Bytes of values on disk, and of message logs, that were read and written so far.
    pub fn value_traffic(&self) -> (u64, u64) {
        *self.traffic.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Figures of logs, sorting and the edge log.
    pub fn message_figures(&self) -> MessageFigures {
        *self.figures.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
