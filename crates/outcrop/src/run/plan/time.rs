//! Run time estimates, based on runs of Kronecker graphs.

use crate::request::{ExecutionPlan, RunRequest};
use outcrop_algorithms::{Model, Requirements};
use outcrop_io::Bandwidths;
use outcrop_types::{MemoryPlan, Result};
use serde::Serialize;

/// Relative error of the estimate on graphs of other sizes and kinds; graphs with many short rounds, such as roads,
/// take even longer.
const UNCERTAINTY: f64 = 0.5;

/// Way to run a request, and its needs.
pub(crate) struct RunVariant {
    pub(crate) execution: ExecutionPlan,
    /// Required lists and tables.
    pub(crate) needs: Requirements,
    pub(crate) plan: MemoryPlan,
    /// Memory with which nothing is read twice, in bytes.
    pub(crate) all_in_memory: u64,
    pub(crate) temporary_bytes: u64,
    /// Bytes of lists read by a pass.
    pub(crate) lists_bytes: u64,
}

/// Estimated run time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunTime {
    /// Seconds: the maximum of processor time and disk time.
    pub seconds: f64,
    /// Minimum and maximum of the seconds.
    pub range: [f64; 2],
    /// Assumed number of rounds: iterations, or sources.
    pub rounds: u32,
    /// Seconds of computation with all threads.
    pub processor_seconds: f64,
    /// Seconds of reading.
    pub disk_seconds: f64,
    /// Number of bytes read.
    pub bytes_read: u64,
    /// Change of the machine that would halve the time.
    pub twice_as_fast: String,
}

impl RunTime {
    /// Estimates the time of `request` on a graph with `vertices` vertices and `entries` out-list entries, with the
    /// given way to run, memory, threads and disk; returns `None` if no comparable runs were measured.
    ///
    /// # Errors
    /// Returns an error if parameters are invalid.
    pub(crate) fn of(
        request: &RunRequest<'_>,
        vertices: u64,
        entries: u64,
        way: &RunVariant,
        memory: u64,
        threads: usize,
        disk: &Bandwidths,
    ) -> Result<Option<Self>> {
        let cost = request.spec().cost.filter(|_| way.execution.model == Model::EdgeMap);
        let Some(cost) = cost else { return Ok(None) };
        let rounds = request.algorithm().rounds(request.args())?;
        let waiting = cost.waits * disk.seconds_an_update(cost.value_bytes.saturating_mul(vertices));
        let entry = f64::from(rounds) * (cost.entry * 1e-9 + waiting);
        let processor_seconds = entry * entries as f64 / threads as f64;
        let cached = memory.saturating_sub(way.plan.total()).min(way.lists_bytes);
        let passes = f64::from(rounds) * cost.passes;
        let (lists, missing) = (way.lists_bytes as f64, (way.lists_bytes - cached) as f64);
        // Cached lists are read once, other lists in each pass.
        let bytes_read = if passes <= 1.0 { passes * lists } else { lists + (passes - 1.0) * missing };
        let disk_seconds = bytes_read / disk.sequential_read;
        let seconds = processor_seconds.max(disk_seconds);
        let twice_as_fast = match (disk_seconds > processor_seconds, passes > 2.0 && missing > 0.0) {
            (false, _) => format!("{} threads", 2 * threads),
            (true, false) => format!("a disk with {:.1} GB/s", 2e-9 * disk.sequential_read),
            (true, true) => {
                let enough = way.plan.total() as f64 + lists - missing / 2.0 + lists / (2.0 * passes);
                let enough = enough.min(way.all_in_memory as f64) / 1e9;
                format!("a disk with {:.1} GB/s, or {enough:.3} GB of memory", 2e-9 * disk.sequential_read)
            }
        };
        Ok(Some(Self {
            seconds,
            range: [seconds * (1.0 - UNCERTAINTY), seconds / (1.0 - UNCERTAINTY)],
            rounds,
            processor_seconds,
            disk_seconds,
            bytes_read: bytes_read as u64,
            twice_as_fast,
        }))
    }
}
