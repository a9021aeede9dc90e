//! Runs in the messages model.

use super::super::trials::median;
use super::MultilogArguments;
use crate::output::bytes;
use outcrop::{Cancellation, Error, Graph, MemorySize, MessageFigures, Result, RunRecord, RunRequest};

/// The paper's applications (section VII).
pub(super) const APPLICATIONS: [&str; 6] = ["bfs", "pagerank", "cdlp", "coloring", "mis", "walks"];

/// The change that the paper's PageRank hands on, of ranks that are 1 on average.
const THRESHOLD: f64 = 0.4;

/// Runs algorithms.
pub(super) struct Laboratory<'l> {
    pub(super) arguments: &'l MultilogArguments,
    pub(super) cancellation: &'l Cancellation,
}

/// How a run is made.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Setting {
    pub(super) options: &'static [(&'static str, &'static str)],
    /// All memory of the run; `None` for what the user gave.
    pub(super) memory: Option<u64>,
    /// In another model, sweeping over all lists in each iteration.
    pub(super) sweeping: bool,
}

impl Laboratory<'_> {
    /// An application as the paper runs it.
    fn request(&self, application: &str, setting: Setting) -> Result<RunRequest<'static>> {
        let mut request = RunRequest::new(application)?;
        request = match setting.sweeping {
            true => request.with("model", "edge_map")?.with("schedule", "sweep")?,
            false => request.with("model", "messages")?,
        };
        for (option, value) in setting.options {
            request = request.with(option, *value)?;
        }
        match application {
            "bfs" => request.with("source", vec![self.arguments.source.clone()]),
            "pagerank" => {
                let request = request.with("delta", THRESHOLD)?.with("max-iter", self.arguments.supersteps)?;
                request.with("unweighted", true)
            }
            "cdlp" => request.with("max-iter", self.arguments.supersteps),
            _ => Ok(request),
        }
    }

    /// The run of middle length.
    pub(super) fn run(&self, application: &str, setting: Setting) -> Result<RunRecord> {
        let arguments = self.arguments;
        let mut options = arguments.options.open(self.cancellation);
        options.memory = setting.memory.map_or(options.memory, MemorySize::Bytes);
        options.temp_folder = arguments.tmp_dir.clone().or(options.temp_folder);
        let request = self.request(application, setting)?;
        median(&Graph::open(&arguments.store, options)?, &request, arguments.repeat)
    }
}

/// What a run did with messages.
pub(super) fn messages(record: &RunRecord) -> Result<&MessageFigures> {
    let messages = record.messages.as_ref().map(|messages| &messages.figures);
    messages.ok_or_else(|| Error::Usage(format!("{} sent no messages", record.algorithm)))
}

/// Seconds, and bytes read (lists, and logs with values) and written.
pub(super) fn cell(record: &RunRecord) -> String {
    let (lists, others) = (bytes(record.bytes_read), bytes(record.value_bytes_read));
    format!("{:.2} s, {lists} + {others}, {} written", record.seconds, bytes(record.bytes_written))
}
