//! The model of values on edges (dynamic shards): what its engine is asked for, who gets which memory, and where values of edges go.

use super::Run;
use super::arrivals::Arrivals;
use super::shards::{OpenShards, ShardSource};
use crate::graph::Graph;
use crate::memory_size::CacheSize;
use outcrop_algorithms::Needs;
use outcrop_engine::gas::{GasDemand, GasEngine, GasOptions, GasSetup, ShardExtent};
use outcrop_io::SpillFolder;
use outcrop_store::Order;
use outcrop_store::layout::degrees;
use outcrop_types::{Direction, Error, MemoryPlan, Purpose, Result, VertexValues};

/// Memory that dynamic shards take at the most, in bytes an arc of all, beside the values of all edges.
const DYNAMIC_BYTES: u64 = 4;

/// More than any engine takes for buffers.
const ENOUGH: u64 = 32 << 20;

/// Work of a run in the model of values on edges.
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
    /// Bytes of ranks and of named vertices, which are held beside all that.
    pub(crate) beside: u64,
}

impl GasWork {
    /// Bytes of all vectors of values that are made during the run.
    fn made(&self) -> u64 {
        u64::from(self.demand.vertices) * (self.demand.value_bytes + self.result_bytes)
    }

    /// The same as far as memory holds them.
    pub(super) fn made_in_memory(&self) -> u64 {
        if self.demand.on_disk { 0 } else { self.made() }
    }

    /// Memory that the values of so many edges, old and new, and dynamic shards take.
    fn edge_bytes(&self, arcs: u64) -> u64 {
        arcs.saturating_mul(2 * self.demand.edge_bytes + DYNAMIC_BYTES)
    }

    /// Bytes of what vertices begin with, which is in memory wherever values are.
    fn begun(&self) -> u64 {
        u64::from(self.demand.vertices) * self.vector_bytes
    }
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

impl Graph {
    /// Memory that `work` reserves at the least: while shards are opened or written, and then while the engine runs.
    pub(crate) fn plan_gas(&self, work: &GasWork) -> MemoryPlan {
        self.plan_gas_on(work, self.shard_source(work))
    }

    /// The same on shards that may be others than those of the run.
    pub(super) fn plan_gas_on(&self, work: &GasWork, source: ShardSource<'_>) -> MemoryPlan {
        let running = self.plan_running(work, source.extent(self), source.bytes());
        let vectors = work.begun() + work.made_in_memory();
        let plan = one_after_the_other(&running, &self.plan_shards(work, source));
        if vectors > 0 { plan.with(Purpose::VertexValues, vectors) } else { plan }
    }

    /// Memory that the engine and the shards that it works on take, which in memory are `bytes`.
    pub(super) fn plan_running(&self, work: &GasWork, extent: ShardExtent, bytes: u64) -> MemoryPlan {
        let engine = GasEngine::plan(&work.demand, &work.options, extent, self.workers.threads());
        let running = engine.with(Purpose::Index, bytes);
        if !work.demand.degrees {
            return running;
        }
        let vertices = u64::from(work.demand.vertices);
        running
            .with(Purpose::Degrees, VertexValues::<u32>::bytes(vertices))
            .and(&outcrop_store::updates::degrees_memory(&self.store, Direction::Out))
    }

    /// Memory beyond the plan with which nothing is read or written twice.
    pub(crate) fn gas_bytes_beside(&self, work: &GasWork) -> u64 {
        let source = self.shard_source(work);
        source.whole_bytes().saturating_add(work.edge_bytes(source.arcs())).saturating_add(ENOUGH)
    }

    /// Room for temporary files that `work` needs at the most, in bytes: its values of vertices, columns that come into another order,
    /// shards that are written, values of edges, and dynamic shards.
    pub(crate) fn gas_room(&self, work: &GasWork) -> u64 {
        let source = self.shard_source(work);
        let edges = work.edge_bytes(source.arcs()).saturating_add(source.prepared_bytes());
        self.gas_value_room(work).saturating_add(edges)
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
    /// [`Error::DiskFull`] with what is needed and what is free, where not even values of vertices and shards of half a byte an arc
    /// fit; the folder cannot be written to.
    pub(crate) fn gas_folder(&self, work: &GasWork) -> Result<SpillFolder> {
        let shards = match self.shard_source(work) {
            ShardSource::Stored(_) => 0,
            source @ ShardSource::Prepared(_) => source.arcs() / 2,
        };
        let (folder, needed) = (SpillFolder::new(&self.temp_folder)?, self.gas_value_room(work) + shards);
        match folder.free_bytes()? {
            Some(free) if free < needed => {
                Err(Error::DiskFull { path: self.temp_folder.clone(), needed: Some((needed, free)) })
            }
            _ => Ok(folder),
        }
    }
}

impl Run<'_> {
    /// An engine on `shards`, with what the budget has left beside values that are not made yet; shards are held where that leaves room
    /// beside the values of all edges, which are moved twice for each time that a shard is read.
    pub(super) fn gas_engine<'s>(
        &'s self,
        work: &GasWork,
        shards: &'s mut OpenShards,
        arrivals: &'s Arrivals,
    ) -> Result<GasEngine<'s>> {
        let Run { graph, budget, observer, .. } = *self;
        let degrees = match work.demand.degrees {
            true => Some(degrees(&graph.store, Direction::Out, graph.io, budget, graph.cancellation())?),
            false => None,
        };
        let unmade = work.made_in_memory();
        let extent = ShardExtent::of(shards.shards());
        let engine = GasEngine::plan(&work.demand, &work.options, extent, graph.workers.threads());
        let rest = budget.available().saturating_sub(unmade + engine.total());
        let values = work.edge_bytes(shards.arcs()).saturating_add(ENOUGH);
        let held = match graph.page_cache {
            CacheSize::Rest => rest.saturating_sub(values),
            // Lists that were held while shards were written count with the page cache.
            cache => cache.bytes(graph.memory, rest).saturating_sub(shards.reading.static_bytes).min(rest),
        };
        shards.hold(held, budget)?;
        GasEngine::new(GasSetup {
            shards: shards.shards(),
            degrees,
            demand: work.demand,
            options: work.options,
            arrivals: &arrivals.edges,
            memory: budget.available().saturating_sub(unmade).min(engine.total().saturating_add(values)),
            spill: self.spill()?,
            workers: &graph.workers,
            budget,
            observer,
        })
    }
}
