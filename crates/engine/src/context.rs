//! State shared by the engines of all models: threads, budget, values, and progress for observers.

use crate::checkpoint::{Changes, Checkpoints, LastResult, State};
use crate::iterations::IterationLog;
use crate::progress::Parts;
use crate::schedule::{CostModel, Estimates, Plan, Schedule, Scheduler};
use crate::values::{Plain, Residence, VertexArray};
use bytemuck::Zeroable;
use outcrop_store::access::{AccessFigures, Adjacency, OpenLists, Shards, Workers};
use outcrop_types::{
    Direction, MemoryBudget, Observer, Progress, Purpose, Result, RunEnd, VertexId, VertexRange, VertexValues,
};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Graph as read by an engine.
#[derive(Clone, Copy)]
pub enum Edges<'g> {
    /// Adjacency lists.
    Lists(OpenLists<'g>),
    /// Shards of edges.
    Shards(&'g dyn Shards),
}

impl Edges<'_> {
    fn figures(&self) -> AccessFigures {
        match self {
            Self::Lists(lists) => lists.figures(),
            Self::Shards(shards) => shards.statistics().figures(),
        }
    }
}

/// Threads, budget, values and iterations of an engine of any model.
pub struct EngineContext<'g> {
    vertices: u32,
    edges: Edges<'g>,
    workers: &'g Workers,
    budget: &'g MemoryBudget,
    observer: &'g dyn Observer,
    residence: Residence<'g>,
    pub(crate) schedule: Schedule,
    pub(crate) model: CostModel,
    log: Mutex<IterationLog>,
    parts: Parts,
    checkpoints: OnceLock<Arc<Checkpoints>>,
    last_result: OnceLock<Arc<LastResult>>,
    /// Bytes of values on disk that were read and written.
    traffic: Mutex<(u64, u64)>,
}

impl<'g> EngineContext<'g> {
    /// Creates the shell of an engine over `vertices` vertices, with values in `residence`.
    pub fn new(
        vertices: u32,
        edges: Edges<'g>,
        (workers, budget, observer): (&'g Workers, &'g MemoryBudget, &'g dyn Observer),
        residence: Residence<'g>,
    ) -> Self {
        let log = Mutex::new(IterationLog::new(edges.figures()));
        let model = CostModel::new(&Scheduler::default().bandwidths, workers.threads(), vertices);
        let (schedule, traffic, checkpoints) = (Schedule::default(), Mutex::default(), OnceLock::new());
        let (parts, last_result) = (Parts::default(), OnceLock::new());
        Self {
            vertices,
            edges,
            workers,
            budget,
            observer,
            residence,
            schedule,
            model,
            log,
            parts,
            checkpoints,
            last_result,
            traffic,
        }
    }

    /// Decides by `scheduler` between selecting and sweeping.
    pub(crate) fn schedule_by(&mut self, scheduler: &Scheduler) {
        self.model = CostModel::new(&scheduler.bandwidths, self.workers.threads(), self.vertices);
        self.schedule = scheduler.schedule;
    }

    /// Returns the number of vertices.
    pub const fn vertices(&self) -> u32 {
        self.vertices
    }

    /// Returns the range of all vertices.
    pub const fn everything(&self) -> VertexRange {
        VertexRange::new(0, self.vertices)
    }

    /// Returns the threads.
    pub const fn workers(&self) -> &'g Workers {
        self.workers
    }

