//! What to run, and with which parameters.

use crate::method::Method;
use crate::parameters::Personalization;
use outcrop_algorithms::pagerank::Stop;
use outcrop_algorithms::pagerank_delta;
use outcrop_algorithms::registry::{ALGORITHMS, Algorithm, Needs, Parameter, Precision};
use outcrop_algorithms::sssp::BucketWidth;
use outcrop_algorithms::wcc;
use outcrop_store::layout::LayoutKind;
use outcrop_types::{Error, MemoryPlan, Result};
use serde_json::{Value, json};
use std::collections::BTreeMap;
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
    /// An exact number of iterations, in place of a tolerance.
    pub iterations: Option<u32>,
    /// Vertices to jump to.
    pub personalization: Option<Personalization>,
    /// Precision of values; double.
    pub precision: Option<Precision>,
    /// The layout to read; the one that the store has.
    pub layout: Option<LayoutKind>,
    /// How many vertices to start from at once; 64.
    pub source_count: Option<u32>,
    /// How many vertices to start from one after the other; all.
    pub samples: Option<u32>,
    /// What a sample is drawn with; 1.
    pub seed: Option<u64>,
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
            personalization: None,
            precision: None,
            layout: None,
            source_count: None,
            samples: None,
            seed: None,
            normalized: None,
            delta: None,
            k: None,
            method: None,
            bucket_width: None,
        })
    }

    /// Makes sure that the parameters are those of the algorithm and make sense together.
    ///
    /// # Errors
    /// [`Error::Usage`] naming the parameter.
    pub fn validate(&self) -> Result<()> {
        let row = self.algorithm.specification();
        if let Some((parameter, _)) =
            self.given().into_iter().find(|(parameter, _)| !row.parameters.contains(parameter))
        {
            return refuse(format!("{} takes no --{}", row.name, parameter.option()));
        }
        if let Some(method) = self.method.filter(|method| !method.is_of(self.algorithm)) {
            let methods = Method::ALL.into_iter().filter(|method| method.is_of(self.algorithm));
            let names: Vec<_> = methods.map(Method::name).collect();
            return refuse(format!("{} has no method {}; there are {}", row.name, method.name(), names.join(", ")));
        }
        if self.iterations.is_some() && (self.tolerance.is_some() || self.max_iterations.is_some()) {
            return refuse(
                "--iterations asks for an exact number, so --tol and --max-iter cannot be given with it".to_owned(),
            );
        }
        if self.alpha.is_some_and(|alpha| !(0.0..1.0).contains(&alpha)) {
            return refuse("--alpha is a probability: at least 0 and below 1".to_owned());
        }
        if self.tolerance.is_some_and(|tolerance| !(tolerance > 0.0 && tolerance.is_finite())) {
            return refuse("--tol is a positive number".to_owned());
        }
        self.validate_search()?;
        self.validate_sample()
    }

    fn validate_search(&self) -> Result<()> {
        if self.algorithm == Algorithm::PersonalizedPageRank && self.sources.len() > 1 {
            return refuse("ppr starts from one --source".to_owned());
        }
        if self.delta.is_some_and(|delta| !(0.0..1.0).contains(&delta)) {
            return refuse("--delta is a part of a rank: at least 0 and below 1".to_owned());
        }
        if self.bucket_width.is_some() && self.method == Some(Method::BellmanFord) {
            return refuse("--bucket-width is of --method delta".to_owned());
        }
        match self.bucket_width {
            Some(BucketWidth::Exactly(width)) if !(width > 0.0 && width.is_finite()) => {
                refuse("--bucket-width is a positive number".to_owned())
            }
            _ => Ok(()),
        }
    }

    fn validate_sample(&self) -> Result<()> {
        let most = outcrop_algorithms::radii::MOST_SOURCES;
        if self.source_count.is_some_and(|count| !(1..=most).contains(&count)) {
            return refuse(format!("--sources is a number from 1 to {most}"));
        }
        if self.samples == Some(0) {
            return refuse("--samples is a positive number".to_owned());
        }
        if !self.sources.is_empty() && (self.samples.is_some() || self.seed.is_some()) {
            return refuse(
                "--source names the vertices to start from, so --samples and --seed cannot be given with it".to_owned(),
            );
        }
        if self.algorithm == Algorithm::Betweenness && self.seed.is_some() && self.samples.is_none() {
            return refuse("--seed is what a sample is drawn with: it needs --samples".to_owned());
        }
        Ok(())
    }

    /// Makes sure that a search has a vertex to start from; an estimate needs none.
    ///
    /// # Errors
    /// [`Error::Usage`].
    pub fn require_sources(&self) -> Result<()> {
        let row = self.algorithm.specification();
        // Betweenness without sources is that from all vertices.
        let needed = row.parameters.contains(&Parameter::Source) && !row.parameters.contains(&Parameter::Samples);
        if needed && self.sources.is_empty() {
            return refuse(format!("{} needs a --source", row.name));
        }
        Ok(())
    }

    fn given(&self) -> Vec<(Parameter, Value)> {
        let sources = (!self.sources.is_empty()).then(|| json!(self.sources));
        let personalization = self.personalization.as_ref().map(Personalization::describe);
        let all = [
            (Parameter::Source, sources),
            (Parameter::Alpha, self.alpha.map(Value::from)),
            (Parameter::Tolerance, self.tolerance.map(Value::from)),
            (Parameter::MaxIterations, self.max_iterations.map(Value::from)),
            (Parameter::Iterations, self.iterations.map(Value::from)),
            (Parameter::Personalization, personalization),
            (Parameter::Precision, self.precision.map(|precision| Value::from(precision.name()))),
            (Parameter::SourceCount, self.source_count.map(Value::from)),
            (Parameter::Samples, self.samples.map(Value::from)),
            (Parameter::Seed, self.seed.map(Value::from)),
            (Parameter::Unnormalized, self.normalized.map(|normalized| Value::from(!normalized))),
            (Parameter::Delta, self.delta.map(Value::from)),
            (Parameter::K, self.k.map(Value::from)),
            (Parameter::Method, self.method.map(|method| Value::from(method.name()))),
            (Parameter::BucketWidth, self.bucket_width.map(describe_width)),
        ];
        all.into_iter().filter_map(|(parameter, value)| Some((parameter, value?))).collect()
    }

    /// The parameters with their defaults filled in, for the run record.
    pub(crate) fn meant(&self) -> BTreeMap<&'static str, Value> {
        let takes = |parameter: &Parameter| self.algorithm.specification().parameters.contains(parameter);
        let stop = match self.stop() {
            Stop::After(iterations) => vec![(Parameter::Iterations, json!(iterations))],
            Stop::Below { tolerance, at_most } => {
                vec![(Parameter::Tolerance, json!(tolerance)), (Parameter::MaxIterations, json!(at_most))]
            }
        };
        let mut defaults = vec![
            (Parameter::Alpha, json!(self.alpha())),
            (Parameter::Precision, json!(self.precision().name())),
            (Parameter::SourceCount, json!(self.source_count())),
            (Parameter::Unnormalized, json!(!self.normalized())),
        ];
        if self.sampled().is_some() {
            defaults.push((Parameter::Seed, json!(self.seed())));
        }
        if self.algorithm == Algorithm::Wcc {
            defaults.push((Parameter::Method, json!(self.component_method().name())));
        }
        let meant = stop.into_iter().chain(defaults).filter(|(parameter, _)| takes(parameter));
        meant.chain(self.given()).map(|(parameter, value)| (parameter.option(), value)).collect()
    }

    pub(crate) fn alpha(&self) -> f64 {
        self.alpha.unwrap_or(0.85)
    }

    pub(crate) fn precision(&self) -> Precision {
        self.precision.unwrap_or_default()
    }

    /// What the algorithm reads with these parameters.
    pub(crate) fn needs(&self) -> Needs {
        let needs = self.algorithm.specification().needs;
        match (self.algorithm, self.component_method(), self.delta) {
            (Algorithm::Wcc, wcc::Method::Afforest, _) => Needs { in_lists: true, ..needs },
            (Algorithm::Wcc, wcc::Method::LabelPropagation, _) => Needs { in_lists: true, frontiers: true, ..needs },
            (_, _, Some(_)) => Needs { out_lists: true, frontiers: true, ..needs },
            _ => needs,
        }
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
        match (self.delta, self.precision()) {
            (None, precision) => self.algorithm.memory(vertices, precision, personalized),
            (Some(_), Precision::Double) => pagerank_delta::memory::<AtomicU64>(vertices, personalized),
            (Some(_), Precision::Single) => pagerank_delta::memory::<AtomicU32>(vertices, personalized),
        }
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

    /// How many vertices are drawn to start from; `None` where none are.
    pub(crate) fn sampled(&self) -> Option<u32> {
        match self.algorithm {
            Algorithm::Radii => Some(self.source_count()),
            _ => self.samples,
        }
    }

    pub(crate) fn stop(&self) -> Stop {
        match self.iterations {
            Some(iterations) => Stop::After(iterations),
            None => Stop::Below { tolerance: self.tolerance(), at_most: self.max_iterations.unwrap_or(100) },
        }
    }
}

