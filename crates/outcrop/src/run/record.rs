//! Record of a run.

use super::context::{Finished, Origin, Reading, RunContext};
use crate::checkpoints;
use crate::incremental::Incremental;
use crate::memory_size::{in_gibibytes, memory_of_machine, memory_record};
use crate::request::RunRequest;
use crate::result::Summary;
use outcrop_algorithms::params::{Arg, InputVector, Personalization};
use outcrop_algorithms::{Model, ScalarValue, Spec, Weights};
use outcrop_io::ProcessUsage;
use outcrop_report::{
    AnswerRecord, CacheRecord, ConvergenceRecord, EnvironmentRecord, FilesRecord, GraphRecord, OptionalRecords,
    PinnedRecord, ReadingRecord, Recorder, RunRecord, TaskRecord, TimeRecord, TrafficRecord,
};
use outcrop_store::access::AccessFigures;
use outcrop_types::Result;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Duration;

/// Time that the threads of a run waited for reads, from which a note recommends to measure the disk.
const WORTH_CALIBRATING: Duration = Duration::from_secs(5);

/// Finished run: the parts of its record that [`RunContext`] does not contain.
pub(super) struct Ended<'a> {
    pub(super) finished: &'a Finished,
    pub(super) reading: &'a Reading,
    pub(super) summary: Summary,
    /// CPU and memory usage before the run.
    pub(super) before: ProcessUsage,
    pub(super) origin: &'a Origin<'a>,
}

impl RunContext<'_> {
    /// Notes that weights are ignored, if the store has weights, a reader may expect their use, and the user did not
    /// request it.
    pub(super) fn note_weights(&self) -> Result<()> {
        let Spec { name, weights, .. } = self.request.spec();
        let rest = match weights {
            Weights::OnRequest => " without --weighted (in Python: weight=\"weight\")",
            Weights::Ignored => "",
            Weights::Used | Weights::ByDefault | Weights::Meaningless => return Ok(()),
        };
        if self.graph.store.manifest().graph.weighted && !self.weighted()? {
            let message = format!("`{name}` ignores the edge weights of the store{rest}");
            self.observer.note(&message);
        }
        Ok(())
    }

    /// Returns the effective parameters for the record.
    fn parameters(&self, batch: Option<u32>) -> BTreeMap<Cow<'static, str>, Value> {
        let resolved = parameters(self.request, self.choice.execution.model);
        let batch = batch.map(|batch| ("batch", batch.into()));
        resolved.chain(batch).map(|(name, value)| (name.into(), value)).collect()
    }

    /// Returns the record of the finished run.
    pub(super) fn record(&self, ended: Ended<'_>, recorder: &Recorder<'_>) -> Result<RunRecord> {
        let Ended { finished, reading, summary, before, origin } = ended;
        let (seconds_total, usage, figures) = (origin.total.seconds(), ProcessUsage::now(), finished.figures);
        let (manifest, convergence) = (self.graph.store.manifest(), finished.outcome.convergence);
        let bandwidths = self.graph.bandwidths()?;
        if bandwidths.are_assumed() && figures.waiting >= WORTH_CALIBRATING {
            self.observer.note(
                "the speed of this disk is assumed; `outcrop calibrate` measures it in ten seconds, for better choices \
                 between reading some lists and reading all",
            );
        }
        Ok(RunRecord {
            task: self.task(finished, origin)?,
            answer: answer(finished, summary),
            environment: EnvironmentRecord {
                command: origin.graph.command.clone(),
                started: origin.started.as_secs(),
                machine: machine(),
                disk: bandwidths.disk_in_words(self.graph.store.folder()),
            },
            weighted: self.weighted()?,
            notes: recorder.take_notes(),
            graph: GraphRecord { vertices: manifest.graph.vertices, edges: manifest.graph.edges },
            convergence: ConvergenceRecord {
                iterations: finished.outcome.iterations,
                converged: convergence.map(|convergence| convergence.reached()),
                change: convergence.map(|convergence| convergence.change),
            },
            time: TimeRecord {
                seconds: finished.seconds,
                seconds_total,
                seconds_scheduling: finished.seconds_scheduling,
                user_seconds: usage.user_seconds - before.user_seconds,
                system_seconds: usage.system_seconds - before.system_seconds,
            },
            traffic: TrafficRecord {
                bytes_read: figures.bytes_read,
                bytes_written: finished.value_traffic.1,
                values_on_disk: self.choice.execution.on_disk,
                value_bytes_read: finished.value_traffic.0,
            },
            optional: OptionalRecords {
                messages: finished.messages.clone(),
                gas: finished.gas.clone(),
                checkpoints: self.checkpoints.as_deref().map(checkpoints::record),
                incremental: self.incremental.as_ref().map(Incremental::record),
            },
            files: FilesRecord {
                lists_bytes: self.graph.lists_bytes(self.choice.needs),
                store_bytes: manifest.bytes(),
                requests: figures.requests,
            },
            memory: memory_record(self.budget),
            cache: cache(&figures, reading),
            pinned: pinned(&figures, reading),
            reading: self.reading(&figures, reading),
            iterations_detail: recorder.take_iterations(),
        })
    }

    fn task(&self, finished: &Finished, origin: &Origin<'_>) -> Result<TaskRecord> {
        Ok(TaskRecord {
            algorithm: self.request.spec().name.into(),
            model: self.choice.execution.model.name().into(),
            layout: self.graph.layout().name().into(),
            schedule: self.request.schedule()?.name().into(),
            store: origin.graph.store.folder().display().to_string(),
            window: origin.window.cloned(),
            parameters: self.parameters(finished.batch),
        })
    }

    fn reading(&self, figures: &AccessFigures, reading: &Reading) -> ReadingRecord {
        ReadingRecord {
            batches: figures.batches,
            lists_visited: figures.lists,
            entries_visited: figures.entries,
            seconds_waiting: figures.waiting.as_secs_f64(),
            threads: self.graph.workers.threads(),
            io: reading.backend.map_or_else(String::new, |backend| backend.to_string()),
        }
    }
}

