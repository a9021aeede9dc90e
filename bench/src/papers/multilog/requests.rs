//! Requests of the model messages as in the paper.

use super::arguments::MultilogArguments;
use crate::harness::Harness;
use crate::output::bytes;
use crate::single_log::SingleLog;
use outcrop::{Cancellation, Error, MemorySize, MessageFigures, OpenOptions, Result, RunRecord, RunRequest};

/// Applications of the paper (section VII).
pub(super) const APPLICATIONS: [&str; 6] = ["bfs", "pagerank", "cdlp", "coloring", "mis", "walks"];

/// Minimum change that the paper's PageRank propagates, for ranks with mean 1.
const THRESHOLD: f64 = 0.4;

/// Options of a run of the model messages.
pub(super) type Given = &'static [(&'static str, &'static str)];

/// Another model, which sweeps over all lists in each iteration.
pub(super) const SWEEPING: Given = &[("model", "edge_map"), ("schedule", "sweep")];

/// Runs the applications.
pub(super) struct Multilog<'m> {
    pub(super) harness: Harness<'m>,
    supersteps: u32,
}

impl<'m> Multilog<'m> {
    pub(super) const fn new(arguments: &'m MultilogArguments, cancellation: &'m Cancellation) -> Self {
        Self { harness: Harness::new(&arguments.setup, cancellation), supersteps: arguments.supersteps }
    }

    /// Runs an application with the user's memory setting.
    pub(super) fn run(&self, application: &str, given: Given) -> Result<RunRecord> {
        self.run_in(self.harness.options().memory, application, given)
    }

    /// Runs an application with one sorted log instead of the multi-log.
    pub(super) fn run_with_single_log(&self, application: &str) -> Result<RunRecord> {
        let request = self.request(application, &[])?.with_message_log(&SingleLog);
        self.harness.run(&self.harness.setup.store, &self.harness.options(), &request)
    }

    pub(super) fn run_in(&self, memory: MemorySize, application: &str, given: Given) -> Result<RunRecord> {
        let options = OpenOptions { memory, ..self.harness.options() };
        self.harness.run(&self.harness.setup.store, &options, &self.request(application, given)?)
    }

    fn request(&self, application: &str, given: Given) -> Result<RunRequest<'static>> {
        let request = self.harness.request(application)?.with("model", "messages")?;
        let request = given.iter().try_fold(request, |request, (option, value)| request.with(option, *value))?;
        match application {
            "pagerank" => request.with("delta", THRESHOLD)?.with("max-iter", self.supersteps),
            "cdlp" => request.with("max-iter", self.supersteps),
            _ => Ok(request),
        }
    }
}

/// Returns the message figures of a run.
pub(super) fn messages(record: &RunRecord) -> Result<&MessageFigures> {
    let messages = record.optional.messages.as_ref().map(|messages| &messages.figures);
    messages.ok_or_else(|| Error::internal(format!("{} sent no messages", record.task.algorithm)))
}

/// Formats the seconds, and the bytes read (lists, and logs with values) and written.
pub(super) fn cell(record: &RunRecord) -> String {
    let (lists, others) = (bytes(record.traffic.bytes_read), bytes(record.traffic.value_bytes_read));
    format!("{:.2} s, {lists} + {others}, {} written", record.time.seconds, bytes(record.traffic.bytes_written))
}