fn describe_width(width: BucketWidth) -> Value {
    match width {
        BucketWidth::Auto => json!("auto"),
        BucketWidth::Exactly(width) => json!(width),
    }
}

fn refuse(message: String) -> Result<()> {
    Err(Error::Usage(message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_of_other_algorithms_and_nonsense_are_refused() {
        let valid = |name: &str, change: fn(&mut RunRequest)| {
            let mut request = RunRequest::new(name).unwrap();
            change(&mut request);
            request.validate()
        };
        assert!(RunRequest::new("nonsense").is_err());
        assert!(valid("pagerank", |_| ()).is_ok());
        assert!(valid("pagerank", |r| r.sources = vec!["1".into()]).is_err());
        assert!(RunRequest::new("bfs").unwrap().require_sources().is_err());
        assert!(RunRequest::new("wcc").unwrap().require_sources().is_ok());
        assert!(valid("bfs", |_| ()).is_ok());
        assert!(valid("bfs", |r| r.sources = vec!["1".into()]).is_ok());
        assert!(valid("wcc", |r| r.precision = Some(Precision::Single)).is_err());
        assert!(valid("pagerank", |r| (r.iterations, r.tolerance) = (Some(3), Some(0.1))).is_err());
        assert!(valid("pagerank", |r| r.alpha = Some(1.0)).is_err());
        assert!(valid("pagerank", |r| r.tolerance = Some(0.0)).is_err());
    }

    #[test]
    fn the_record_shows_defaults_and_what_was_given() {
        let mut request = RunRequest::new("pagerank").unwrap();
        request.alpha = Some(0.5);
        let meant = request.meant();
        assert_eq!((&meant["alpha"], &meant["tol"], &meant["precision"]), (&json!(0.5), &json!(1e-6), &json!("f64")));
    }
}
