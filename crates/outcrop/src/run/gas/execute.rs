//! Opens shards, creates the engine, and runs the algorithm on it.

use super::plan::Gas;
use super::shards::{OpenShards, ShardSource};
use crate::memory_size::CacheSize;
use crate::run::context::{Finished, ModelRun, Reading, RunContext};
use crate::run::model::Planned;
use crate::run::named_vertices::NamedVertices;
use outcrop_algorithms::params::Choice;
use outcrop_algorithms::{GasDriver, IdOrder, VertexVector};
use outcrop_gas::{GasEngine, GasOptions, GasSetup, ShardExtent};
use outcrop_io::SpillFolder;
use outcrop_report::GasRecord;
use outcrop_store::layout::degrees;
use outcrop_types::{Direction, GasFigures, MemoryPlan, Result};

impl ModelRun for Planned<'_, Gas, GasDriver> {
    fn memory(&self) -> Result<MemoryPlan> {
        Ok(self.plan_on(self.shard_source()))
    }

    fn useful_memory(&self, _caches: u64) -> u64 {
        let source = self.shard_source();
        source.whole_bytes().saturating_add(self.useful_bytes(source.arcs()))
    }

    /// Returns the space for vertex values, reordered columns, written shards, edge values and dynamic shards.
    fn temporary_bytes(&self) -> u64 {
        let source = self.shard_source();
        let edges = self.edge_bytes(source.arcs()).saturating_add(source.prepared_bytes());
        self.vertex_room().saturating_add(edges)
    }

    /// Returns a folder with space for vertex values and shards of half a byte per arc. The number of edge values that
    /// do not fit in memory is known only during the run.
    fn spill_folder(&self) -> Result<Option<SpillFolder>> {
        let shards = match self.shard_source() {
            ShardSource::Stored(_) => 0,
            source @ ShardSource::Prepared(_) => source.arcs() / 2,
        };
        self.folder_with_room(self.vertex_room() + shards).map(Some)
    }

    fn execute(
        &self,
        run: &RunContext<'_>,
        named: &NamedVertices,
        vector: Option<VertexVector>,
    ) -> Result<(Finished, Reading)> {
        let mut shards = self.open_shards(run)?;
        let ranks = run.ranks()?;
        run.begin();
        let (read, preparing, reading) = (shards.figures, shards.seconds, shards.reading);
        let prepared_bytes = shards.written_bytes();
        let engine = self.engine(run, &mut shards)?;
        let session = run.session(IdOrder(ranks.as_ref()), named, vector);
        let (outcome, seconds) = run.compute(&engine, || (self.driver)(&engine, session))?;
        let gas = GasFigures { prepared_bytes, ..engine.gas_figures() };
        let (values_read, values_written) = engine.value_traffic();
        let value_traffic = (values_read + gas.bytes_read, values_written + gas.bytes_written + prepared_bytes);
        let gas = Some(gas_record(engine.options(), gas, preparing));
        Ok((Finished { value_traffic, gas, ..Finished::new(outcome, seconds, read + engine.figures()) }, reading))
    }
}

impl Planned<'_, Gas, GasDriver> {
    /// Returns the minimum space for temporary files of vertex values, in bytes.
    fn vertex_room(&self) -> u64 {
        self.value_room(self.made(), self.work.result_bytes.max(8))
    }

    /// Creates an engine on `shards`, with the budget that remains after values that are allocated later. Shards stay
    /// in memory only if there is room in addition to all edge values, which are moved twice for each read of a shard.
    fn engine<'s>(&self, run: &'s RunContext<'_>, shards: &'s mut OpenShards) -> Result<GasEngine<'s>> {
        let RunContext { graph, budget, observer, .. } = *run;
        let degrees = match self.work.requirements.degrees {
            true => Some(degrees(&graph.store, Direction::Out, graph.io, budget, graph.cancellation())?),
            false => None,
        };
        let unmade = self.made_in_memory();
        let engine = self.plan_engine(ShardExtent::of(shards.shards()));
        let rest = budget.available().saturating_sub(unmade + engine.total());
        let values = self.useful_bytes(shards.arcs());
        let held = match graph.page_cache {
            CacheSize::Rest => rest.saturating_sub(values),
            // Lists pinned while shards were written count as part of the page cache.
            cache => cache.bytes(graph.memory, rest).saturating_sub(shards.reading.static_bytes).min(rest),
        };
        shards.keep_resident(held, budget)?;
        GasEngine::new(GasSetup {
            shards: shards.shards(),
            degrees,
            requirements: self.work.requirements,
            options: self.work.options,
            arrivals: run.arrivals,
            memory: budget.available().saturating_sub(unmade).min(engine.total().saturating_add(values)),
            spill: run.spill()?,
            workers: &graph.workers,
            budget,
            observer,
        })
    }
}

/// Returns the record of the shards of a run; `seconds_preparing` is the time for writing them.
fn gas_record(options: &GasOptions, figures: GasFigures, seconds_preparing: f64) -> GasRecord {
    GasRecord {
        shards: options.shards.word().into(),
        updated_share: options.updated_share,
        delay_buffer: options.delay_bytes,
        seconds_preparing,
        figures,
    }
}
