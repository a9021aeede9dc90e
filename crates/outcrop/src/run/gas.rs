//! The model of values on edges (dynamic shards): what its engine is asked for, from what shards are written, who gets which memory, and
//! where values of edges go.

use super::Reading;
use super::interval::index_residence;
use crate::arrivals::Arrivals;
use crate::graph::Graph;
use crate::lists::{self, Lists, Reads};
use crate::memory_size::CacheSize;
use crate::request::ValuePlace;
use outcrop_algorithms::registry::Needs;
use outcrop_engine::gas::{Along, GasDemand, GasEngine, GasOptions, GasSetup, Preparation, prepare_shards};
use outcrop_engine::interval::DegreeSource;
use outcrop_io::SpillFolder;
use outcrop_store::Order;
use outcrop_store::access::{AccessFigures, Adjacency};
use outcrop_store::layout::csr::CsrAdjacency;
use outcrop_store::layout::sliding::{EncodedShard, PreparedShards, ShardPreparation, ShardSorter, intervals_for};
use outcrop_store::layout::{DegreeReader, degrees};
use outcrop_types::{
    Direction, Error, MemoryBudget, MemoryPlan, Observer, Phase, ProgressUnit, Purpose, Result, Stopwatch, VertexValues,
};

/// What dynamic shards take in memory at the most, in bytes an arc of all, beside the values of all edges.
const DYNAMIC_BYTES: u64 = 4;

/// More than any engine takes for buffers.
const ENOUGH: u64 = 32 << 20;

/// What a run in the model of values on edges asks for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GasWork {
    /// The lists from which shards are written.
    pub(crate) needs: Needs,
    pub(crate) demand: GasDemand,
    pub(crate) options: GasOptions,
    /// Bytes a vertex of all vectors that are made of values in the end.
    pub(crate) result_bytes: u64,
    /// Bytes a vertex of what vertices begin with.
    pub(crate) vector_bytes: u64,
}

impl GasWork {
    /// Bytes of all vectors of values that are made during the run.
    fn made(&self) -> u64 {
        u64::from(self.demand.vertices) * (self.demand.value_bytes + self.result_bytes)
    }

    /// Bytes of what vertices begin with, which is in memory wherever values are.
    fn begun(&self) -> u64 {
        u64::from(self.demand.vertices) * self.vector_bytes
    }
}

/// The lists from which shards are written whose arcs go along `along`: the sources of arcs into each vertex.
pub(crate) const fn gas_needs(along: Along) -> Needs {
    Needs { out_lists: matches!(along, Along::Both), in_lists: true, frontiers: false, ranks: false }
}

/// How large shards are about to be.
#[derive(Clone, Copy, Debug)]
struct Extent {
    /// Arcs at the most.
    arcs: u64,
    intervals: u32,
}

impl Extent {
    /// What preparing takes to collect and sort in at the least: a block of sixteen times the mean, in an interval of four times the mean.
    fn least_sorting(self, work: &GasWork, slots: usize) -> u64 {
        let (intervals, weighted) = (u64::from(self.intervals), work.demand.weighted);
        let entries = (16 * self.arcs / (intervals * intervals) + 4096).min(self.arcs);
        let vertices = (u64::from(work.demand.vertices) * 4 / intervals + 64).min(work.demand.vertices.into());
        let vertices = u32::try_from(vertices).unwrap_or(u32::MAX);
        let threads = slots as u64 * ShardSorter::bytes(self.intervals, 0, 0, weighted);
        threads + sorting_bytes(vertices, entries, self.intervals, weighted)
    }

    /// What preparing takes to collect and sort in at the most.
    fn useful_sorting(self, work: &GasWork, slots: usize) -> u64 {
        let weighted = work.demand.weighted;
        let threads = slots as u64 * ShardSorter::bytes(self.intervals, 0, 0, weighted);
        threads + sorting_bytes(work.demand.vertices, self.arcs, self.intervals, weighted)
    }

    /// Bytes of the shards at the most.
    fn shard_bytes(self, work: &GasWork) -> u64 {
        EncodedShard::most_bytes(self.arcs, u64::from(self.intervals).pow(2), work.demand.weighted)
    }

    /// What the values of all edges, old and new, take.
    fn value_bytes(self, work: &GasWork) -> u64 {
        self.arcs.saturating_mul(2 * work.demand.edge_bytes)
    }
}

fn sorting_bytes(vertices: u32, entries: u64, intervals: u32, weighted: bool) -> u64 {
    Preparation::<CsrAdjacency>::useful_memory(vertices, entries, intervals, weighted)
}

/// The larger of both for every purpose: what is enough for one after the other.
fn one_after_the_other(one: &MemoryPlan, other: &MemoryPlan) -> MemoryPlan {
    let bytes = |plan: &MemoryPlan, purpose| {
        plan.needs().iter().filter(|need| need.purpose == purpose).map(|need| need.bytes).sum::<u64>()
    };
    let larger = Purpose::ALL.map(|purpose| (purpose, bytes(one, purpose).max(bytes(other, purpose))));
    let needed = larger.into_iter().filter(|(_, bytes)| *bytes > 0);
    needed.fold(MemoryPlan::new(), |plan, (purpose, bytes)| plan.with(purpose, bytes))
}

