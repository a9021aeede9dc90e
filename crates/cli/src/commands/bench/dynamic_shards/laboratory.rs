//! Runs in the model gas, on every kind of shards.

use super::super::trials::median;
use super::{DynamicShardsArguments, ShardsAlgorithm};
use outcrop::{
    Cancellation, Choice, Error, GasFigures, Graph, InputVector, MemorySize, OpenOptions, Result, RunRecord,
    RunRequest, ShardKind,
};
use std::sync::Arc;

/// Of neighbours in a random field.
const COUPLING: f64 = 0.6;

/// Log-odds below which beliefs have settled.
const BELIEF_TOLERANCE: f64 = 1e-3;

/// Changes of a temperature that are kept back; the hottest is 1 at first.
const HEAT_TOLERANCE: f64 = 1e-4;

/// Of so many vertices one is hot at first.
const HOT: f64 = 0.01;

/// Runs algorithms.
pub(super) struct Laboratory<'l> {
    pub(super) arguments: &'l DynamicShardsArguments,
    pub(super) cancellation: &'l Cancellation,
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
pub(super) const DYNAMIC: [&str; 3] = ["ads", "ods", "edge-list"];

/// An iteration with the shadow iterations that follow it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Iteration {
    /// Arcs of the shards that it went over, without those of shadow iterations.
    pub(super) arcs: u64,
    /// Arcs that were given a value.
    pub(super) updated: u64,
    pub(super) seconds: f64,
}

/// What a table says where there is nothing to say.
pub(super) const NOTHING: &str = "-";

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
    /// The iterations, from the one in which vertices begin on.
    pub(super) fn iterations(&self) -> Vec<Iteration> {
        let mut iterations: Vec<Iteration> = Vec::new();
        for step in &self.figures.steps {
            match iterations.last_mut() {
                Some(last) if step.shadow => {
                    last.updated += step.updated_arcs;
                    last.seconds += step.seconds;
                }
                _ => iterations.push(Iteration { arcs: step.arcs, updated: step.updated_arcs, seconds: step.seconds }),
            }
        }
        iterations
    }

    /// Bytes that all steps read and wrote.
    pub(super) fn moved(&self) -> (u64, u64) {
        let steps = &self.figures.steps;
        (steps.iter().map(|step| step.bytes_read).sum(), steps.iter().map(|step| step.bytes_written).sum())
    }
}

impl ShardsAlgorithm {
    /// Whether it runs on such shards: messages of beliefs look at what edges held before, which a stream of edges does not bring.
    fn runs_on(self, shards: ShardKind) -> bool {
        self != Self::Bp || shards != ShardKind::EdgeList
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Pagerank => "pagerank",
            Self::Bp => "bp",
            Self::Heat => "heat",
            Self::Sssp => "sssp",
            Self::Wcc => "wcc",
        }
    }
}