    /// Returns the budget for values.
    pub const fn budget(&self) -> &'g MemoryBudget {
        self.budget
    }

    /// The lists that are open; none where shards are read.
    pub const fn open_lists(&self) -> OpenLists<'g> {
        match self.edges {
            Edges::Lists(lists) => lists,
            Edges::Shards(_) => OpenLists::new(None, None),
        }
    }

    /// Returns true if out- and in-lists are the same.
    pub fn undirected(&self) -> bool {
        self.open_lists().undirected()
    }

    /// Returns the number of entries of all lists of `direction`.
    ///
    /// # Errors
    ///
    /// Returns [`outcrop_types::Error::Internal`] if they are not open.
    pub fn entries(&self, direction: Direction) -> Result<u64> {
        Ok(self.lists(direction)?.num_arcs())
    }

    /// The lists of `direction`.
    pub fn lists(&self, direction: Direction) -> Result<&'g dyn Adjacency> {
        self.open_lists().require(direction)
    }

    /// Creates in-memory values, with `value(vertex)` for each vertex.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget is too small.
    pub fn vertex_values<T: Zeroable + Send>(&self, value: impl Fn(VertexId) -> T + Sync) -> Result<VertexValues<T>> {
        self.workers.values(self.budget, Purpose::VertexValues, self.vertices, value)
    }

    /// Creates values in memory or on disk according to the requirements, with `value(vertex)` for each vertex.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget is too small or the run is interrupted, [`outcrop_types::Error::DiskFull`] or
    /// [`outcrop_types::Error::Io`].
    pub fn values<T: Plain>(&self, value: impl Fn(VertexId) -> T + Sync) -> Result<VertexArray<T>> {
        self.some_values(self.vertices, value)
    }

    /// Creates values as [`EngineContext::values`] does, for `vertices` vertices including spare ones.
    pub fn some_values<T: Plain>(&self, vertices: u32, value: impl Fn(VertexId) -> T + Sync) -> Result<VertexArray<T>> {
        VertexArray::new(self.residence, vertices, value)
    }

    /// Creates another array for the same vertices, with values derived from the first, such as one of its fields;
    /// spare vertices are omitted.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`EngineContext::values`], or if a read fails or the data is
    /// damaged.
    pub fn project<T: Plain, U: Plain>(
        &self,
        values: &VertexArray<T>,
        part: impl Fn(T) -> U + Sync,
    ) -> Result<VertexArray<U>> {
        values.project(self.residence, self.vertices, part)
    }

    /// Returns the counters of all reads of lists or shards so far.
    pub fn figures(&self) -> AccessFigures {
        self.edges.figures()
    }

    /// Returns the numbers of bytes read and written of values on disk and of data that an engine stores with them: by
    /// the last run of the model gas, and otherwise of vertex values only.
    pub fn value_traffic(&self) -> (u64, u64) {
        *self.traffic()
    }

    /// Returns the seconds spent on estimates and decisions so far.
    pub fn seconds_scheduling(&self) -> f64 {
        self.log().seconds_scheduling()
    }

    /// Ends an iteration and reports it to the observer. Returns its number, starting at 1.
    pub fn end_iteration(&self, change: Option<f64>) -> u32 {
        self.parts.begin(0);
        self.log().end(self.figures(), change, self.observer)
    }

    /// Adds a note about the result for the user.
    pub fn note(&self, message: &str) {
        self.observer.note(message);
    }

    /// Sets the end of the run, from which observers derive the remaining work.
    pub fn set_end(&self, end: RunEnd) {
        self.log().set_end(end);
    }

    /// The run ends within so many iterations, unless the algorithm has said more.
    pub fn set_most_iterations(&self, most: u32) {
        let mut log = self.log();
        if log.end_of_run() == RunEnd::Unknown {
            log.set_end(RunEnd::Iterations { most, tolerance: None });
        }
    }

    /// Records the amount `done`, in the unit that the end of the run counts.
    pub fn set_done(&self, done: u64) {
        self.log().set_done(done);
    }

    /// Measures the rest of the iteration in `parts` parts instead of list entries.
    pub fn begin_parts(&self, parts: u64) {
        self.parts.begin(parts);
    }

    /// Records that `parts` more parts of the iteration are done.
    pub fn end_parts(&self, parts: u64) {
        self.parts.end(parts);
    }

    /// Returns the state of the run, with the name `phase`.
    pub fn progress(&self, phase: &'static str) -> Progress {
        self.log().progress(phase, self.figures(), self.open_lists().arcs(), self.parts.share())
    }

    /// Enables saving the state of a run to `checkpoints`, or restoring it from there. Later calls have no effect.
    pub fn set_checkpoints(&self, checkpoints: Arc<Checkpoints>) {
        _ = self.checkpoints.set(checkpoints);
    }

    /// Returns true if the run is still to be resumed from a checkpoint at `place`: work that leads there can be
    /// skipped if its result is part of the serialized state.
    pub fn resumes_at(&self, place: &str) -> bool {
        self.checkpoints.get().is_some_and(|checkpoints| checkpoints.resumes_at(place))
    }

    /// Handles a checkpoint between two rounds, at the same `place` in each: saves the state that `visit` serializes if
    /// that is due, and restores it initially in a resumed run. Only one loop of an algorithm has checkpoints at a
    /// time; work before its place is repeated.
    ///
    /// # Errors
    ///
    /// Returns the error of `visit`, or an error if the checkpoint is damaged or the run is interrupted. If a
    /// checkpoint cannot be written, adds a note.
    pub fn checkpoint(&self, place: &str, visit: impl FnOnce(&mut State<'_>) -> Result<()>) -> Result<()> {
        let Some(checkpoints) = self.checkpoints.get() else { return Ok(()) };
        let (iteration, visit) = (self.log().iteration(), &mut once(visit));
        if let Some(iteration) = checkpoints.at(place, iteration, self.workers.cancellation(), self.observer, visit)? {
            self.log().resume_after(iteration);
        }
        Ok(())
    }

    /// Makes the run start from `last`, and store its result there. Later calls have no effect.
    pub fn set_last_result(&self, last: Arc<LastResult>) {
        _ = self.last_result.set(last);
    }

    /// Returns true if the next run is to start from the result of this one.
    pub fn saves_result(&self) -> bool {
        self.last_result.get().is_some()
    }

    /// Fills the values passed by `visit` with the previous result, if the run starts from one; returns the changes
    /// since then, or `None`.
    ///
    /// # Errors
    ///
    /// Returns the error of `visit`, or an error if the result is damaged or the run is interrupted.
    pub fn restore_result(&self, visit: impl FnOnce(&mut State<'_>) -> Result<()>) -> Result<Option<&Changes>> {
        let Some(last) = self.last_result.get() else { return Ok(None) };
        last.restore(self.workers.cancellation(), &mut once(visit))
    }

    /// Replaces the previous result by the one that `visit` serializes, if the next run is to start from it.
    ///
    /// # Errors
    ///
    /// Returns the error of `visit`, or an error if the run is interrupted. If a result cannot be written, adds a note.
    pub fn save_result(&self, visit: impl FnOnce(&mut State<'_>) -> Result<()>) -> Result<()> {
        let Some(last) = self.last_result.get() else { return Ok(()) };
        last.save(self.workers.cancellation(), self.observer, &mut once(visit))
    }

    /// Counts `vertices` as examined again, in a run that starts from a previous result.
    pub fn touch(&self, vertices: u64) {
        self.last_result.get().into_iter().for_each(|last| last.touch(vertices));
    }

    /// Notes that the run recomputes everything, for this `reason`.
    pub fn note_recomputation(&self, reason: &str) {
        self.last_result.get().into_iter().for_each(|last| last.set_recomputed(reason));
        self.observer.note(&format!("computing from scratch: {reason}"));
    }

    /// Processes all vertices once, with checkpoints at `place`: `work` processes any number of vertices from the start
    /// of a range and returns the end; `visit` serializes the completed part. Without checkpoints or a place, all
    /// vertices are one range.
    ///
    /// # Errors
    ///
    /// Returns the error of `work`, or an error under the same conditions as [`EngineContext::checkpoint`].
    pub fn in_pieces(
        &self,
        place: Option<&str>,
        mut work: impl FnMut(VertexRange) -> Result<VertexId>,
        mut visit: impl FnMut(&mut State<'_>) -> Result<()>,
    ) -> Result<()> {
        let place = place.filter(|_| self.checkpoints.get().is_some());
        let (mut next, vertices) = (0, self.vertices);
        let mut checkpoint = |next: &mut VertexId| match place {
            Some(place) => self.checkpoint(place, |state| {
                state.bounded(next, vertices.into())?;
                visit(state)
            }),
            None => Ok(()),
        };
        checkpoint(&mut next)?;
        while next < vertices {
            // In degree order, the first lists are the longest.
            let length = place.map_or(vertices, |_| next.clamp(vertices.div_ceil(4096), vertices.div_ceil(64)));
            next = work(VertexRange::new(next, next.saturating_add(length).min(vertices)))?;
            if next < vertices {
                checkpoint(&mut next)?;
            }
        }
        Ok(())
    }

    /// Records the direction and access mode of an edge map.
    pub fn note_map(&self, plan: Plan, active_vertices: u64, estimates: Estimates) {
        self.log().note_map(plan, active_vertices, estimates);
    }

    /// Records bytes of values on disk that were read and written, in the iteration and in the run.
    pub fn note_values(&self, read: u64, written: u64) {
        let mut traffic = self.traffic();
        *traffic = (traffic.0 + read, traffic.1 + written);
        self.log().note_values(read, written);
    }

    /// Records the bytes of values on disk that an iteration read and wrote, in the iteration alone.
    pub fn note_iteration_values(&self, read: u64, written: u64) {
        self.log().note_values(read, written);
    }

    /// Sets the bytes of values on disk that the run read and wrote.
    pub fn set_value_traffic(&self, bytes: (u64, u64)) {
        *self.traffic() = bytes;
    }

    fn traffic(&self) -> MutexGuard<'_, (u64, u64)> {
        self.traffic.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn log(&self) -> MutexGuard<'_, IterationLog> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Adapts a visit of a state that is called at most once to one that may be called repeatedly.
fn once(visit: impl FnOnce(&mut State<'_>) -> Result<()>) -> impl FnMut(&mut State<'_>) -> Result<()> {
    let mut visit = Some(visit);
    move |state| visit.take().map_or(Ok(()), |visit| visit(state))
}
