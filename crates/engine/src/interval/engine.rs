//! The interval engine: resources shared by all operations.

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

/// Setup of an engine.
pub struct IntervalSetup<'g> {
    /// Out-lists, if open; the same as the in-lists of an undirected graph.
    pub out: Option<&'g dyn Adjacency>,
    /// Open in-lists.
    pub into: Option<&'g dyn Adjacency>,
    /// Degrees of the constructed lists, and out-degrees for passes that read them.
    pub degrees: DegreeSource<'g>,
    /// Requirements of the program.
    pub requirements: IntervalRequirements,
    /// Memory for windows, copies and constructed lists, in bytes; the engine uses as much as is useful.
    /// [`IntervalRequirements::least`] returns its other memory.
    pub memory: u64,
    /// Folder for values on disk; required if the requirements place values on disk.
    pub spill: Option<&'g SpillFolder>,
    /// Worker threads.
    pub workers: &'g Workers,
    /// Memory budget to reserve from.
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
    /// Directions of the constructed lists.
    pub(super) constructed: &'static [Direction],
    /// Bytes per window of values on disk.
    pub(super) window_bytes: u64,
    /// Bytes of the largest interval.
    pub(super) interval_bytes: u64,
    /// Collects improved vertices; reused by later propagations.
    next: Mutex<Option<FrontierBuilder>>,
    /// Out-degrees, loaded by the first scan of in-memory values that needs them.
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
    /// Chooses the intervals in one pass over the degrees of the constructed lists, and reserves memory from the
    /// budget.
    ///
    /// # Errors
    /// Returns an error if the budget is less than [`IntervalRequirements::least`] or cannot fit the longest list, if
    /// degrees are missing or damaged, or on interruption.
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
        // If a list is longer than the intended interval, windows are smaller.
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

    /// Returns the engine with `scheduler`, which decides between selecting and sweeping.
    #[must_use]
    pub fn scheduled_by(mut self, scheduler: Scheduler) -> Self {
        self.context.schedule_by(&scheduler);
        self
    }

    /// Returns the vertex intervals.
    pub fn intervals(&self) -> &[VertexRange] {
        &self.intervals
    }

    /// Runs `work` and counts its reads and writes of `file`.
    pub(super) fn counting<T: Number, R>(&self, file: &ValueFile<T>, work: impl FnOnce() -> Result<R>) -> Result<R> {
        let before = file.traffic();
        let outcome = work();
        let after = file.traffic();
        self.note_values(after.0 - before.0, after.1 - before.1);
        outcome
    }

    /// Rejects values with another number of vertices, or another location (memory or disk), than the engine's.
    pub(super) fn check<T: Number>(&self, values: &VertexArray<T>) -> Result<()> {
        if values.len() == self.vertices() as usize && values.is_on_disk() == self.requirements.on_disk {
            return Ok(());
        }
        let (length, vertices) = (values.len(), self.vertices());
        Err(Error::internal(format!(
            "{length} values for {vertices} vertices, or values in a different location than the engine uses"
        )))
    }

    /// Runs `work` to collect vertices, and returns them. After a failure, the collection is not reused.
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

/// Returns the directions of the constructed lists; one is enough if both are the same.
const fn constructed(constructs: Constructs, undirected: bool) -> &'static [Direction] {
    match (constructs, undirected) {
        (Constructs::Nothing, _) => &[],
        (Constructs::Both, false) => &[Direction::Out, Direction::In],
        (Constructs::One(Direction::In), _) => &[Direction::In],
        (Constructs::One(Direction::Out) | Constructs::Both, _) => &[Direction::Out],
    }
}
