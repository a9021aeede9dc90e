//! Memory, disk and time of graphs that are not there yet.
//!
//! Three small graphs of the same profile are built and planned for as any; each need is a constant, so much a vertex and so much a list entry.

mod sample;
mod size;

pub use size::{GraphSize, Profile};

use crate::graph::{Graph, threads_or_cores};
use crate::memory_size::MemorySize;
use crate::request::RunRequest;
use crate::run::{Estimate, Way};
use outcrop_io::Bandwidths;
use outcrop_types::{Error, MemoryPlan, Result};
use sample::{SampleFolder, extended, extent, samples};
use serde::Serialize;

/// Seconds a list entry of a build with two threads, at 4 million entries, and how much more with each doubling: docs/scaling.md.
const BUILD_SECONDS: (f64, f64) = (65e-9, 9e-9);
/// Threads that these were measured with.
const BUILD_THREADS: f64 = 2.0;
/// Bytes of an edge in the temporary files of a build: both directions, ids that are numbered, and the edges that wait for an order.
const TEMPORARY_BYTES: u64 = 16 + 32 + 16 + 8;

/// A machine that is planned for.
#[derive(Clone, Debug)]
pub struct Machine {
    /// Memory that runs and builds may use.
    pub memory: MemorySize,
    /// Threads; `None` for one a core of this one.
    pub threads: Option<usize>,
    /// Bytes a second of the disk; `None` for this one's, if it was measured.
    pub disk_bytes_a_second: Option<f64>,
}

/// Needs of a graph that is not there.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Capacity {
    /// Bytes of the store.
    pub store_bytes: u64,
    /// The build.
    pub build: BuildNeeds,
    /// The run; none where only the build was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<Estimate>,
}

/// Needs of a build.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BuildNeeds {
    /// Memory at the least, in bytes: what the order by degree and the lists take; texts as ids take no more.
    pub minimum: u64,
    /// Room for temporary files at the most, in bytes.
    pub temporary_bytes: u64,
    /// Seconds of computing, or of writing and reading temporary files, whichever are more.
    pub seconds: f64,
    /// Seconds at the least and at the most.
    pub range: [f64; 2],
}

/// Needs of `size`: of its store, its build, and the run of `request` where one is given.
///
/// # Errors
/// More vertices than there are numbers for; parameters that make no sense; no room for samples of some megabytes.
pub fn capacity(size: &GraphSize, request: Option<&RunRequest<'_>>, machine: &Machine) -> Result<Capacity> {
    if size.vertices == 0 || size.edges == 0 || size.vertices >= u64::from(u32::MAX) {
        return Err(Error::Usage(format!(
            "capacity is planned for graphs of 1 to {} vertices that have edges, not of {} and {} edges",
            u32::MAX - 1,
            size.vertices,
            size.edges
        )));
    }
    let threads = threads_or_cores(machine.threads);
    let folder = SampleFolder::new()?;
    let samples = samples(size, threads, &folder)?;
    let extents = [0, 1, 2].map(|place| extent(&samples[place]));
    let entries = if size.directed { size.edges } else { 2 * size.edges };
    let wanted = [size.vertices as f64, entries as f64];
    let wider = entries as f64 * size.profile.growth() * (wanted[0] / extents[1][0]).log2().max(0.0);
    let sides = if size.directed { 2.0 } else { 1.0 };
    let store_bytes =
        extended(extents, [0, 1, 2].map(|place| samples[place].info().bytes), wanted) + (sides * wider) as u64;
    let measured = Bandwidths::load(&std::env::temp_dir())?.unwrap_or_else(Bandwidths::assumed);
    let sequential_read = machine.disk_bytes_a_second.unwrap_or(measured.sequential_read);
    let disk = Bandwidths { sequential_read, ..measured };
    let build = BuildNeeds::of(size, (entries, store_bytes), threads, &disk);
    let run = request
        .map(|request| run(request, &samples, (wanted, wider), (machine.memory.bytes(), threads, &disk)))
        .transpose()?;
    Ok(Capacity { store_bytes, build, run })
}

/// The needs of a run, from those on the samples.
fn run(
    request: &RunRequest<'_>,
    samples: &[Graph; 3],
    (wanted, wider): ([f64; 2], f64),
    (memory, threads, disk): (u64, usize, &Bandwidths),
) -> Result<Estimate> {
    request.validate()?;
    let extents = [0, 1, 2].map(|place| extent(&samples[place]));
    let [small, large, sparse] = samples;
    let ways = small.ways(request)?.into_iter().zip(large.ways(request)?).zip(sparse.ways(request)?);
    let ways = ways.map(|((small, large), sparse)| {
        let all = [&small, &large, &sparse];
        let of = |number: &dyn Fn(&Way) -> u64| extended(extents, all.map(number), wanted);
        let needs = large.plan.needs().iter().map(|need| {
            let bytes = |way: &Way| {
                way.plan.needs().iter().filter(|other| other.purpose == need.purpose).map(|other| other.bytes).sum()
            };
            (need.purpose, of(&bytes))
        });
        let plan = needs.fold(MemoryPlan::new(), |plan, (purpose, bytes)| plan.with(purpose, bytes));
        let lists_bytes = of(&|way| way.lists_bytes);
        let wider = wider * f64::from(large.directions);
        Way {
            execution: large.execution,
            all_in_memory: of(&|way| way.all_in_memory) + wider as u64,
            temporary_bytes: of(&|way| way.temporary_bytes),
            directions: large.directions,
            lists_bytes: lists_bytes + wider as u64,
            plan,
        }
    });
    let [vertices, entries] = wanted.map(|number| number as u64);
    Ok(Estimate::of(request, ways.collect(), (vertices, entries), (memory, threads, disk))?.1)
}

impl BuildNeeds {
    fn of(size: &GraphSize, (entries, store): (u64, u64), threads: usize, disk: &Bandwidths) -> Self {
        let temporary_bytes = size.edges.saturating_mul(TEMPORARY_BYTES + if size.weighted { 16 } else { 0 });
        let (entry, more) = BUILD_SECONDS;
        let doublings = (entries as f64 / 4e6).log2().max(0.0);
        let computing = (entry + more * doublings) * entries as f64 * BUILD_THREADS;
        // With many threads, the half that goes through one a direction remains.
        let [slow, quick] = [BUILD_THREADS, threads as f64].map(|threads| computing / threads);
        let moving = (2 * temporary_bytes + store) as f64 / disk.sequential_read;
        let seconds = quick.max(moving);
        Self {
            minimum: 8 * size.vertices + (48 << 20),
            temporary_bytes,
            seconds,
            range: [0.6 * seconds, 1.7 * seconds.max(slow)],
        }
    }
}
