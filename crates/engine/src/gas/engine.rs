//! The engine: what a run of a program works with.

use super::aggregation::Aggregation;
use super::demand::{GasDemand, GasOptions, ShardKind};
use super::iterations::{Run, VertexFiles};
use super::memory::{ShardExtent, least};
use super::program::GasProgram;
use super::shards::{Arrival, BlockStore, Room, ShardSet, all_arcs, lock};
use crate::columns::{Columns, traffic_of};
use crate::interval::Storage;
use crate::iterations::IterationLog;
use crate::messages::Plain;
use crate::schedule::{Estimates, Plan};
use outcrop_io::SpillFolder;
use outcrop_store::access::{AccessFigures, Shards, Workers};
use outcrop_types::{
    AccessMode, BitSet, EdgeDirection, Error, GasFigures, GasStepFigures, MemoryBudget, MemoryPlan, Observer,
    Reservation, Result, Stopwatch, VertexValues,
};
use std::sync::Mutex;

/// Setup that an engine works with.
pub struct GasSetup<'g> {
    /// The graph, along the edges that the demand names.
    pub shards: &'g dyn Shards,
    /// The out-degree of each vertex, where the demand asks for that.
    pub degrees: Option<VertexValues<u32>>,
    /// Demand on the engine.
    pub demand: GasDemand,
    /// Conditions for making dynamic shards.
    pub options: GasOptions,
    /// Edges that come while a program runs; where the demand asks for both directions, each has to be named in both.
    pub arrivals: &'g [Arrival],
    /// Memory for all that the engine takes, which is everything but values of vertices, in bytes; at least [`GasEngine::plan`] is taken.
    /// What is left of it holds edges and their values.
    pub memory: u64,
    /// Folder for values of edges and dynamic shards.
    pub spill: &'g SpillFolder,
    /// The threads.
    pub workers: &'g Workers,
    /// Memory budget that pays for it all.
    pub budget: &'g MemoryBudget,
    /// Observer that is told of iterations.
    pub observer: &'g dyn Observer,
}

/// Result of a run.
#[derive(Debug)]
pub struct GasRan<V> {
    /// The value of each vertex.
    pub values: Storage<V>,
    /// Iterations, without shadow iterations and the one in which vertices began.
    pub iterations: u32,
}

/// Runs programs.
pub struct GasEngine<'g> {
    pub(super) setup: GasSetup<'g>,
    /// Arcs of the graph.
    pub(super) arcs: u64,
    room: Room,
    figures: Mutex<GasFigures>,
    log: Mutex<IterationLog>,
    /// Bytes read and written when the last step ended.
    traffic: Mutex<(u64, u64)>,
    /// Bytes of temporary files that runs before the last read and wrote.
    traffic_before: Mutex<(u64, u64)>,
    vertex_traffic: Mutex<(u64, u64)>,
    _held: Vec<Reservation>,
}

impl<'g> GasEngine<'g> {
    /// Least memory that an engine takes on shards that are as large as `extent` says. Where that is what is expected of shards that are
    /// not written yet, intervals and blocks may come out larger: then making an engine takes more, or fails.
    pub fn plan(demand: &GasDemand, options: &GasOptions, extent: ShardExtent, threads: usize) -> MemoryPlan {
        least(demand, options, extent, threads)
    }

    /// Reserves what a run takes at the least.
    ///
    /// # Errors
    /// The budget does not hold it, with what it takes exactly; shards of other vertices than the demand says, or without weights or
    /// degrees that it asks for.
    pub fn new(setup: GasSetup<'g>) -> Result<Self> {
        let demand = &setup.demand;
        let fits = setup.shards.bounds().last() == Some(&demand.vertices);
        if setup.arrivals.iter().any(|edge| edge.source.max(edge.target) >= demand.vertices) {
            return Err(Error::Usage("an edge that comes has a vertex that the graph does not have".to_owned()));
        }
        if !fits || demand.weighted && setup.shards.weights().is_none() || demand.degrees && setup.degrees.is_none() {
            return Err(Error::Usage(
                "shards have other vertices than a program asks for, or no weights or degrees".to_owned(),
            ));
        }
        let extent = ShardExtent::of(setup.shards);
        let plan = Self::plan(&setup.demand, &setup.options, extent, setup.workers.threads());
        setup.budget.require(&plan)?;
        let reserve = |need: &outcrop_types::MemoryNeed| setup.budget.reserve(need.bytes, need.purpose);
        let held = plan.needs().iter().map(reserve).collect::<Result<Vec<_>>>()?;
        let rest = setup.memory.saturating_sub(plan.total()).min(setup.budget.available());
        let room = Room::new(rest, setup.budget)?;
        let figures = setup.shards.statistics().figures();
        let arcs = all_arcs(setup.shards);
        Ok(Self {
            arcs,
            room,
            figures: Mutex::default(),
            log: Mutex::new(IterationLog::new(figures)),
            traffic: Mutex::new((figures.bytes_read, 0)),
            traffic_before: Mutex::default(),
            vertex_traffic: Mutex::default(),
            _held: held,
            setup,
        })
    }

    /// Number of vertices of the graph.
    pub const fn vertices(&self) -> u32 {
        self.setup.demand.vertices
    }

