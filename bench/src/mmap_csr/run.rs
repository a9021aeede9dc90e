//! Runs an algorithm on a folder and records its cost.

use super::bfs::bfs;
use super::map::{Graph, MappedFolder};
use super::pagerank::pagerank;
use super::sssp::sssp;
use super::wcc::wcc;
use crate::arguments::{Algorithm, Precision, RunRequest};
use crate::digest::{Answer, Digest};
use outcrop_algorithms::AtomicFloat;
use outcrop_io::ProcessUsage;
use outcrop_types::{Error, Result, Stopwatch, VertexId};
use serde::Serialize;
use std::sync::atomic::{AtomicU32, AtomicU64};

/// Cost of a run. Seconds, bytes and faults are those of the algorithm, from its first allocation to its result,
/// except for `seconds_total` and the peak.
#[derive(Debug, Serialize)]
pub struct RunRecord {
    algorithm: Algorithm,
    seconds: f64,
    /// From the start of the command to the result.
    seconds_total: f64,
    user_seconds: f64,
    system_seconds: f64,
    /// Bytes read from disk; `None` if the system does not report them.
    bytes_read: Option<u64>,
    major_faults: u64,
    /// In bytes, including pages of mapped files.
    peak_rss: u64,
    iterations: u32,
    threads: usize,
    source: Option<VertexId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<Digest>,
}

/// Runs the requested algorithm.
///
/// # Errors
/// Returns an error if the folder cannot be mapped or has files of wrong lengths, if the source is not a vertex, or if
/// threads cannot be started.
pub fn run(request: &RunRequest) -> Result<RunRecord> {
    let total = Stopwatch::start();
    let folder = MappedFolder::open(&request.folder, request.advice)?;
    let graph = folder.graph()?;
    let source = request.source.unwrap_or(folder.info().widest_vertex);
    if source >= graph.vertices() {
        return Err(Error::Usage(format!("the source {source} is not below {} vertices", graph.vertices())));
    }
    let pool = thread_pool(request.threads)?;
    let (before, faults, watch) = (ProcessUsage::now(), major_faults(), Stopwatch::start());
    let (answer, iterations) = pool.install(|| answer(graph, source, request));
    let (seconds, seconds_total, usage) = (watch.seconds(), total.seconds(), ProcessUsage::now());
    let has_source = matches!(request.algorithm, Algorithm::Bfs | Algorithm::Sssp);
    Ok(RunRecord {
        algorithm: request.algorithm,
        seconds,
        seconds_total,
        user_seconds: usage.user_seconds - before.user_seconds,
        system_seconds: usage.system_seconds - before.system_seconds,
        bytes_read: usage.read_bytes.zip(before.read_bytes).map(|(now, before)| now - before),
        major_faults: major_faults() - faults,
        peak_rss: usage.peak_rss_bytes,
        iterations,
        threads: pool.current_num_threads(),
        source: has_source.then_some(source),
        digest: request.digest.then(|| answer.digest()),
    })
}

fn thread_pool(threads: usize) -> Result<rayon::ThreadPool> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| Error::io("start", "the threads", std::io::Error::other(error)))
}

/// Runs the algorithm; returns the result and the number of iterations.
pub(super) fn answer(graph: Graph<'_>, source: VertexId, request: &RunRequest) -> (Answer, u32) {
    match request.precision {
        Precision::F64 => answer_in::<AtomicU64>(graph, source, request),
        Precision::F32 => answer_in::<AtomicU32>(graph, source, request),
    }
}

fn answer_in<F: AtomicFloat>(graph: Graph<'_>, source: VertexId, request: &RunRequest) -> (Answer, u32) {
    match request.algorithm {
        Algorithm::Pagerank => {
            let ranks = pagerank::<F>(graph, request.alpha, request.iterations);
            (Answer::Ranks(Box::new(ranks)), request.iterations)
        }
        Algorithm::Bfs => {
            let (distances, iterations) = bfs(graph, source);
            (Answer::Counts(counts(distances)), iterations)
        }
        Algorithm::Wcc => (Answer::Counts(counts(wcc(graph))), 1),
        Algorithm::Sssp => {
            let (distances, iterations) = sssp::<F>(graph, source);
            (Answer::Distances(Box::new(distances)), iterations)
        }
    }
}

fn counts(values: Vec<AtomicU32>) -> Vec<u32> {
    values.into_iter().map(AtomicU32::into_inner).collect()
}

/// Returns the number of page faults so far that required disk reads; 0 if the system does not report it.
fn major_faults() -> u64 {
    // Default: no faults if the system does not report them.
    let status = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The second field, the name in parentheses, may contain any characters; the faults are the 12th.
    let behind_name = status.rsplit_once(')').map_or("", |(_, rest)| rest);
    behind_name.split_whitespace().nth(9).and_then(|faults| faults.parse().ok()).unwrap_or(0)
}
