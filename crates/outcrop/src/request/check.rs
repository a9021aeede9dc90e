//! Whether the parameters of a request make sense.

use super::RunRequest;
use crate::method::Method;
use outcrop_algorithms::registry::{Algorithm, Parameter};
use outcrop_algorithms::sssp::BucketWidth;
use outcrop_algorithms::{bc, radii};
use outcrop_types::{Error, Result};

impl RunRequest {
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
        self.validate_messages()?;
        self.validate_gas()?;
        self.validate_ways()?;
        if let Some(method) = self.method.filter(|method| !method.is_of(self.algorithm)) {
            let methods = Method::ALL.into_iter().filter(|method| method.is_of(self.algorithm));
            let names: Vec<_> = methods.map(Method::name).collect();
            return refuse(format!("{} has no method {}; there are {}", row.name, method.name(), names.join(", ")));
        }
        let both = self.algorithm == Algorithm::Heat;
        if !both && self.iterations.is_some() && (self.tolerance.is_some() || self.max_iterations.is_some()) {
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
        self.validate_sample()?;
        self.validate_walks()?;
        self.validate_fields()
    }

    fn validate_search(&self) -> Result<()> {
        if self.algorithm == Algorithm::PersonalizedPageRank && self.sources.len() > 1 {
            return refuse(format!("{} starts from one --source", self.algorithm.specification().name));
        }
        if self.algorithm == Algorithm::Diameter && self.iterations == Some(0) {
            return refuse("--iterations is a positive number".to_owned());
        }
        if self.exact() && self.iterations.is_some() {
            return refuse(
                "--exact searches until the bounds meet, so --iterations cannot be given with it".to_owned(),
            );
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
        let most = radii::MOST_SOURCES;
        if self.source_count.is_some_and(|count| !(1..=most).contains(&count)) {
            return refuse(format!("--sources is a number from 1 to {most}"));
        }
        if self.samples == Some(0) {
            return refuse("--samples is a positive number".to_owned());
        }
        if !self.sources.is_empty() && (self.samples.is_some() || (self.seed.is_some() && !self.seeds_values())) {
            return refuse(
                "--source names the vertices to start from, so --samples and --seed cannot be given with it".to_owned(),
            );
        }
        let most = bc::MOST_AT_ONCE;
        if self.batch.is_some_and(|batch| !(1..=most).contains(&batch)) {
            return refuse(format!("--batch is a number from 1 to {most}"));
        }
        if self.algorithm == Algorithm::Betweenness && self.seed.is_some() && self.samples.is_none() {
            return refuse("--seed is what a sample is drawn with: it needs --samples".to_owned());
        }
        Ok(())
    }

    fn validate_walks(&self) -> Result<()> {
        if self.every == Some(0) {
            return refuse("--every is a positive number".to_owned());
        }
        if self.every.is_some() && !self.sources.is_empty() {
            return refuse("--source names the vertices to start from, so --every cannot be given with it".to_owned());
        }
        if self.restart.is_some_and(|restart| !(0.0..=1.0).contains(&restart)) {
            return refuse("--restart is a probability: from 0 to 1".to_owned());
        }
        let positive = |number: Option<f64>| number.is_none_or(|number| number > 0.0 && number.is_finite());
        if !positive(self.return_parameter) || !positive(self.in_out_parameter) {
            return refuse("--p and --q are positive numbers".to_owned());
        }
        Ok(())
    }

    /// What random fields and temperatures take.
    fn validate_fields(&self) -> Result<()> {
        if self.coupling.is_some_and(|coupling| !(coupling > 0.0 && coupling < 1.0)) {
            return refuse("--coupling is a probability: above 0 and below 1".to_owned());
        }
        if self.damping.is_some_and(|damping| !(0.0..1.0).contains(&damping)) {
            return refuse("--damping is a share of a message: at least 0 and below 1".to_owned());
        }
        if self.rate.is_some_and(|rate| !(rate > 0.0 && rate.is_finite())) {
            return refuse("--rate is a positive number".to_owned());
        }
        Ok(())
    }

    /// Makes sure that a search has a vertex to start from, and beliefs and temperatures what they start with; an estimate needs none.
    ///
    /// # Errors
    /// [`Error::Usage`].
    pub fn require_sources(&self) -> Result<()> {
        let row = self.algorithm.specification();
        // Others draw vertices to start from, or start from all.
        let needed = row.parameters.contains(&Parameter::Source) && !row.parameters.contains(&Parameter::Seed);
        if needed && self.sources.is_empty() {
            return refuse(format!("{} needs a --source", row.name));
        }
        match (self.algorithm, &self.vector) {
            (Algorithm::Beliefs, None) => {
                refuse("bp needs a --vector: the probability of state 1 of each vertex".to_owned())
            }
            (Algorithm::Heat, None) => {
                refuse("heat needs a --vector: the temperature of each vertex at the start".to_owned())
            }
            _ => Ok(()),
        }
    }
}

fn refuse(message: String) -> Result<()> {
    Err(Error::Usage(message))
}
