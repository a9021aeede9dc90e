//! What to run, and with which parameters.

mod check;
mod gas;
mod meant;
mod messages;
mod ways;

pub(crate) use gas::shard_name;
pub use gas::{ArrivingEdges, DelayBuffer, GasChoices, SHARD_KINDS, UpdatedShare};
pub use messages::MessageChoices;
pub(crate) use messages::{delivery_name, log_name};
pub use ways::ValuePlace;
pub(crate) use ways::Way;

use crate::method::Method;
use crate::parameters::Personalization;
use crate::vector::InputVector;
use outcrop_algorithms::pagerank::Stop;
use outcrop_algorithms::pagerank_delta;
use outcrop_algorithms::registry::{ALGORITHMS, Algorithm, Demand, Model, Needs, Precision};
use outcrop_algorithms::sssp::BucketWidth;
use outcrop_algorithms::{apsp, diameter, wcc};
use outcrop_engine::schedule::Schedule;
use outcrop_store::layout::LayoutKind;
use outcrop_types::{Direction, Error, MemoryPlan, Result};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU32, AtomicU64};

/// An algorithm and its parameters; those that are not set have their defaults.
#[derive(Clone, Debug)]
pub struct RunRequest {
    /// Which algorithm.
    pub algorithm: Algorithm,
    /// Vertices to start from, by original id.
    pub sources: Vec<String>,
    /// The probability of following an edge; 0.85.
    pub alpha: Option<f64>,
    /// The change to stop at; 1e-6.
    pub tolerance: Option<f64>,
    /// The most iterations; 100.
    pub max_iterations: Option<u32>,
    /// An exact number of iterations, in place of a tolerance; of `diameter`, at most so many searches, 16.
    pub iterations: Option<u32>,
    /// Whether `diameter` searches until its bounds meet; false.
    pub exact: Option<bool>,
    /// Vertices to jump to.
    pub personalization: Option<Personalization>,
    /// Precision of values; double.
    pub precision: Option<Precision>,
    /// The layout to read; the one that the store has.
    pub layout: Option<LayoutKind>,
    /// The model to run in; `None` for the algorithm's natural one where the budget holds it, else one that it does hold.
    pub model: Option<Model>,
    /// Where the values of vertices are kept.
    pub values: ValuePlace,
    /// Whether lists are selected or swept over.
    pub schedule: Schedule,
    /// How messages are kept and delivered.
    pub messages: MessageChoices,
    /// How edges are brought into memory in the model [`Model::Gas`].
    pub gas: GasChoices,
    /// Edges that come while the run is under way, in the model [`Model::Gas`].
    pub arrivals: Option<ArrivingEdges>,
    /// How many vertices to start from at once; 64.
    pub source_count: Option<u32>,
    /// How many vertices to start from, each by itself; all, and of `apsp` 128.
    pub samples: Option<u32>,
    /// What a sample is drawn with; 1.
    pub seed: Option<u64>,
    /// How many sources of betweenness are searched from at once, 1 to 16; as many as memory holds beside most of the page cache.
    pub batch: Option<u32>,
    /// Whether values are divided by the number of pairs; true.
    pub normalized: Option<bool>,
    /// The relative change of a rank that is handed on; without it, all ranks are computed anew in each iteration.
    pub delta: Option<f64>,
    /// The only core that is wanted; all.
    pub k: Option<u32>,
    /// Which of several ways to go: of shortest paths delta-stepping in weighted graphs, of components one sweep.
    pub method: Option<Method>,
    /// The width of buckets of delta-stepping; from the weights.
    pub bucket_width: Option<BucketWidth>,
    /// What the matrix is multiplied by, ones; of `bp` the probability of state 1 before anything is known of neighbours, and of `heat` the
    /// temperature at the start, which have to be given.
    pub vector: Option<InputVector>,
    /// Whether edges count from their targets to their sources; false.
    pub transpose: Option<bool>,
    /// Whether labels count by the weights of edges; false.
    pub weighted: Option<bool>,
    /// The steps of a walk; 10.
    pub length: Option<u32>,
    /// A walk starts from every so many vertices; 1000.
    pub every: Option<u32>,
    /// The probability that a walk goes back to where it started; 0.
    pub restart: Option<f64>,
    /// How unlikely a walk goes back to the vertex before, p of node2vec; 1.
    pub return_parameter: Option<f64>,
    /// How unlikely a walk goes away from the vertex before, q of node2vec; 1.
    pub in_out_parameter: Option<f64>,
    /// How likely the ends of an edge are in the same state, above 0 and below 1; 0.9.
    pub coupling: Option<f64>,
    /// The share of a message that is taken from the one before, at least 0 and below 1; 0.
    pub damping: Option<f64>,
    /// The share of a difference in temperature that an edge evens out in a step; what is stable at the largest degree.
    pub rate: Option<f64>,
}

