//! The gas engine and its resources.

use super::memory::{ShardExtent, least};
use super::requirements::{GasOptions, GasRequirements};
use super::shards::{ArrivingArc, BlockStore, ShardSet, SpillPool, all_arcs, lock};
use outcrop_engine::Residence;
use outcrop_engine::context::{Edges, EngineContext};
use outcrop_engine::schedule::{Estimates, Plan};
use outcrop_io::SpillFolder;
use outcrop_store::access::{Shards, Workers};
use outcrop_types::{
    AccessMode, BitSet, EdgeDirection, Error, GasFigures, GasStepFigures, MemoryBudget, MemoryNeed, MemoryPlan,
    Observer, Reservation, Result, Stopwatch, VertexValues, length_from,
};
use std::ops::Deref;
use std::sync::Mutex;

/// Setup of an engine.
pub struct GasSetup<'g> {
    /// Shards of the graph, along the edges that the requirements name.
    pub shards: &'g dyn Shards,
    /// Out-degree of each vertex, if the requirements include degrees.
    pub degrees: Option<VertexValues<u32>>,
    /// Requirements of the program.
    pub requirements: GasRequirements,
    /// Conditions for making dynamic shards.
    pub options: GasOptions,
    /// Edges that arrive while a program runs. If the requirements include both directions, list each edge in both.
    pub arrivals: &'g [ArrivingArc],
    /// Memory for everything except vertex values, in bytes; the engine uses at least [`GasEngine::plan`]. The
    /// remainder caches edges and their values.
    pub memory: u64,
    /// Folder for edge values and dynamic shards.
    pub spill: &'g SpillFolder,
    /// Worker threads.
    pub workers: &'g Workers,
    /// Memory budget to reserve from.
    pub budget: &'g MemoryBudget,
    /// Observer of iterations.
    pub observer: &'g dyn Observer,
}

/// Runs programs.
pub struct GasEngine<'g> {
    context: EngineContext<'g>,
    pub(super) setup: GasSetup<'g>,
    /// Number of arcs in the graph.
    pub(super) arcs: u64,
    pool: SpillPool,
    figures: Mutex<GasFigures>,
    /// Bytes read and written up to the end of the last step.
    traffic_of_steps: Mutex<(u64, u64)>,
    /// Bytes of temporary files read and written by runs before the last.
    traffic_before: Mutex<(u64, u64)>,
    _held: Vec<Reservation>,
}

impl<'g> Deref for GasEngine<'g> {
    type Target = EngineContext<'g>;

    fn deref(&self) -> &EngineContext<'g> {
        &self.context
    }
}

impl<'g> GasEngine<'g> {
    /// Returns the minimum memory of an engine on shards of size `extent`. If `extent` is an estimate for shards that
    /// are not written yet, intervals and blocks may turn out larger; creating the engine then needs more, or fails.
    pub fn plan(
        requirements: &GasRequirements,
        options: &GasOptions,
        extent: ShardExtent,
        threads: usize,
    ) -> MemoryPlan {
        least(requirements, options, extent, threads)
    }