fn answer(finished: &Finished, summary: Summary) -> AnswerRecord {
    let Summary { said, histogram } = summary;
    AnswerRecord {
        values: finished.outcome.values.iter().map(|scalar| (scalar.name.into(), json_of(scalar.value))).collect(),
        summary: said.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
        histogram,
        top: None,
    }
}

fn cache(figures: &AccessFigures, reading: &Reading) -> CacheRecord {
    CacheRecord {
        cache_hits: figures.cache_hits,
        cache_misses: figures.cache_misses,
        cache_hit_ratio: figures.cache_hit_ratio(),
        page_utilization: reading.pages.mean_of_pages(),
        byte_utilization: reading.pages.share_of_bytes(),
    }
}

fn pinned(figures: &AccessFigures, reading: &Reading) -> PinnedRecord {
    PinnedRecord {
        static_hits: figures.static_hits,
        static_misses: figures.static_misses,
        static_hit_ratio: figures.static_hit_ratio(),
        static_cache_bytes: reading.static_bytes,
    }
}

/// Returns the processor and memory of this machine, as far as the system reports them.
fn machine() -> String {
    // Default: if the system does not report it, the name is "a processor".
    let told = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = told.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    let processor = model.map_or("a processor", |(_, name)| name.trim());
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    format!("{processor}, {cores} threads, {} of memory", in_gibibytes(memory_of_machine()))
}

/// Returns the effective parameters of `request` in `model`.
pub(super) fn parameters(request: &RunRequest<'_>, model: Model) -> impl Iterator<Item = (&'static str, Value)> {
    request.args().resolved(model).into_iter().map(|(name, arg)| (name, json_of_arg(&arg)))
}

/// Returns the parameters of `request` given by the user.
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
        Some(ScalarValue::Number(number)) => number.into(),
        Some(ScalarValue::Flag(flag)) => flag.into(),
    }
}