impl RunRequest {
    /// The algorithm called `name`, all parameters at their defaults.
    ///
    /// # Errors
    /// [`Error::Usage`] naming the algorithms that there are.
    pub fn new(name: &str) -> Result<Self> {
        let algorithm = Algorithm::from_name(name).ok_or_else(|| {
            let names: Vec<_> = ALGORITHMS.iter().map(|row| row.name).collect();
            Error::Usage(format!("there is no algorithm {name:?}; there are {}", names.join(", ")))
        })?;
        Ok(Self {
            algorithm,
            sources: Vec::new(),
            alpha: None,
            tolerance: None,
            max_iterations: None,
            iterations: None,
            exact: None,
            personalization: None,
            precision: None,
            layout: None,
            model: None,
            values: ValuePlace::Auto,
            schedule: Schedule::Auto,
            messages: MessageChoices::default(),
            gas: GasChoices::default(),
            arrivals: None,
            source_count: None,
            samples: None,
            seed: None,
            batch: None,
            normalized: None,
            delta: None,
            k: None,
            method: None,
            bucket_width: None,
            vector: None,
            transpose: None,
            weighted: None,
            length: None,
            every: None,
            restart: None,
            return_parameter: None,
            in_out_parameter: None,
            coupling: None,
            damping: None,
            rate: None,
        })
    }

    /// Whether the seed is for what is computed, and not for a sample of vertices to start from.
    const fn seeds_values(&self) -> bool {
        matches!(self.algorithm, Algorithm::Coloring | Algorithm::IndependentSet | Algorithm::Walks)
    }

    pub(crate) fn alpha(&self) -> f64 {
        self.alpha.unwrap_or(0.85)
    }

    pub(crate) fn precision(&self) -> Precision {
        self.precision.unwrap_or_default()
    }

    /// What the algorithm reads with these parameters in `model`.
    pub(crate) fn needs(&self, model: Model) -> Needs {
        let needs = self.algorithm.specification().needs;
        let needs = match model {
            Model::EdgeMap => needs,
            Model::Interval => self.algorithm.interval_needs(),
            Model::Messages => return self.algorithm.message_needs(),
            Model::Gas => return self.algorithm.gas_needs(),
        };
        match (self.algorithm, self.component_method(), self.delta) {
            (Algorithm::Wcc, wcc::Method::Afforest, _) => Needs { in_lists: true, ..needs },
            (Algorithm::Wcc, wcc::Method::LabelPropagation, _) => Needs { in_lists: true, frontiers: true, ..needs },
            (Algorithm::Spmv, ..) if self.transposed() => Needs { out_lists: true, in_lists: false, ..needs },
            (_, _, Some(_)) => Needs { out_lists: true, frontiers: true, ..needs },
            _ => needs,
        }
    }

    /// The lists along which a product sums.
    pub(crate) fn multiplied_along(&self) -> Direction {
        if self.transposed() { Direction::Out } else { Direction::In }
    }

