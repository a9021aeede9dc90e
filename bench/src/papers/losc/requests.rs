//! Requests as in the paper, and the stores they need.

use crate::harness::{Harness, MadeStore};
use crate::output::bytes;
use outcrop::{CompactSettings, CsrSettings, Layout, Model, Result, RunRecord, RunRequest, Schedule};

/// The five algorithms of the paper (section 4.1).
pub(super) const ALGORITHMS: [&str; 5] = ["pagerank", "spmv", "bfs", "wcc", "sssp"];

/// Converts the store to the csr layout.
pub(super) fn csr(harness: &Harness<'_>) -> Result<MadeStore> {
    harness.convert("csr", Layout::Csr(CsrSettings::default()), None)
}

/// Converts the store to the compact layout.
pub(super) fn compact(harness: &Harness<'_>) -> Result<MadeStore> {
    harness.convert("compact", Layout::Compact(CompactSettings::default()), None)
}

/// Returns a request for five iterations of PageRank, or for another algorithm until it ends.
pub(super) fn request(
    harness: &Harness<'_>,
    algorithm: &str,
    model: Model,
    schedule: Schedule,
) -> Result<RunRequest<'static>> {
    let request = harness.request(algorithm)?.with("model", model.name())?.with("schedule", schedule.name())?;
    match algorithm {
        "pagerank" => request.with("iterations", 5_u32),
        "wcc" if model != Model::Interval => request.with("method", "label-propagation"),
        _ => Ok(request),
    }
}

/// Formats the seconds and bytes of a run.
pub(super) fn cell(record: &RunRecord) -> String {
    let written = if record.traffic.bytes_written > 0 {
        format!(" + {} written", bytes(record.traffic.bytes_written))
    } else {
        String::new()
    };
    format!("{:.2} s, {}{written}", record.time.seconds, bytes(record.traffic.bytes_read))
}
