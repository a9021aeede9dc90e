//! The parameters of a request as values: those that are given, and those that are meant.

use super::RunRequest;
use crate::parameters::Personalization;
use crate::vector::InputVector;
use outcrop_algorithms::apsp;
use outcrop_algorithms::pagerank::Stop;
use outcrop_algorithms::registry::{Algorithm, Model, Parameter};
use outcrop_algorithms::sssp::BucketWidth;
use serde_json::{Value, json};
use std::collections::BTreeMap;

impl RunRequest {
    /// The parameters that are given, with their values.
    pub(super) fn given(&self) -> Vec<(Parameter, Value)> {
        let sources = (!self.sources.is_empty()).then(|| json!(self.sources));
        let personalization = self.personalization.as_ref().map(Personalization::describe);
        let all = [
            (Parameter::Source, sources),
            (Parameter::Alpha, self.alpha.map(Value::from)),
            (Parameter::Tolerance, self.tolerance.map(Value::from)),
            (Parameter::MaxIterations, self.max_iterations.map(Value::from)),
            (Parameter::Iterations, self.iterations.map(Value::from)),
            (Parameter::Exact, self.exact.map(Value::from)),
            (Parameter::Personalization, personalization),
            (Parameter::Precision, self.precision.map(|precision| Value::from(precision.name()))),
            (Parameter::SourceCount, self.source_count.map(Value::from)),
            (Parameter::Samples, self.samples.map(Value::from)),
            (Parameter::Seed, self.seed.map(Value::from)),
            (Parameter::Batch, self.batch.map(Value::from)),
            (Parameter::Unnormalized, self.normalized.map(|normalized| Value::from(!normalized))),
            (Parameter::Delta, self.delta.map(Value::from)),
            (Parameter::K, self.k.map(Value::from)),
            (Parameter::Method, self.method.map(|method| Value::from(method.name()))),
            (Parameter::BucketWidth, self.bucket_width.map(describe_width)),
            (Parameter::Vector, self.vector.as_ref().map(InputVector::describe)),
            (Parameter::Transpose, self.transpose.map(Value::from)),
            (Parameter::Weighted, self.weighted.map(Value::from)),
            (Parameter::Length, self.length.map(Value::from)),
            (Parameter::Every, self.every.map(Value::from)),
            (Parameter::Restart, self.restart.map(Value::from)),
            (Parameter::ReturnParameter, self.return_parameter.map(Value::from)),
            (Parameter::InOutParameter, self.in_out_parameter.map(Value::from)),
            (Parameter::Coupling, self.coupling.map(Value::from)),
            (Parameter::Damping, self.damping.map(Value::from)),
            (Parameter::Rate, self.rate.map(Value::from)),
        ];
        all.into_iter().filter_map(|(parameter, value)| Some((parameter, value?))).collect()
    }

    /// The parameters with their defaults filled in, for the record of a run in `model`.
    pub(crate) fn meant(&self, model: Model) -> BTreeMap<&'static str, Value> {
        let row = self.algorithm.specification();
        let takes = |one: &Parameter| row.parameters.contains(one) && self.algorithm.takes_in(model, *one);
        let stop = match self.stop() {
            _ if self.algorithm == Algorithm::Heat => vec![(Parameter::Iterations, json!(self.steps()))],
            _ if self.algorithm == Algorithm::Diameter => {
                self.most_searches().map(|most| (Parameter::Iterations, json!(most))).into_iter().collect()
            }
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
            (Parameter::Transpose, json!(self.transposed())),
            (Parameter::Exact, json!(self.exact())),
            (Parameter::Coupling, json!(self.coupling())),
            (Parameter::Damping, json!(self.damping())),
        ];
        if self.algorithm == Algorithm::Distances && self.sources.is_empty() {
            defaults.push((Parameter::Samples, json!(self.samples.unwrap_or(apsp::SAMPLES))));
        }
        if self.sampled().is_some() {
            defaults.push((Parameter::Seed, json!(self.seed())));
        }
        if self.seeds_values() {
            defaults.push((Parameter::Seed, json!(self.seed())));
        }
        if self.algorithm == Algorithm::LabelPropagation && self.iterations.is_none() {
            defaults.push((Parameter::MaxIterations, json!(self.rounds())));
        }
        if self.algorithm == Algorithm::Walks {
            defaults.extend(self.walk_defaults());
        }
        if self.algorithm == Algorithm::Wcc {
            defaults.push((Parameter::Method, json!(self.component_method().name())));
        }
        let meant = stop.into_iter().chain(defaults).filter(|(parameter, _)| takes(parameter));
        meant.chain(self.given()).map(|(parameter, value)| (parameter.option(), value)).collect()
    }

    fn walk_defaults(&self) -> Vec<(Parameter, Value)> {
        let choice = self.choice();
        let every = self.sources.is_empty().then(|| (Parameter::Every, json!(self.every())));
        let rest = [
            (Parameter::Length, json!(self.length())),
            (Parameter::Restart, json!(choice.restart)),
            (Parameter::ReturnParameter, json!(choice.p)),
            (Parameter::InOutParameter, json!(choice.q)),
        ];
        every.into_iter().chain(rest).collect()
    }
}

fn describe_width(width: BucketWidth) -> Value {
    match width {
        BucketWidth::Auto => json!("auto"),
        BucketWidth::Exactly(width) => json!(width),
    }
}
