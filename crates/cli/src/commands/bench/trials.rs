//! Stores made and algorithms run to be measured.

use crate::arguments::WorkOptions;
use outcrop::{
    BuildOrder, BuildRecord, Cancellation, ConvertRequest, Graph, Layout, Result, RunRecord, RunRequest, convert,
};
use std::path::Path;

/// Makes the store `target` of the graph in `source`, in another layout, and in another order if one is given.
pub(super) fn make(
    options: &WorkOptions,
    cancellation: &Cancellation,
    (source, target): (&Path, &Path),
    layout: Layout,
    order: Option<BuildOrder>,
) -> Result<BuildRecord> {
    let request = ConvertRequest {
        memory: options.memory,
        threads: options.threads(),
        order,
        ..ConvertRequest::new(source, target, layout)
    };
    convert(&request, cancellation, &*options.progress.progress.observer())
}

/// Runs an algorithm so many times, once at the least; the run of middle length.
pub(super) fn median(graph: &Graph, request: &RunRequest<'_>, repeat: u32) -> Result<RunRecord> {
    let once = |_| graph.run(request).map(|result| result.record());
    let mut records: Vec<RunRecord> = (0..repeat.max(1)).map(once).collect::<Result<_>>()?;
    records.sort_by(|one, other| one.seconds.total_cmp(&other.seconds));
    let middle = records.len() / 2;
    Ok(records.swap_remove(middle))
}