    /// Whether iterations read the lists of a frontier rather than all.
    pub(crate) fn follows_frontiers(&self) -> bool {
        match self.algorithm {
            Algorithm::Wcc => self.component_method() == wcc::Method::LabelPropagation,
            algorithm => algorithm.follows_frontiers() || self.delta.is_some(),
        }
    }

    pub(crate) fn component_method(&self) -> wcc::Method {
        self.method.and_then(Method::of_components).unwrap_or_default()
    }

    /// Memory of the algorithm itself with these parameters, without lists, frontiers and ranks.
    pub(crate) fn memory(&self, vertices: u32) -> MemoryPlan {
        let personalized = self.personalization.is_some();
        let (sources, batch) = (self.count_sources(vertices), self.batch.unwrap_or(1));
        let demand = Demand { precision: self.precision(), personalized, sources, batch: batch.min(sources) };
        match (self.delta, self.precision()) {
            (None, _) => self.algorithm.memory(vertices, demand),
            (Some(_), Precision::Double) => pagerank_delta::memory::<AtomicU64>(vertices, personalized),
            (Some(_), Precision::Single) => pagerank_delta::memory::<AtomicU32>(vertices, personalized),
        }
    }

    /// How many vertices there are to start from, of `vertices`.
    pub(crate) fn count_sources(&self, vertices: u32) -> u32 {
        let given = || self.sources.iter().collect::<BTreeSet<_>>().len();
        match self.sampled() {
            Some(count) => count.min(vertices),
            None if self.sources.is_empty() && self.algorithm == Algorithm::Betweenness => vertices,
            None => u32::try_from(given()).unwrap_or(u32::MAX).min(vertices),
        }
    }

    /// What makes a run need less memory.
    pub(crate) fn memory_hint(&self) -> Option<&'static str> {
        let hint = "each source takes 2 bytes a vertex, so fewer --samples (or --source) need less";
        (self.algorithm == Algorithm::Distances).then_some(hint)
    }

    pub(crate) fn tolerance(&self) -> f64 {
        self.tolerance.unwrap_or(1e-6)
    }

    pub(crate) fn source_count(&self) -> u32 {
        self.source_count.unwrap_or(outcrop_algorithms::radii::MOST_SOURCES)
    }

    pub(crate) fn seed(&self) -> u64 {
        self.seed.unwrap_or(1)
    }

    pub(crate) fn normalized(&self) -> bool {
        self.normalized.unwrap_or(true)
    }

    pub(crate) fn transposed(&self) -> bool {
        self.transpose.unwrap_or(false)
    }

    pub(crate) fn most_iterations(&self) -> u32 {
        self.max_iterations.unwrap_or(100)
    }

    pub(crate) fn coupling(&self) -> f64 {
        self.coupling.unwrap_or(0.9)
    }

    pub(crate) fn damping(&self) -> f64 {
        self.damping.unwrap_or(0.0)
    }

    /// Steps of the heat equation.
    pub(crate) fn steps(&self) -> u32 {
        self.iterations.unwrap_or(100)
    }

    /// How many vertices are drawn to start from; `None` where none are.
    pub(crate) fn sampled(&self) -> Option<u32> {
        match self.algorithm {
            Algorithm::Radii => Some(self.source_count()),
            Algorithm::Distances if !self.sources.is_empty() => None,
            Algorithm::Distances => Some(self.samples.unwrap_or(apsp::SAMPLES)),
            _ => self.samples,
        }
    }

    pub(crate) fn exact(&self) -> bool {
        self.exact.unwrap_or(false)
    }

    /// How many vertices `diameter` searches from at the most.
    pub(crate) fn most_searches(&self) -> Option<u32> {
        (!self.exact()).then(|| self.iterations.unwrap_or(diameter::SEARCHES))
    }

    pub(crate) fn stop(&self) -> Stop {
        match self.iterations {
            Some(iterations) => Stop::After(iterations),
            None => Stop::Below { tolerance: self.tolerance(), at_most: self.most_iterations() },
        }
    }
}

#[cfg(test)]
mod tests;
