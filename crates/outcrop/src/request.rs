//! What to run, and with which parameters.

use crate::parameters::Personalization;
use outcrop_algorithms::pagerank::Stop;
use outcrop_algorithms::registry::{ALGORITHMS, Algorithm, Needs, Parameter, Precision};
use outcrop_algorithms::wcc::Method;
use outcrop_types::{Error, Result};
use serde_json::{Value, json};
use std::collections::BTreeMap;

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
    /// The largest core that is wanted; all.
    pub k: Option<u32>,
    /// How components are found; in one sweep.
    pub method: Option<Method>,
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
            k: None,
            method: None,
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
        Ok(())
    }

    /// Makes sure that a search has a vertex to start from; an estimate needs none.
    ///
    /// # Errors
    /// [`Error::Usage`].
    pub fn require_sources(&self) -> Result<()> {
        let row = self.algorithm.specification();
        if row.parameters.contains(&Parameter::Source) && self.sources.is_empty() {
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
            (Parameter::K, self.k.map(Value::from)),
            (Parameter::Method, self.method.map(|method| Value::from(method.name()))),
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
        let defaults = [
            (Parameter::Alpha, json!(self.alpha())),
            (Parameter::Precision, json!(self.precision().name())),
            (Parameter::Method, json!(self.method().name())),
        ];
        let meant = stop.into_iter().chain(defaults).filter(|(parameter, _)| takes(parameter));
        meant.chain(self.given()).map(|(parameter, value)| (parameter.option(), value)).collect()
    }

    pub(crate) fn alpha(&self) -> f64 {
        self.alpha.unwrap_or(0.85)
    }

    pub(crate) fn precision(&self) -> Precision {
        self.precision.unwrap_or_default()
    }

    pub(crate) fn method(&self) -> Method {
        self.method.unwrap_or_default()
    }

    /// What the run reads: that of the algorithm, or more where the method needs more.
    pub(crate) fn needs(&self) -> Needs {
        let needs = self.algorithm.specification().needs;
        match (self.algorithm, self.method()) {
            (Algorithm::Wcc, Method::Afforest) => Needs { in_lists: true, ..needs },
            (Algorithm::Wcc, Method::LabelPropagation) => Needs { in_lists: true, frontiers: true, ..needs },
            _ => needs,
        }
    }

    pub(crate) fn stop(&self) -> Stop {
        match self.iterations {
            Some(iterations) => Stop::After(iterations),
            None => {
                Stop::Below { tolerance: self.tolerance.unwrap_or(1e-6), at_most: self.max_iterations.unwrap_or(100) }
            }
        }
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
