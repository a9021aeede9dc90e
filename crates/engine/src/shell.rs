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

/// Graph as an engine reads it.
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
pub struct Shell<'g> {
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

impl<'g> Shell<'g> {
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

    /// Number of vertices.
    pub const fn vertices(&self) -> u32 {
        self.vertices
    }

    /// Returns the range of all vertices.
    pub const fn everything(&self) -> VertexRange {
        VertexRange::new(0, self.vertices)
    }

    /// The threads.
    pub const fn workers(&self) -> &'g Workers {
        self.workers
    }

    /// Budget that pays for values.
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

    /// True if out- and in-lists are the same.
    pub fn undirected(&self) -> bool {
        self.open_lists().undirected()
    }

    /// Entries of all lists of `direction`.
    ///
    /// # Errors
    /// [`outcrop_types::Error::Internal`] where they are not open.
    pub fn entries(&self, direction: Direction) -> Result<u64> {
        Ok(self.lists(direction)?.num_arcs())
    }

    /// The lists of `direction`.
    pub fn lists(&self, direction: Direction) -> Result<&'g dyn Adjacency> {
        self.open_lists().require(direction)
    }

    /// Values of all vertices in memory, that of each as `value` says.
    ///
    /// # Errors
    /// The budget is too small.
    pub fn vertex_values<T: Zeroable + Send>(&self, value: impl Fn(VertexId) -> T + Sync) -> Result<VertexValues<T>> {
        self.workers.values(self.budget, Purpose::VertexValues, self.vertices, value)
    }

    /// Values of all vertices, in memory or on disk as the requirements say, that of each as `value` says.
    ///
    /// # Errors
    /// The budget is too small; [`outcrop_types::Error::DiskFull`]; [`outcrop_types::Error::Io`]; interruption.
    pub fn values<T: Plain>(&self, value: impl Fn(VertexId) -> T + Sync) -> Result<VertexArray<T>> {
        self.some_values(self.vertices, value)
    }

    /// Creates values as [`Shell::values`] does, for `vertices` vertices including spare ones.
    pub fn some_values<T: Plain>(&self, vertices: u32, value: impl Fn(VertexId) -> T + Sync) -> Result<VertexArray<T>> {
        VertexArray::new(self.residence, vertices, value)
    }

    /// Another array of values of the same vertices, made from the first, such as one of its parts; spare vertices are
    /// left out.
    ///
    /// # Errors
    /// As for [`Shell::values`]; a failed or damaged read.
    pub fn project<T: Plain, U: Plain>(
        &self,
        values: &VertexArray<T>,
        part: impl Fn(T) -> U + Sync,
    ) -> Result<VertexArray<U>> {
        values.project(self.residence, self.vertices, part)
    }

    /// Counts of all reads of lists or shards so far.
    pub fn figures(&self) -> AccessFigures {
        self.edges.figures()
    }

    /// Bytes of values on disk, and of what an engine keeps beside them, that were read and written: by the model gas
    /// in its last run, and of vertices alone.
    pub fn value_traffic(&self) -> (u64, u64) {
        *self.traffic()
    }

    /// Seconds that estimating and deciding took so far.
    pub fn seconds_scheduling(&self) -> f64 {
        self.log().seconds_scheduling()
    }

    /// Ends an iteration: the observer hears what was done since the last one ended. Returns its number, from 1.
    pub fn end_iteration(&self, change: Option<f64>) -> u32 {
        self.parts.begin(0);
        self.log().end(self.figures(), change, self.observer)
    }

    /// Tells the user something about the result.
    pub fn note(&self, message: &str) {
        self.observer.note(message);
    }

    /// The run ends so: observers are told how much is left.
    pub fn ends(&self, end: RunEnd) {
        self.log().ends(end);
    }

    /// The run ends within so many iterations, unless the algorithm has said more.
    pub fn ends_within(&self, most: u32) {
        let mut log = self.log();
        if log.end_of_run() == RunEnd::Unknown {
            log.ends(RunEnd::Iterations { most, tolerance: None });
        }
    }

    /// Records the amount `done`, in the unit that the end of the run counts.
    pub fn has_done(&self, done: u64) {
        self.log().has_done(done);
    }

    /// Measures the rest of the iteration in `parts` parts instead of list entries.
    pub fn begin_parts(&self, parts: u64) {
        self.parts.begin(parts);
    }

    /// Records that `parts` more parts of the iteration are done.
    pub fn end_parts(&self, parts: u64) {
        self.parts.end(parts);
    }

    /// State of the run, which is called `phase`.
    pub fn progress(&self, phase: &'static str) -> Progress {
        self.log().progress(phase, (self.figures(), self.open_lists().arcs()), self.parts.share())
    }

    /// Has the state of a run saved to `checkpoints`, or restored from there, once and for all.
    pub fn keep_checkpoints(&self, checkpoints: Arc<Checkpoints>) {
        _ = self.checkpoints.set(checkpoints);
    }

    /// True if the run goes on from a checkpoint at `place`, which is still to come: what leads there need not be done
    /// again, where what is shown there has all of it.
    pub fn resumes_at(&self, place: &str) -> bool {
        self.checkpoints.get().is_some_and(|checkpoints| checkpoints.waits_at(place))
    }

    /// Between two rounds, at the same `place` in each: saves the state that `visit` shows where that is due, and in a
    /// run that goes on restores it at first. One loop of an algorithm has checkpoints at a time; what comes before a
    /// place is done again.
    ///
    /// # Errors
    /// What `visit` returns; a damaged checkpoint; interruption. A checkpoint that cannot be written is noted.
    pub fn checkpoint(&self, place: &str, visit: impl FnOnce(&mut State<'_>) -> Result<()>) -> Result<()> {
        let Some(checkpoints) = self.checkpoints.get() else { return Ok(()) };
        let (iteration, visit) = (self.log().iteration(), &mut once(visit));
        if let Some(iteration) =
            checkpoints.at((place, iteration), (self.workers.cancellation(), self.observer), visit)?
        {
            self.log().go_on_after(iteration);
        }
        Ok(())
    }

    /// Has the run go on from `last`, and put its result there, once and for all.
    pub fn go_on_from(&self, last: Arc<LastResult>) {
        _ = self.last_result.set(last);
    }

    /// True if the next run is to go on from the result of this one.
    pub fn keeps_result(&self) -> bool {
        self.last_result.get().is_some()
    }

    /// Fills what `visit` shows with the last result, where the run goes on from one; what changed since then, or else
    /// nothing.
    ///
    /// # Errors
    /// What `visit` returns; a damaged result; interruption.
    pub fn restore_result(&self, visit: impl FnOnce(&mut State<'_>) -> Result<()>) -> Result<Option<&Changes>> {
        let Some(last) = self.last_result.get() else { return Ok(None) };
        last.restore(self.workers.cancellation(), &mut once(visit))
    }

    /// Puts the result that `visit` shows in the place of the last, where the next run is to go on from it.
    ///
    /// # Errors
    /// What `visit` returns; interruption. A result that cannot be written is noted.
    pub fn keep_result(&self, visit: impl FnOnce(&mut State<'_>) -> Result<()>) -> Result<()> {
        let Some(last) = self.last_result.get() else { return Ok(()) };
        last.save((self.workers.cancellation(), self.observer), &mut once(visit))
    }

    /// Counts `vertices` as examined again, in a run that starts from a previous result.
    pub fn touch(&self, vertices: u64) {
        self.last_result.get().into_iter().for_each(|last| last.touch(vertices));
    }

    /// Notes that the run recomputes everything, for this `reason`.
    pub fn give_up_repair(&self, reason: &str) {
        self.last_result.get().into_iter().for_each(|last| last.give_up(reason));
        self.observer.note(&format!("computing from scratch: {reason}"));
    }

    /// Goes through all vertices once, at a `place` of checkpoints: `work` does as many as it likes of a range, from
    /// its start on, and says how far it came; `visit` shows what was done so far. Where no checkpoints are kept, or
    /// there is no place, all are one range.
    ///
    /// # Errors
    /// What `work` returns; as for [`Shell::checkpoint`].
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
            // In the order of degrees the first lists are the longest.
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
    pub fn note_values(&self, (read, written): (u64, u64)) {
        let mut traffic = self.traffic();
        *traffic = (traffic.0 + read, traffic.1 + written);
        self.log().note_values((read, written));
    }

    /// Records the bytes of values on disk that an iteration read and wrote, in the iteration alone.
    pub fn note_iteration_values(&self, bytes: (u64, u64)) {
        self.log().note_values(bytes);
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

/// Visit of a state that is called once at the most, as one that may be called again.
fn once(visit: impl FnOnce(&mut State<'_>) -> Result<()>) -> impl FnMut(&mut State<'_>) -> Result<()> {
    let mut visit = Some(visit);
    move |state| visit.take().map_or(Ok(()), |visit| visit(state))
}