    /// Runs `program` until no edge has anything new, the program does not continue, or there were `limit` iterations beyond the one in
    /// which vertices begin. A program is not asked to end while changes are delayed.
    ///
    /// # Errors
    /// A program without an aggregation on dynamic shards, or one that looks at what edges held on lists of edges; values of another
    /// size than the demand says; a failed or damaged read, a full disk, interruption.
    pub fn run<P: GasProgram>(&self, program: &P, limit: u32) -> Result<GasRan<P::Value>> {
        self.check::<P>()?;
        let begun = GasFigures {
            arcs: self.arcs,
            intervals: self.setup.shards.bounds().len().saturating_sub(1) as u32,
            ..GasFigures::default()
        };
        *lock(&self.figures) = begun;
        let so_far = self.room.begin_run();
        *lock(&self.traffic_before) = so_far;
        *lock(&self.traffic) = (so_far.0 + self.figures().bytes_read, so_far.1);
        let mut values = self.columns().made_of(self.vertices(), |_| Ok(bytemuck::Zeroable::zeroed()))?;
        let before = traffic_of(&values);
        let iterations = {
            let files = VertexFiles::new(&mut values, self.setup.shards.bounds());
            Run::new(self, program)?.go(&files, limit)?
        };
        let after = traffic_of(&values);
        *lock(&self.vertex_traffic) = (after.0 - before.0, after.1 - before.1);
        Ok(GasRan { values, iterations })
    }

    fn check<P: GasProgram>(&self) -> Result<()> {
        let (demand, shards) = (&self.setup.demand, self.setup.options.shards);
        if P::AGGREGATION == Aggregation::None && shards != ShardKind::Static {
            return Err(Error::Usage(
                "this program cannot go by increments: what becomes of a vertex depends on all of its in-edges together, and no \
                 function aggregates changes of it; run it on static shards (--shards static), or as a program of the messages model"
                    .to_owned(),
            ));
        }
        if P::KEEPS_EDGES && shards == ShardKind::EdgeList {
            return Err(Error::Usage(
                "this program looks at what edges held before, which a stream of edges does not bring: use --shards ods, ads or static"
                    .to_owned(),
            ));
        }
        if !P::TAKES_ARRIVALS && !self.setup.arrivals.is_empty() {
            return Err(Error::Usage("this program cannot go on where edges come while it runs".to_owned()));
        }
        let of = GasDemand::of::<P>(demand.vertices, demand.on_disk, demand.along);
        let sizes = |demand: &GasDemand| [demand.value_bytes, demand.edge_bytes, demand.sum_bytes, demand.change_bytes];
        if sizes(&of) != sizes(demand) || of.keeps_edges != demand.keeps_edges {
            return Err(Error::Usage("a program has other values than were asked for".to_owned()));
        }
        Ok(())
    }

    /// Another column of values of the same vertices, made from the first, such as one of its parts.
    ///
    /// # Errors
    /// The budget is too small; [`Error::DiskFull`]; [`Error::Io`].
    pub fn project<V: Plain, T: Plain>(&self, values: &Storage<V>, part: impl Fn(V) -> T) -> Result<Storage<T>> {
        self.columns().project(self.vertices(), values, part)
    }

    const fn columns(&self) -> Columns<'_> {
        let GasSetup { spill, budget, workers, demand, .. } = &self.setup;
        Columns { on_disk: demand.on_disk, spill, budget, cancellation: workers.cancellation() }
    }

    /// An empty store of blocks.
    pub(super) fn store(&self) -> BlockStore<'_> {
        BlockStore::new(&self.room, self.setup.spill)
    }

    /// Empty dynamic shards.
    pub(super) fn dynamic_set(&self, sources: BitSet) -> ShardSet<'_> {
        lock(&self.figures).dynamic_sets += 1;
        ShardSet::dynamic(self.setup.shards, (self.store(), self.store()), sources)
    }

    /// A step has ended.
    pub(super) fn end_step(&self, step: GasStepFigures, delay_bytes: u64, change: Option<f64>, watch: &Stopwatch) {
        let (read, written) = self.room.traffic();
        let now = (read + self.figures().bytes_read, written);
        let before = std::mem::replace(&mut *lock(&self.traffic), now);
        let step = GasStepFigures {
            bytes_read: now.0 - before.0,
            bytes_written: now.1 - before.1,
            seconds: watch.seconds(),
            ..step
        };
        let mut figures = lock(&self.figures);
        let earlier = *lock(&self.traffic_before);
        (figures.bytes_read, figures.bytes_written) = (read - earlier.0, written - earlier.1);
        figures.peak_disk_bytes = self.room.peak_disk();
        figures.peak_delay_bytes = figures.peak_delay_bytes.max(delay_bytes);
        figures.steps.push(step);
        if step.shadow {
            figures.shadows += 1;
            figures.shadow_bytes_read += step.bytes_read;
            figures.shadow_bytes_written += step.bytes_written;
        } else {
            self.tell(&step, change);
        }
    }

    fn tell(&self, step: &GasStepFigures, change: Option<f64>) {
        let mut log = lock(&self.log);
        let access = match step.arcs < self.arcs {
            true => AccessMode::Select,
            false => AccessMode::Sweep,
        };
        let mut estimates = Estimates::default();
        estimates.select.arcs = step.updated_arcs;
        log.note_map(Plan { direction: EdgeDirection::Push, access }, step.changed, estimates);
        log.note_values((step.bytes_read, step.bytes_written));
        log.end(self.figures(), change, self.setup.observer);
    }

    /// Counts of all reads of shards so far.
    pub fn figures(&self) -> AccessFigures {
        self.setup.shards.statistics().figures()
    }

    /// Bytes of values of vertices on disk that the last run read and wrote.
    pub fn value_traffic(&self) -> (u64, u64) {
        *lock(&self.vertex_traffic)
    }

    /// Figures of shards and values of edges in the last run.
    pub fn gas_figures(&self) -> GasFigures {
        lock(&self.figures).clone()
    }
}