/// Shards that are open.
pub(crate) struct OpenShards {
    shards: PreparedShards,
    /// What was read of lists to write them.
    pub(super) figures: AccessFigures,
    /// How lists were read.
    pub(super) reading: Reading,
    /// Seconds of writing.
    pub(super) seconds: f64,
}

impl OpenShards {
    /// Bytes that were written.
    pub(super) fn written_bytes(&self) -> u64 {
        self.shards.written_bytes()
    }
}

impl Graph {
    fn extent(&self, work: &GasWork) -> Extent {
        let arcs = self.directions(work.needs).iter().map(|direction| lists::arcs(self, *direction)).sum();
        Extent { arcs, intervals: intervals_for(arcs).clamp(1, work.demand.vertices.max(1)) }
    }

    /// What `work` reserves at the least: while shards are written, and then while the engine runs.
    pub(crate) fn plan_gas(&self, work: &GasWork) -> MemoryPlan {
        let Extent { arcs, intervals } = self.extent(work);
        let engine = GasEngine::plan(&work.demand, &work.options, intervals, arcs, self.workers.threads());
        let mut running = engine.with(Purpose::Index, PreparedShards::bytes(intervals));
        if work.demand.degrees {
            let vertices = u64::from(work.demand.vertices);
            running = running
                .with(Purpose::Degrees, VertexValues::<u32>::bytes(vertices))
                .and(&outcrop_store::updates::degrees_memory(&self.store, Direction::Out));
        }
        let vectors = work.begun() + if work.demand.on_disk { 0 } else { work.made() };
        let plan = one_after_the_other(&running, &self.plan_preparing(work));
        if vectors > 0 { plan.with(Purpose::VertexValues, vectors) } else { plan }
    }

    /// What writing shards takes.
    fn plan_preparing(&self, work: &GasWork) -> MemoryPlan {
        let (extent, opened) = (self.extent(work), self.directions(work.needs));
        let buffers = 2 * DegreeReader::MEMORY_BYTES + ShardPreparation::BUFFER_BYTES;
        let mut plan = MemoryPlan::new()
            .with(Purpose::IoBuffers, buffers)
            .with(Purpose::Index, PreparedShards::bytes(extent.intervals))
            .with(Purpose::SortSpace, extent.least_sorting(work, self.workers.slots()));
        for direction in &opened {
            plan = plan.and(&lists::memory_with_index(self, *direction, index_residence(work.demand.on_disk)));
        }
        for direction in [Direction::Out, Direction::In].map(|direction| self.store.stored(direction)) {
            if !opened.contains(&direction) {
                plan = plan.and(&outcrop_store::updates::degrees_memory(&self.store, direction));
            }
        }
        plan
    }

    /// Memory beyond the plan with which nothing is read or written twice, where lists and their index take `caches`.
    pub(crate) fn gas_bytes_beside(&self, work: &GasWork) -> u64 {
        let extent = self.extent(work);
        let held = extent.shard_bytes(work) + extent.value_bytes(work) + extent.arcs.saturating_mul(DYNAMIC_BYTES);
        held.saturating_add(ENOUGH)
    }

    /// Room for temporary files that `work` needs at the most, in bytes: its values of vertices, columns that come into another order,
    /// shards, values of edges, and dynamic shards.
    pub(crate) fn gas_room(&self, work: &GasWork) -> u64 {
        let extent = self.extent(work);
        let edges = extent.value_bytes(work).saturating_add(extent.arcs.saturating_mul(DYNAMIC_BYTES));
        self.gas_value_room(work).saturating_add(extent.shard_bytes(work)).saturating_add(edges)
    }

    /// The part of [`Graph::gas_room`] that values of vertices need in any case.
    fn gas_value_room(&self, work: &GasWork) -> u64 {
        let reordered = if self.store.manifest().order == Order::Original { 0 } else { work.result_bytes.max(8) };
        match work.demand.on_disk {
            true => work.made() + u64::from(work.demand.vertices) * reordered,
            false => 0,
        }
    }

    /// The folder for shards, values of edges, and values of vertices on disk. How many edges are given values that do not fit the memory
    /// shows during the run.
    ///
    /// # Errors
    /// [`Error::DiskFull`] with what is needed and what is free, where not even values of vertices and shards of a byte an arc fit; the
    /// folder cannot be written to.
    pub(crate) fn gas_folder(&self, work: &GasWork) -> Result<SpillFolder> {
        let (folder, needed) =
            (SpillFolder::new(&self.temp_folder)?, self.gas_value_room(work) + self.extent(work).arcs / 2);
        match folder.free_bytes()? {
            Some(free) if free < needed => {
                Err(Error::DiskFull { path: self.temp_folder.clone(), needed: Some((needed, free)) })
            }
            _ => Ok(folder),
        }
    }

