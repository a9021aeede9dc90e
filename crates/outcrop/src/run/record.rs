//! Record of a run.

use super::context::{Finished, Run};
use crate::checkpoints;
use crate::incremental::Incremental;
use crate::request::RunRequest;
use outcrop_algorithms::params::{Arg, InputVector, Personalization};
use outcrop_algorithms::{Model, ScalarValue, Spec, Weights};
use outcrop_io::ProcessUsage;
use outcrop_report::{Recorder, RunRecord};
use outcrop_types::Result;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::BTreeMap;

impl Run<'_> {
    /// Tells that weights do not count, where the store has some, a reader may think that they do, and nobody asked for
    /// that.
    pub(super) fn note_weights(&self) -> Result<()> {
        let Spec { name, weights, .. } = self.request.spec();
        let rest = match weights {
            Weights::OnRequest => " without --weighted (in Python: weight=\"weight\")",
            Weights::Ignored => "",
            Weights::Used | Weights::ByDefault | Weights::Meaningless => return Ok(()),
        };
        if self.graph.store.manifest().weighted && !self.weighted()? {
            let message = format!("`{name}` ignores the edge weights of the store{rest}");
            self.observer.note(&message);
        }
        Ok(())
    }

    /// The parameters as they were meant, for the record.
    fn parameters(&self, batch: Option<u32>) -> BTreeMap<Cow<'static, str>, Value> {
        let resolved = parameters(self.request, self.choice.execution.model);
        let batch = batch.map(|batch| ("batch", batch.into()));
        resolved.chain(batch).map(|(name, value)| (name.into(), value)).collect()
    }

    pub(super) fn record(
        &self,
        finished: &Finished,
        before: ProcessUsage,
        recorder: &Recorder<'_>,
    ) -> Result<RunRecord> {
        let (figures, usage) = (finished.figures, ProcessUsage::now());
        let manifest = self.graph.store.manifest();
        Ok(RunRecord {
            window: None,
            algorithm: self.request.spec().name.into(),
            model: self.choice.execution.model.name().into(),
            values_on_disk: self.choice.execution.on_disk,
            value_bytes_read: finished.value_traffic.0,
            layout: self.graph.layout().name().into(),
            schedule: self.request.schedule()?.name().into(),
            store: self.graph.store.folder().display().to_string(),
            values: finished.outcome.values.iter().map(|scalar| (scalar.name.into(), json_of(scalar.value))).collect(),
            parameters: self.parameters(finished.batch),
            weighted: self.weighted()?,
            notes: recorder.take_notes(),
            vertices: manifest.vertices,
            edges: manifest.edges,
            iterations: finished.outcome.iterations,
            converged: finished.outcome.convergence.map(|convergence| convergence.reached()),
            change: finished.outcome.convergence.map(|convergence| convergence.change),
            seconds: finished.seconds,
            seconds_total: finished.seconds,
            seconds_scheduling: finished.seconds_scheduling,
            user_seconds: usage.user_seconds - before.user_seconds,
            system_seconds: usage.system_seconds - before.system_seconds,
            bytes_read: figures.bytes_read,
            bytes_written: finished.value_traffic.1,
            messages: finished.messages.clone(),
            gas: finished.gas.clone(),
            checkpoints: self.checkpoints.as_deref().map(checkpoints::record),
            incremental: self.incremental.as_ref().map(Incremental::record),
            lists_bytes: self.graph.lists_bytes(self.choice.needs),
            store_bytes: manifest.bytes(),
            requests: figures.requests,
            peak_rss: usage.peak_rss_bytes,
            memory_budget: self.budget.limit(),
            memory_peak: self.budget.peak(),
            memory: self.budget.peak_by_purpose(),
            cache_hits: figures.cache_hits,
            cache_misses: figures.cache_misses,
            cache_hit_ratio: figures.cache_hit_ratio(),
            page_utilization: None,
            byte_utilization: None,
            static_hits: figures.static_hits,
            static_misses: figures.static_misses,
            static_hit_ratio: figures.static_hit_ratio(),
            static_cache_bytes: 0,
            batches: figures.batches,
            lists_visited: figures.lists,
            entries_visited: figures.entries,
            seconds_waiting: figures.waiting.as_secs_f64(),
            threads: self.graph.workers.threads(),
            io: String::new(),
            iterations_detail: recorder.take_iterations(),
            summary: serde_json::Map::new(),
            histogram: None,
            command: String::new(),
            started: 0,
            machine: String::new(),
            disk: String::new(),
            top: None,
        })
    }
}

/// The parameters of `request` in `model` as they were meant.
pub(super) fn parameters(request: &RunRequest<'_>, model: Model) -> impl Iterator<Item = (&'static str, Value)> {
    request.args().resolved(model).into_iter().map(|(name, arg)| (name, json_of_arg(&arg)))
}

/// The parameters of `request` that were given.
pub(crate) fn given_parameters(request: &RunRequest<'_>) -> BTreeMap<String, Value> {
    request.args().given().map(|(info, arg)| (info.name.to_owned(), json_of_arg(arg))).collect()
}

fn json_of_arg(arg: &Arg) -> Value {
    match arg {
        Arg::Text(text) => json!(text),
        Arg::Flag(flag) => json!(flag),
        Arg::Count(count) => json!(count),
        Arg::Number(number) => json!(number),
        Arg::Auto => json!("auto"),
        Arg::Word(word) => json!(word),
        Arg::Ids(ids) => json!(ids),
        Arg::NodeWeights(Personalization::Weights(weights)) => json!(format!("{} weights", weights.len())),
        Arg::Vector(InputVector::Values(values)) => json!(format!("{} values", values.len())),
        Arg::Vector(InputVector::Entries(entries)) => json!(format!("{} values by ID", entries.len())),
        Arg::NodeWeights(Personalization::File(path)) | Arg::Vector(InputVector::File(path)) | Arg::File(path) => {
            json!(path.display().to_string())
        }
    }
}

fn json_of(value: Option<ScalarValue>) -> Value {
    match value {
        None => Value::Null,
        Some(ScalarValue::Count(count)) => count.into(),
        Some(ScalarValue::Flag(flag)) => flag.into(),
    }
}
