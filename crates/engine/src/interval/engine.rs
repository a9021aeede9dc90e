//! The engine: what all its operations share.

use super::degrees::DegreeSource;
use super::intervals::choose_intervals;
use super::plan::{Constructs, Demand};
use super::value::IntervalValue;
use super::values::{IntervalValues, Residence};
use crate::edge_map::FrontierBuilder;
use crate::iterations::IterationLog;
use crate::schedule::{CostModel, Schedule, Scheduler};
use outcrop_io::SpillFolder;
use outcrop_store::access::{AccessFigures, Adjacency, OpenLists, Workers};
use outcrop_types::{Direction, Error, MemoryBudget, Observer, Purpose, Reservation, Result, VertexRange, VertexSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Parts that an engine works with.
pub struct IntervalSetup<'g> {
    /// The out-lists, where they are open; of an undirected graph the same as the in-lists.
    pub out: Option<&'g dyn Adjacency>,
    /// The in-lists, where they are open.
    pub into: Option<&'g dyn Adjacency>,
    /// The degrees of what is constructed, and the out-degrees for a pass that looks at them.
    pub degrees: DegreeSource<'g>,
    /// Demand on the engine.
    pub demand: Demand,
    /// Memory for windows, copies and constructed lists, in bytes: as much of it is used as helps. [`Demand::least`] says what else an
    /// engine takes.
    pub memory: u64,
    /// Folder of values on disk; needed where the demand says that they live there.
    pub spill: Option<&'g SpillFolder>,
    /// The threads.
    pub workers: &'g Workers,
    /// Budget that pays for it all.
    pub budget: &'g MemoryBudget,
    /// Observer of iterations.
    pub observer: &'g dyn Observer,
}

/// Runs programs interval by interval.
pub struct IntervalEngine<'g> {
    pub(super) setup: IntervalSetup<'g>,
    pub(super) schedule: Schedule,
    pub(super) model: CostModel,
    pub(super) intervals: Vec<VertexRange>,
    /// The directions that are constructed.
    pub(super) constructed: &'static [Direction],
    /// Bytes of a window of values on disk.
    pub(super) window_bytes: u64,
    /// Bytes that the largest interval takes.
    pub(super) interval_bytes: u64,
    /// Bytes of values on disk that were read and written.
    traffic: Mutex<(u64, u64)>,
    /// Collects the vertices that got better; kept from one propagation to the next.
    next: Mutex<Option<FrontierBuilder>>,
    /// Out-degrees, once a pass over values in memory has asked for them.
    pub(super) degrees: Mutex<Option<Vec<u32>>>,
    log: Mutex<IterationLog>,
    _held: Vec<Reservation>,
}

impl<'g> IntervalEngine<'g> {
    /// Chooses the intervals, from the degrees of what is to be constructed in one pass over them, and reserves what it will use.
    ///
    /// # Errors
    /// The budget does not hold what [`Demand::least`] says, or the longest list; degrees that are damaged or missing; interruption.
    pub fn new(setup: IntervalSetup<'g>) -> Result<Self> {
        let demand = setup.demand;
        if demand.on_disk && setup.spill.is_none() {
            return Err(Error::Usage("values on disk need a folder for temporary files".to_owned()));
        }
        let reserve = |bytes, purpose| setup.budget.reserve(bytes, purpose);
        let mut held = vec![
            reserve(demand.frontier_bytes(), Purpose::Frontier)?,
            reserve(demand.degree_bytes(), Purpose::Degrees)?,
            reserve(demand.reader_bytes(setup.degrees.count()), Purpose::IoBuffers)?,
        ];
        let rest = setup.memory.min(setup.budget.available());
        let wanted = demand.windows() * demand.window_bytes(rest);
        let undirected = OpenLists::new(setup.out, setup.into).undirected();
        let directions = constructed(demand.constructs, undirected);
        let source = (&setup.degrees, undirected);
        let for_intervals = rest.saturating_sub(wanted).max(demand.least_interval_bytes());
        let chosen = choose_intervals(&demand, directions, source, for_intervals, setup.workers.cancellation())?;
        held.push(reserve(chosen.bytes, Purpose::HeldLists)?);
        // Where a list is longer than the interval was to be, windows are smaller.
        let window_bytes = demand.window_bytes_within(rest, rest.saturating_sub(chosen.bytes));
        held.push(reserve(demand.windows() * window_bytes, Purpose::IoBuffers)?);
        let engine = Self {
            schedule: Schedule::default(),
            model: CostModel::new(&Scheduler::default().bandwidths, setup.workers.threads()),
            intervals: chosen.ranges,
            constructed: directions,
            window_bytes,
            interval_bytes: chosen.bytes,
            traffic: Mutex::default(),
            next: Mutex::default(),
            degrees: Mutex::default(),
            log: Mutex::new(IterationLog::new(AccessFigures::default())),
            _held: held,
            setup,
        };
        *engine.log() = IterationLog::new(engine.figures());
        Ok(engine)
    }