    /// Shards of the edges that `work` goes along, written from lists, which are closed again.
    ///
    /// # Errors
    /// A budget that does not hold a block; a full disk; a failed or damaged read; interruption.
    pub(crate) fn open_shards(
        &self,
        work: &GasWork,
        spill: &SpillFolder,
        (budget, observer): (&MemoryBudget, &dyn Observer),
    ) -> Result<OpenShards> {
        observer.phase(&Phase { name: "writing shards", unit: ProgressUnit::Edges, total: None });
        let (watch, plan) = (Stopwatch::start(), self.plan_preparing(work));
        // Every list is read once where memory holds those of an interval: a page cache is of no use, unless it is asked for.
        let rest = budget.available().saturating_sub(plan.total());
        let unheld = if self.page_cache == CacheSize::Rest { budget.available() } else { budget.available() - rest };
        let reads = Reads { needs: work.needs, follows_frontiers: false, index: index_residence(work.demand.on_disk) };
        let lists = self.open_lists(reads, &plan, unheld, budget, observer)?;
        let (shards, figures) = match &lists {
            Lists::Chunked(lists) => self.prepare(work, lists, spill, budget),
            Lists::Compact(lists) => self.prepare(work, lists, spill, budget),
            Lists::Csr(lists) => self.prepare(work, lists, spill, budget),
            Lists::Sliding(lists) => self.prepare(work, lists, spill, budget),
        }?;
        Ok(OpenShards { shards, figures, reading: Reading::of(&lists), seconds: watch.seconds() })
    }

    fn prepare<A: Adjacency>(
        &self,
        work: &GasWork,
        lists: &[A],
        folder: &SpillFolder,
        budget: &MemoryBudget,
    ) -> Result<(PreparedShards, AccessFigures)> {
        let _readers = budget.reserve(2 * DegreeReader::MEMORY_BYTES, Purpose::IoBuffers)?;
        let mut degrees = DegreeSource::default();
        for direction in [Direction::Out, Direction::In] {
            degrees = degrees.with(direction, DegreeReader::open(&self.store, direction, self.io, budget)?);
        }
        let (extent, slots) = (self.extent(work), self.workers.slots());
        let left =
            budget.available().saturating_sub(ShardPreparation::BUFFER_BYTES + PreparedShards::bytes(extent.intervals));
        let shards = prepare_shards(&Preparation {
            out: lists.first().filter(|_| work.needs.out_lists),
            into: lists.last().filter(|_| work.needs.in_lists),
            degrees: &degrees,
            directed: self.store.manifest().directed,
            along: work.demand.along,
            weighted: work.demand.weighted,
            intervals: None,
            memory: left.min(extent.useful_sorting(work, slots)),
            folder,
            workers: &self.workers,
            budget,
        })?;
        let figures =
            lists.iter().map(|lists| lists.statistics().figures()).fold(AccessFigures::default(), |sum, one| sum + one);
        Ok((shards, figures))
    }

    /// An engine on `shards`, with what the budget has left beside values that are not made yet; shards are held where that leaves room
    /// beside the values of all edges, which are moved twice for each time that a shard is read.
    pub(crate) fn gas_engine<'g>(
        &'g self,
        work: &GasWork,
        (shards, arrivals): (&'g mut OpenShards, &'g Arrivals),
        spill: &'g SpillFolder,
        (budget, observer): (&'g MemoryBudget, &'g dyn Observer),
    ) -> Result<GasEngine<'g>> {
        let degrees = match work.demand.degrees {
            true => Some(degrees(&self.store, Direction::Out, self.io, budget, self.cancellation())?),
            false => None,
        };
        let unmade = if work.demand.on_disk { 0 } else { work.made() };
        let (shards, statics) = (&mut shards.shards, shards.reading.static_bytes);
        let engine = GasEngine::plan_on(&work.demand, &work.options, shards, self.workers.threads());
        let rest = budget.available().saturating_sub(unmade + engine.total());
        let values =
            shards.total_arcs().saturating_mul(2 * work.demand.edge_bytes + DYNAMIC_BYTES).saturating_add(ENOUGH);
        let held = match self.page_cache {
            CacheSize::Rest => rest.saturating_sub(values),
            // Lists that were held while shards were written count with the page cache.
            cache => cache.bytes(self.memory, rest).saturating_sub(statics).min(rest),
        };
        shards.hold(held.min(shards.whole_bytes()), budget)?;
        GasEngine::new(GasSetup {
            shards,
            degrees,
            demand: work.demand,
            options: work.options,
            arrivals: &arrivals.edges,
            memory: budget.available().saturating_sub(unmade).min(engine.total().saturating_add(values)),
            spill,
            workers: &self.workers,
            budget,
            observer,
        })
    }

    /// With values of vertices in memory where that fits or is asked for, else on disk: what `work` says of each, and what it takes.
    pub(crate) fn place_gas(&self, values: ValuePlace, work: impl Fn(bool) -> GasWork) -> (GasWork, MemoryPlan) {
        let planned = |on_disk| {
            let work = work(on_disk);
            (work, super::with_results(self.plan_gas(&work)))
        };
        let held = planned(false);
        let fits = values == ValuePlace::Memory || held.1.total() <= self.memory;
        if fits && values != ValuePlace::Disk { held } else { planned(true) }
    }
}
