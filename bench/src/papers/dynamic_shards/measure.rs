//! Runs in the model gas, on every kind of shards.

use super::arguments::{DynamicShardsArguments, ShardsAlgorithm};
use super::iterations::{Iteration, NOTHING};
use crate::harness::Harness;
use outcrop::{
    Cancellation, Choice, Error, GasFigures, Graph, InputVector, MemorySize, OpenOptions, Result, RunRecord,
    RunRequest, ShardKind,
};
use std::sync::Arc;

/// Of neighbors in a random field.
const COUPLING: f64 = 0.6;

/// Log-odds below which beliefs have settled.
const BELIEF_TOLERANCE: f64 = 1e-3;

/// Changes of a temperature that are kept back; the hottest is 1 at first.
const HEAT_TOLERANCE: f64 = 1e-4;

/// Part of the vertices that is hot at first.
const HOT: f64 = 0.01;

/// Runs the algorithms.
pub(super) struct DynamicShards<'d> {
    pub(super) harness: Harness<'d>,
    arguments: &'d DynamicShardsArguments,
}

/// An algorithm on one kind of shards.
pub(super) struct Measurement {
    pub(super) shards: &'static str,
    pub(super) record: RunRecord,
    pub(super) figures: GasFigures,
}

/// An algorithm on all kinds of shards.
pub(super) struct Measured {
    pub(super) algorithm: &'static str,
    /// Static shards.
    pub(super) baseline: Measurement,
    /// In the order of [`DYNAMIC`]; `None` where the algorithm does not run so.
    pub(super) dynamic: Vec<Option<Measurement>>,
}

/// The kinds that are compared with static shards.
const DYNAMIC: [ShardKind; 3] = [ShardKind::Aggressive, ShardKind::Optimized, ShardKind::EdgeList];

/// Names of all kinds, the baseline first.
pub(super) const KINDS: [&str; 4] = ["static", "ads", "ods", "edge-list"];

impl Measured {
    /// All kinds that there are, the baseline first.
    pub(super) fn all(&self) -> impl Iterator<Item = &Measurement> {
        std::iter::once(&self.baseline).chain(self.dynamic.iter().flatten())
    }

    /// A cell for every kind, the baseline first.
    pub(super) fn cells(&self, cell: impl Fn(&Measurement) -> String) -> impl Iterator<Item = String> {
        let kinds = std::iter::once(Some(&self.baseline)).chain(self.dynamic.iter().map(Option::as_ref));
        kinds.map(move |ran| ran.map_or_else(|| NOTHING.to_owned(), &cell))
    }
}

impl Measurement {
    pub(super) fn iterations(&self) -> Vec<Iteration> {
        Iteration::all(&self.figures.steps)
    }
}

impl<'d> DynamicShards<'d> {
    pub(super) const fn new(arguments: &'d DynamicShardsArguments, cancellation: &'d Cancellation) -> Self {
        Self { harness: Harness::new(&arguments.setup, cancellation), arguments }
    }

    /// Runs an algorithm on every kind of shards, all with the same memory.
    pub(super) fn measure(&self, algorithm: ShardsAlgorithm) -> Result<Measured> {
        let graph = Graph::open(&self.harness.setup.store, self.harness.options())?;
        let request = self.request(algorithm, graph.num_vertices())?;
        let on = |shards: ShardKind| request.clone().with("shards", shards.word());
        // Messages of beliefs look at what edges held before, which a stream of edges does not bring.
        let runs_on = |shards: ShardKind| algorithm != ShardsAlgorithm::Bp || shards != ShardKind::EdgeList;
        let requests = [ShardKind::Static].iter().chain(&DYNAMIC).copied().filter(|shards| runs_on(*shards));
        let memory = match self.harness.setup.resources.memory {
            Some(memory) => memory,
            None => MemorySize::Bytes(quarter(&graph, &requests.map(on).collect::<Result<Vec<_>>>()?)?),
        };
        drop(graph);
        let options = OpenOptions { memory, ..self.harness.options() };
        let measure = |shards: ShardKind| self.measure_on(shards.word(), &options, &on(shards)?);
        let baseline = measure(ShardKind::Static)?;
        let dynamic = DYNAMIC.map(|shards| runs_on(shards).then(|| measure(shards)).transpose());
        Ok(Measured { algorithm: algorithm.name(), baseline, dynamic: dynamic.into_iter().collect::<Result<_>>()? })
    }

    fn measure_on(&self, shards: &'static str, options: &OpenOptions, request: &RunRequest<'_>) -> Result<Measurement> {
        let record = self.harness.run(&self.harness.setup.store, options, request)?;
        let figures = record.optional.gas.as_ref().map(|gas| gas.figures.clone());
        let none = || Error::internal(format!("a run of {} has no figures of shards", record.task.algorithm));
        Ok(Measurement { shards, figures: figures.ok_or_else(none)?, record })
    }

    /// An algorithm as it is run here, on whatever shards.
    fn request(&self, algorithm: ShardsAlgorithm, vertices: u32) -> Result<RunRequest<'static>> {
        let arguments = self.arguments;
        let request = self
            .harness
            .request(algorithm.name())?
            .with("model", "gas")?
            .with("updated-share", arguments.updated_share.as_str())?
            .with("delay-buffer", arguments.delay_buffer.as_str())?;
        match algorithm {
            ShardsAlgorithm::Pagerank => request.with("delta", arguments.delta)?.with("max-iter", arguments.iterations),
            ShardsAlgorithm::Bp => request
                .with("vector", spread(vertices, |place| 0.3 + 0.4 * place))?
                .with("coupling", COUPLING)?
                .with("tol", BELIEF_TOLERANCE)?
                .with("max-iter", arguments.iterations),
            ShardsAlgorithm::Heat => request
                .with("vector", spread(vertices, |place| if place < HOT { 1.0 } else { 0.0 }))?
                .with("tol", HEAT_TOLERANCE)?
                .with("iterations", arguments.iterations),
            ShardsAlgorithm::Sssp | ShardsAlgorithm::Wcc => Ok(request),
        }
    }
}

/// The least memory of all runs, and a quarter of that for holding everything besides.
fn quarter(graph: &Graph, requests: &[RunRequest<'_>]) -> Result<u64> {
    let estimates: Vec<_> = requests.iter().map(|request| graph.estimate(request)).collect::<Result<_>>()?;
    let least = estimates.iter().map(|estimate| estimate.minimum).max().unwrap_or(0);
    let whole = estimates.iter().map(|estimate| estimate.all_in_memory).max().unwrap_or(0);
    Ok(least + whole.saturating_sub(least) / 4)
}

/// A value for each vertex of places that are evenly spread from 0 to 1: fractional parts of multiples of the golden
/// ratio.
fn spread(vertices: u32, value: impl Fn(f64) -> f64) -> InputVector {
    const GOLDEN: f64 = 0.618_033_988_749_895;
    let values: Arc<[f64]> = (0..vertices).map(|vertex| value((f64::from(vertex) * GOLDEN).fract())).collect();
    InputVector::Values(values)
}
