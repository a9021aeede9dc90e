//! Runs of the model gas, on every kind of shards.

use super::arguments::{DynamicShardsArguments, ShardsAlgorithm};
use super::iterations::{Iteration, NOTHING};
use crate::harness::Harness;
use outcrop::{
    Cancellation, Choice, Error, GasFigures, InputVector, MemorySize, OpenOptions, Result, RunRecord, RunRequest,
    ShardKind,
};
use std::sync::Arc;

/// Coupling of neighbors in the random field.
const COUPLING: f64 = 0.6;

/// Convergence threshold of beliefs, in log-odds.
const BELIEF_TOLERANCE: f64 = 1e-3;

/// Minimum temperature change to propagate; the maximum initial temperature is 1.
const HEAT_TOLERANCE: f64 = 1e-4;

/// Share of initially hot vertices.
const HOT: f64 = 0.01;

/// Runs the algorithms.
pub(super) struct DynamicShards<'d> {
    pub(super) harness: Harness<'d>,
    arguments: &'d DynamicShardsArguments,
}

/// Run of an algorithm on one kind of shards.
pub(super) struct Measurement {
    pub(super) shards: &'static str,
    pub(super) record: RunRecord,
    pub(super) figures: GasFigures,
}

/// Runs of an algorithm on all kinds of shards.
pub(super) struct Measured {
    pub(super) algorithm: &'static str,
    /// Run on static shards.
    pub(super) baseline: Measurement,
    /// Runs in the order of [`DYNAMIC`]; `None` if the algorithm does not support the kind.
    pub(super) dynamic: Vec<Option<Measurement>>,
}

/// Kinds compared with static shards.
const DYNAMIC: [ShardKind; 3] = [ShardKind::Aggressive, ShardKind::Optimized, ShardKind::EdgeList];

/// Names of all kinds, starting with the baseline.
pub(super) const KINDS: [&str; 4] = ["static", "ads", "ods", "edge-list"];

impl Measured {
    /// Returns all existing runs, starting with the baseline.
    pub(super) fn all(&self) -> impl Iterator<Item = &Measurement> {
        std::iter::once(&self.baseline).chain(self.dynamic.iter().flatten())
    }

    /// Returns a cell for every kind, starting with the baseline.
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

    /// Runs an algorithm on every kind of shards, with equal memory.
    pub(super) fn measure(&self, algorithm: ShardsAlgorithm) -> Result<Measured> {
        let store = &*self.harness.setup.store;
        let request = self.request(algorithm, self.harness.open()?.num_vertices())?;
        let on = |shards: ShardKind| request.clone().with("shards", shards.word());
        // Belief messages depend on previous edge values, which a stream of edges does not provide.
        let runs_on = |shards: ShardKind| algorithm != ShardsAlgorithm::Bp || shards != ShardKind::EdgeList;
        let requests = [ShardKind::Static].iter().chain(&DYNAMIC).copied().filter(|shards| runs_on(*shards));
        let memory = match self.harness.setup.resources.memory {
            Some(memory) => memory,
            None => {
                let requests = requests.map(on).collect::<Result<Vec<_>>>()?;
                let runs: Vec<_> = requests.iter().map(|request| (store, request)).collect();
                MemorySize::Bytes(self.harness.quarter(&runs)?)
            }
        };
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

    /// Returns the request for an algorithm, for any kind of shards.
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
                .with("vector", heat_source(vertices))?
                .with("tol", HEAT_TOLERANCE)?
                .with("iterations", arguments.iterations),
            ShardsAlgorithm::Sssp | ShardsAlgorithm::Wcc => Ok(request),
        }
    }
}

/// Returns the initial temperatures of heat.
pub(crate) fn heat_source(vertices: u32) -> InputVector {
    spread(vertices, |place| if place < HOT { 1.0 } else { 0.0 })
}

/// Returns a value per vertex, as a function of positions spread evenly from 0 to 1: fractional parts of multiples of
/// the golden ratio.
fn spread(vertices: u32, value: impl Fn(f64) -> f64) -> InputVector {
    const GOLDEN: f64 = 0.618_033_988_749_895;
    let values: Arc<[f64]> = (0..vertices).map(|vertex| value((f64::from(vertex) * GOLDEN).fract())).collect();
    InputVector::Values(values)
}