    /// The same engine, in which `scheduler` decides between selecting and sweeping.
    #[must_use]
    pub fn scheduled_by(self, scheduler: Scheduler) -> Self {
        let model = CostModel::new(&scheduler.bandwidths, self.setup.workers.threads());
        Self { schedule: scheduler.schedule, model, ..self }
    }

    /// Seconds that estimating and deciding took.
    pub fn seconds_scheduling(&self) -> f64 {
        self.log().seconds_scheduling()
    }

    /// Into which intervals the vertices are split.
    pub fn intervals(&self) -> &[VertexRange] {
        &self.intervals
    }

    /// Number of vertices.
    pub const fn vertices(&self) -> u32 {
        self.setup.demand.vertices
    }

    /// The threads.
    pub const fn workers(&self) -> &'g Workers {
        self.setup.workers
    }

    /// Budget that pays for values.
    pub const fn budget(&self) -> &'g MemoryBudget {
        self.setup.budget
    }

    /// Residence of the values of this run.
    pub const fn residence(&self) -> Residence<'g> {
        match (self.setup.spill, self.setup.demand.on_disk) {
            (Some(spill), true) => Residence::Disk(spill),
            _ => Residence::Memory(self.setup.budget),
        }
    }

    /// Counts of all reads of lists so far.
    pub fn figures(&self) -> AccessFigures {
        OpenLists::new(self.setup.out, self.setup.into).figures()
    }

    /// Bytes of values (and of degrees beside them) that were read from and written to disk so far.
    pub fn value_traffic(&self) -> (u64, u64) {
        *self.traffic.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends an iteration: the observer hears what was done since the last one ended. Returns its number, from 1.
    pub fn end_iteration(&self, change: Option<f64>) -> u32 {
        self.log().end(self.figures(), change, self.setup.observer)
    }

    pub(super) fn log(&self) -> MutexGuard<'_, IterationLog> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes of values on disk were read and written.
    pub(super) fn note_values(&self, (read, written): (u64, u64)) {
        let mut traffic = self.traffic.lock().unwrap_or_else(PoisonError::into_inner);
        *traffic = (traffic.0 + read, traffic.1 + written);
        self.log().note_values((read, written));
    }

    /// Does `work` and counts what it reads and writes of `values`.
    pub(super) fn counting<T: IntervalValue, R>(
        &self,
        values: &IntervalValues<T>,
        work: impl FnOnce() -> Result<R>,
    ) -> Result<R> {
        let before = values.traffic();
        let outcome = work();
        let after = values.traffic();
        self.note_values((after.0 - before.0, after.1 - before.1));
        outcome
    }

    /// True if out- and in-lists are the same.
    pub(super) fn undirected(&self) -> bool {
        OpenLists::new(self.setup.out, self.setup.into).undirected()
    }

    /// The lists of `direction`.
    pub(super) fn lists(&self, direction: Direction) -> Result<&'g dyn Adjacency> {
        OpenLists::new(self.setup.out, self.setup.into).require(direction)
    }

    /// All vertices.
    pub(super) const fn everything(&self) -> VertexRange {
        VertexRange::new(0, self.vertices())
    }

    /// Refuses values of another number of vertices.
    pub(super) fn fitting<'v, T: IntervalValue>(&self, values: &'v IntervalValues<T>) -> Result<&'v IntervalValues<T>> {
        if values.len() == self.vertices() as usize {
            return Ok(values);
        }
        Err(Error::Usage(format!("{} values for a graph of {} vertices", values.len(), self.vertices())))
    }

    /// Lets `work` collect vertices, and gives them back. A collection that fails is not used again.
    pub(super) fn collecting(&self, work: impl FnOnce(&FrontierBuilder) -> Result<()>) -> Result<VertexSet> {
        if !self.setup.demand.active {
            return Err(Error::Usage("the engine was not made for active vertices".to_owned()));
        }
        let vacant = self.next.lock().unwrap_or_else(PoisonError::into_inner).take();
        let mut builder = vacant.unwrap_or_else(|| FrontierBuilder::new(self.vertices()));
        work(&builder)?;
        let set = builder.take();
        *self.next.lock().unwrap_or_else(PoisonError::into_inner) = Some(builder);
        Ok(set)
    }
}

/// The directions that are constructed: one is enough where both are the same.
const fn constructed(constructs: Constructs, undirected: bool) -> &'static [Direction] {
    match (constructs, undirected) {
        (Constructs::Nothing, _) => &[],
        (Constructs::Both, false) => &[Direction::Out, Direction::In],
        (Constructs::One(Direction::In), _) => &[Direction::In],
        (Constructs::One(Direction::Out) | Constructs::Both, _) => &[Direction::Out],
    }
}
