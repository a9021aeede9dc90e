//! The engine: what all its operations share.

use super::intervals::choose_intervals;
use super::requirements::{Constructs, IntervalRequirements};
use crate::context::{Edges, EngineContext};
use crate::degrees::DegreeSource;
use crate::frontier::FrontierBuilder;
use crate::schedule::Scheduler;
use crate::values::{Number, Residence, VertexArray};
use outcrop_io::{SpillFolder, ValueFile};
use outcrop_store::access::{Adjacency, OpenLists, Workers};
use outcrop_types::{Direction, Error, MemoryBudget, Observer, Purpose, Reservation, Result, VertexRange, VertexSet};
use std::ops::Deref;
use std::sync::{Mutex, PoisonError};

/// Parts that an engine works with.
pub struct IntervalSetup<'g> {
    /// The out-lists, where they are open; of an undirected graph the same as the in-lists.
    pub out: Option<&'g dyn Adjacency>,
    /// The in-lists, where they are open.
    pub into: Option<&'g dyn Adjacency>,
    /// The degrees of what is constructed, and the out-degrees for a pass that looks at them.
    pub degrees: DegreeSource<'g>,
    /// Requirements on the engine.
    pub requirements: IntervalRequirements,
    /// Memory for windows, copies and constructed lists, in bytes: as much of it is used as helps.
    /// [`IntervalRequirements::least`] says what else an engine takes.
    pub memory: u64,
    /// Folder of values on disk; needed where the requirements say that they live there.
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
    context: EngineContext<'g>,
    pub(super) degrees: DegreeSource<'g>,
    pub(super) requirements: IntervalRequirements,
    pub(super) intervals: Vec<VertexRange>,
    /// The directions that are constructed.
    pub(super) constructed: &'static [Direction],
    /// Bytes of a window of values on disk.
    pub(super) window_bytes: u64,
    /// Bytes that the largest interval takes.
    pub(super) interval_bytes: u64,
    /// Collects the vertices that got better; kept from one propagation to the next.
    next: Mutex<Option<FrontierBuilder>>,
    /// Out-degrees, once a scan of values in memory has asked for them.
    pub(super) resident_degrees: Mutex<Option<Vec<u32>>>,
    _held: Vec<Reservation>,
}

impl<'g> Deref for IntervalEngine<'g> {
    type Target = EngineContext<'g>;

    fn deref(&self) -> &EngineContext<'g> {
        &self.context
    }
}

impl<'g> IntervalEngine<'g> {
    /// Chooses the intervals, from the degrees of what is to be constructed in one pass over them, and reserves what it
    /// will use.
    ///
    /// # Errors
    /// The budget does not hold what [`IntervalRequirements::least`] says, or the longest list; degrees that are
    /// damaged or missing; interruption.
    pub fn new(setup: IntervalSetup<'g>) -> Result<Self> {
        let requirements = setup.requirements;
        let residence = match (requirements.on_disk, setup.spill) {
            (false, _) => Residence::Memory(setup.budget, setup.workers),
            (true, Some(spill)) => Residence::Disk(spill, setup.workers.cancellation()),
            (true, None) => return Err(Error::internal("no folder for temporary files of vertex values")),
        };
        let reserve = |bytes, purpose| setup.budget.reserve(bytes, purpose);
        let mut held = vec![
            reserve(requirements.frontier_bytes(), Purpose::Frontier)?,
            reserve(requirements.degree_bytes(), Purpose::Degrees)?,
            reserve(requirements.reader_bytes(setup.degrees.count()), Purpose::IoBuffers)?,
        ];
        let rest = setup.memory.min(setup.budget.available());
        let wanted = requirements.windows() * requirements.window_bytes(rest);
        let lists = OpenLists::new(setup.out, setup.into);
        let undirected = lists.undirected();
        let directions = constructed(requirements.constructs, undirected);
        let for_intervals = rest.saturating_sub(wanted).max(requirements.least_interval_bytes());
        let chosen = choose_intervals(
            &requirements,
            directions,
            &setup.degrees,
            undirected,
            for_intervals,
            setup.workers.cancellation(),
        )?;
        held.push(reserve(chosen.bytes, Purpose::HeldLists)?);
        // Where a list is longer than the interval was to be, windows are smaller.
        let window_bytes = requirements.window_bytes_within(rest, rest.saturating_sub(chosen.bytes));
        held.push(reserve(requirements.windows() * window_bytes, Purpose::IoBuffers)?);
        let shared = (setup.workers, setup.budget, setup.observer);
        Ok(Self {
            context: EngineContext::new(requirements.vertices, Edges::Lists(lists), shared, residence),
            degrees: setup.degrees,
            requirements,
            intervals: chosen.ranges,
            constructed: directions,
            window_bytes,
            interval_bytes: chosen.bytes,
            next: Mutex::default(),
            resident_degrees: Mutex::default(),
            _held: held,
        })
    }

    /// The same engine, in which `scheduler` decides between selecting and sweeping.
    #[must_use]
    pub fn scheduled_by(mut self, scheduler: Scheduler) -> Self {
        self.context.schedule_by(&scheduler);
        self
    }

    /// Into which intervals the vertices are split.
    pub fn intervals(&self) -> &[VertexRange] {
        &self.intervals
    }

    /// Does `work` and counts what it reads and writes of `file`.
    pub(super) fn counting<T: Number, R>(&self, file: &ValueFile<T>, work: impl FnOnce() -> Result<R>) -> Result<R> {
        let before = file.traffic();
        let outcome = work();
        let after = file.traffic();
        self.note_values(after.0 - before.0, after.1 - before.1);
        outcome
    }

    /// Refuses values of another number of vertices, or in another place than the engine's.
    pub(super) fn check<T: Number>(&self, values: &VertexArray<T>) -> Result<()> {
        if values.len() == self.vertices() as usize && values.is_on_disk() == self.requirements.on_disk {
            return Ok(());
        }
        let (length, vertices) = (values.len(), self.vertices());
        Err(Error::internal(format!(
            "{length} values for {vertices} vertices, or values in a different location than the engine uses"
        )))
    }

    /// Lets `work` collect vertices, and gives them back. A collection that fails is not used again.
    pub(super) fn collecting(&self, work: impl FnOnce(&FrontierBuilder) -> Result<()>) -> Result<VertexSet> {
        if !self.requirements.active {
            return Err(Error::internal("the engine was not created for active vertices"));
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