impl Laboratory<'_> {
    /// An algorithm as it is run here, but for the shards.
    fn request(&self, algorithm: ShardsAlgorithm, vertices: u32) -> Result<RunRequest<'static>> {
        let arguments = self.arguments;
        let request = RunRequest::new(algorithm.name())?
            .with("model", "gas")?
            .with("updated-share", arguments.updated_share.as_str())?
            .with("delay-buffer", arguments.delay_buffer.as_str())?;
        match algorithm {
            ShardsAlgorithm::Pagerank => {
                let request = request.with("delta", arguments.delta)?.with("max-iter", arguments.iterations)?;
                request.with("unweighted", true)
            }
            ShardsAlgorithm::Bp => request
                .with("vector", spread(vertices, |place| 0.3 + 0.4 * place))?
                .with("coupling", COUPLING)?
                .with("tol", BELIEF_TOLERANCE)?
                .with("max-iter", arguments.iterations),
            ShardsAlgorithm::Heat => request
                .with("vector", spread(vertices, |place| if place < HOT { 1.0 } else { 0.0 }))?
                .with("tol", HEAT_TOLERANCE)?
                .with("iterations", arguments.iterations),
            ShardsAlgorithm::Sssp => request.with("source", arguments.source.clone()),
            ShardsAlgorithm::Wcc => Ok(request),
        }
    }

    fn open(&self, memory: MemorySize) -> Result<Graph> {
        let arguments = self.arguments;
        let options = OpenOptions {
            memory,
            threads: arguments.threads.map(usize::from),
            temp_folder: arguments.tmp_dir.clone(),
            cancellation: self.cancellation.clone(),
            observer: arguments.progress.progress.observer(),
            ..OpenOptions::default()
        };
        Graph::open(&arguments.store, options)
    }

    /// Runs an algorithm on every kind of shards, all with the same memory.
    pub(super) fn measure(&self, algorithm: ShardsAlgorithm) -> Result<Measured> {
        let graph = self.open(self.arguments.memory.unwrap_or_default())?;
        let request = self.request(algorithm, graph.num_vertices())?;
        let mut asked = Vec::new();
        for shards in ShardKind::VALUES {
            let request = request.clone().with("shards", shards.word())?;
            asked.push(algorithm.runs_on(*shards).then_some((shards.word(), request)));
        }
        let (baseline, dynamic) = (asked.remove(0), asked);
        let requests: Vec<_> = baseline.iter().chain(dynamic.iter().flatten()).map(|(_, request)| request).collect();
        let graph = match self.arguments.memory {
            Some(_) => graph,
            None => self.open(MemorySize::Bytes(quarter(&graph, &requests)?))?,
        };
        let measure = |asked: Option<(&'static str, RunRequest<'_>)>| {
            asked.map(|(shards, request)| self.measure_on(&graph, shards, &request)).transpose()
        };
        let none = || Error::Usage(format!("{} does not run on static shards", algorithm.name()));
        let baseline = measure(baseline)?.ok_or_else(none)?;
        let dynamic = dynamic.into_iter().map(measure).collect::<Result<_>>()?;
        Ok(Measured { algorithm: algorithm.name(), baseline, dynamic })
    }

    fn measure_on(&self, graph: &Graph, shards: &'static str, request: &RunRequest<'_>) -> Result<Measurement> {
        let record = median(graph, request, self.arguments.repeat)?;
        let figures = record.gas.as_ref().map(|gas| gas.figures.clone());
        let none = || Error::Usage(format!("{} went past shards", record.algorithm));
        Ok(Measurement { shards, figures: figures.ok_or_else(none)?, record })
    }
}

/// What all of the runs take at the least, and a quarter of what holding everything in memory takes besides.
fn quarter(graph: &Graph, requests: &[&RunRequest<'_>]) -> Result<u64> {
    let estimates: Vec<_> = requests.iter().map(|request| graph.estimate(request)).collect::<Result<_>>()?;
    let least = estimates.iter().map(|estimate| estimate.minimum).max().unwrap_or(0);
    let whole = estimates.iter().map(|estimate| estimate.all_in_memory).max().unwrap_or(0);
    Ok(least + whole.saturating_sub(least) / 4)
}

/// A value for each vertex of places that are evenly spread from 0 to 1: fractional parts of multiples of the golden ratio.
fn spread(vertices: u32, value: impl Fn(f64) -> f64) -> InputVector {
    const GOLDEN: f64 = 0.618_033_988_749_895;
    let values: Arc<[f64]> = (0..vertices).map(|vertex| value((f64::from(vertex) * GOLDEN).fract())).collect();
    InputVector::Values(values)
}

/// Edges that iteration `number` goes over, and those of them that bring something new: what ideal shards would hold. `None` for the first.
pub(super) fn loaded_and_needed(run: &[Iteration], number: usize) -> Option<(u64, u64)> {
    Some((run.get(number)?.arcs, run.get(number.checked_sub(1)?)?.updated))
}

/// Positions of about 25 out of `count` lines, the first and the last among them: what is printed of long runs.
pub(super) fn sampled(count: usize) -> impl Iterator<Item = usize> {
    const LINES: usize = 25;
    let each = count.div_ceil(LINES).max(1);
    (0..count).filter(move |position| position % each == 0 || position + 1 == count)
}