    /// Reserves the minimum memory of a run.
    ///
    /// # Errors
    /// Returns an error if the budget is too small (with the exact requirement), if the shards have another number of
    /// vertices than the requirements, or if required weights or degrees are missing.
    pub fn new(mut setup: GasSetup<'g>) -> Result<Self> {
        setup.requirements.arrivals = length_from(setup.arrivals.len());
        setup.options.shards = setup.options.shards.resolve(&setup.requirements);
        let requirements = &setup.requirements;
        let fits = setup.shards.bounds().last() == Some(&requirements.vertices);
        if setup.arrivals.iter().any(|edge| edge.source.max(edge.target) >= requirements.vertices) {
            return Err(Error::internal("an arriving edge has a vertex that is not in the graph"));
        }
        if !fits
            || requirements.weighted && setup.shards.weights().is_none()
            || requirements.degrees && setup.degrees.is_none()
        {
            return Err(Error::internal("the shards do not match the vertices, weights or degrees of the program"));
        }
        let extent = ShardExtent::of(setup.shards);
        let plan = Self::plan(&setup.requirements, &setup.options, extent, setup.workers.threads());
        setup.budget.require(&plan)?;
        let reserve = |need: &MemoryNeed| setup.budget.reserve(need.bytes, need.purpose);
        let held = plan.needs().iter().map(reserve).collect::<Result<Vec<_>>>()?;
        let rest = setup.memory.saturating_sub(plan.total()).min(setup.budget.available());
        let pool = SpillPool::new(rest, setup.budget)?;
        let residence = match setup.requirements.on_disk {
            false => Residence::Memory(setup.budget, setup.workers),
            true => Residence::Disk(setup.spill, setup.workers.cancellation()),
        };
        let shared = (setup.workers, setup.budget, setup.observer);
        let context = EngineContext::new(setup.requirements.vertices, Edges::Shards(setup.shards), shared, residence);
        Ok(Self {
            arcs: all_arcs(setup.shards),
            pool,
            figures: Mutex::default(),
            traffic_of_steps: Mutex::new((context.figures().bytes_read, 0)),
            traffic_before: Mutex::default(),
            _held: held,
            context,
            setup,
        })
    }

    /// Starts a run of up to `limit` iterations after the initial one, and resets the figures.
    pub(super) fn begin_run(&self, limit: u32) {
        if limit < u32::MAX {
            self.set_most_iterations(limit + 1);
        }
        let intervals = self.setup.shards.bounds().len().saturating_sub(1) as u32;
        *lock(&self.figures) = GasFigures { arcs: self.arcs, intervals, ..GasFigures::default() };
        let so_far = self.pool.begin_run();
        *lock(&self.traffic_before) = so_far;
        *lock(&self.traffic_of_steps) = (so_far.0 + self.figures().bytes_read, so_far.1);
    }

    /// Creates an empty block store.
    pub(super) fn store(&self) -> BlockStore<'_> {
        BlockStore::new(&self.pool, self.setup.spill)
    }

    /// Creates empty dynamic shards.
    pub(super) fn dynamic_set(&self, sources: BitSet) -> ShardSet<'_> {
        lock(&self.figures).dynamic_sets += 1;
        ShardSet::dynamic(self.setup.shards, (self.store(), self.store()), sources)
    }

    /// Records the end of a step.
    pub(super) fn end_step(&self, step: GasStepFigures, delay_bytes: u64, change: Option<f64>, watch: &Stopwatch) {
        let (read, written) = self.pool.traffic();
        let now = (read + self.figures().bytes_read, written);
        let before = std::mem::replace(&mut *lock(&self.traffic_of_steps), now);
        let step = GasStepFigures {
            bytes_read: now.0 - before.0,
            bytes_written: now.1 - before.1,
            seconds: watch.seconds(),
            ..step
        };
        let mut figures = lock(&self.figures);
        let earlier = *lock(&self.traffic_before);
        (figures.bytes_read, figures.bytes_written) = (read - earlier.0, written - earlier.1);
        figures.peak_disk_bytes = self.pool.peak_disk();
        figures.peak_delay_bytes = figures.peak_delay_bytes.max(delay_bytes);
        figures.steps.push(step);
        if step.shadow {
            figures.shadows += 1;
            figures.shadow_bytes_read += step.bytes_read;
            figures.shadow_bytes_written += step.bytes_written;
        } else {
            self.report_step(&step, change);
        }
    }

    fn report_step(&self, step: &GasStepFigures, change: Option<f64>) {
        let access = match step.arcs < self.arcs {
            true => AccessMode::Select,
            false => AccessMode::Sweep,
        };
        let mut estimates = Estimates::default();
        estimates.select.arcs = step.updated_arcs;
        self.note_map(Plan { direction: EdgeDirection::Push, access }, step.changed, estimates);
        self.note_iteration_values(step.bytes_read, step.bytes_written);
        self.end_iteration(change);
    }

    /// Returns the options, with the kind of shards in use.
    pub const fn options(&self) -> &GasOptions {
        &self.setup.options
    }

    /// Returns the figures of shards and edge values of the last run.
    pub fn gas_figures(&self) -> GasFigures {
        lock(&self.figures).clone()
    }
}
