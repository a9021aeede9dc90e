//! Estimates of memory, disk and time for graphs that do not exist yet.
//!
//! Three small graphs of the same profile are built and planned for like any graph; each need is extrapolated as a
//! constant plus a cost per vertex and a cost per list entry.

mod sample;
mod size;

pub use size::{GraphSize, Profile};

use crate::graph::threads_or_cores;
use crate::memory_size::{MemorySize, memory_of_machine};
use crate::request::RunRequest;
use crate::run::{Estimate, MachineShortage, RunVariant, room_in};
use outcrop_io::Bandwidths;
use outcrop_store::writing::{BuildSize, IdFiles};
use outcrop_types::{Error, MemoryPlan, Result};
use sample::Samples;
use serde::Serialize;
use std::path::Path;

/// Seconds per list entry of a build with two threads, at 4 million entries, and the increase per doubling:
/// docs/scaling.md.
const BUILD_SECONDS: (f64, f64) = (65e-9, 9e-9);
/// Number of threads of this measurement.
const BUILD_THREADS: f64 = 2.0;
/// Bits of a weight of one byte in temporary files, as a double-precision number.
const WEIGHT_BITS: u64 = 12;

/// Machine to plan for.
#[derive(Clone, Debug)]
pub struct Machine {
    /// Memory budget of runs and builds.
    pub memory: MemorySize,
    /// Number of threads; `None` for one per core of this machine.
    pub threads: Option<usize>,
    /// Bandwidth of the disk in bytes per second; `None` for that of this machine, if it was measured.
    pub disk_bytes_a_second: Option<f64>,
}

/// Needs of a graph that does not exist yet.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Capacity {
    /// Bytes of the store.
    pub store_bytes: u64,
    /// Needs of the build.
    pub build: BuildNeeds,
    /// Needs of the run; `None` if only the build was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<Estimate>,
    /// Shortages of the machine for the store, its build and the run; `None` if it is large enough.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(rename = "outgrown")]
    pub shortage: Option<MachineShortage>,
}

/// Needs of a build.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BuildNeeds {
    /// Minimum memory, in bytes: that of the order by degree and the lists; string IDs do not need more.
    pub minimum: u64,
    /// Maximum space for temporary files, in bytes.
    pub temporary_bytes: u64,
    /// Seconds: the larger of computing, and writing and reading temporary files.
    pub seconds: f64,
    /// Lower and upper bound of the seconds.
    pub range: [f64; 2],
}

/// Returns the needs of `size`: its store, its build, and the run of `request` if given.
///
/// # Errors
///
/// Returns an error if there are too many vertices, if parameters are invalid, or if there is no disk space for samples
/// of some megabytes.
pub fn capacity(size: &GraphSize, request: Option<&RunRequest<'_>>, machine: &Machine) -> Result<Capacity> {
    if size.vertices == 0 || size.edges == 0 || size.vertices >= u64::from(u32::MAX) {
        return Err(Error::Usage(format!(
            "an estimate needs 1 to {} vertices and at least one edge, not {} vertices and {} edges",
            u32::MAX - 1,
            size.vertices,
            size.edges
        )));
    }
    let threads = threads_or_cores(machine.threads);
    let samples = Samples::new(size, threads)?;
    let entries = if size.directed { size.edges } else { 2 * size.edges };
    let wider = entries as f64 * size.profile.growth() * samples.doublings();
    let sides = if size.directed { 2.0 } else { 1.0 };
    let store_bytes = samples.extended(samples.graphs().each_ref().map(|graph| graph.info().bytes));
    let store_bytes = store_bytes + (sides * wider) as u64;
    let measured = Bandwidths::load(&std::env::temp_dir())?.unwrap_or_else(Bandwidths::assumed);
    let sequential_read = machine.disk_bytes_a_second.unwrap_or(measured.sequential_read);
    let disk = Bandwidths { sequential_read, ..measured };
    let build = BuildNeeds::of(size, entries, store_bytes, (machine.memory.bytes(), threads, &disk));
    let run = request.map(|request| {
        request.validate()?;
        let extent = (size.vertices, entries);
        let machine = (machine.memory.bytes(), threads, &disk);
        Ok(Estimate::of(request, ways(request, &samples, wider)?, extent, machine)?.1)
    });
    let mut capacity = Capacity { store_bytes, build, run: run.transpose()?, shortage: None };
    capacity.shortage = capacity.shortage(size, request, machine)?;
    Ok(capacity)
}

impl Capacity {
    /// Returns the shortages of a machine whose disk is that of the current folder, or, if another bandwidth is given,
    /// is unlimited in size.
    fn shortage(
        &self,
        size: &GraphSize,
        request: Option<&RunRequest<'_>>,
        machine: &Machine,
    ) -> Result<Option<MachineShortage>> {
        let memory = if machine.memory == MemorySize::Auto { memory_of_machine() } else { machine.memory.bytes() };
        let here = machine.disk_bytes_a_second.is_none();
        let disk = if here { room_in(Path::new("."))? } else { u64::MAX };
        let runs = self.run.as_ref().map_or_else(|| vec![(0, 0)], Estimate::all_ways);
        let BuildNeeds { minimum, temporary_bytes, .. } = self.build;
        // A build that fits in memory has no temporary files; those of others shrink while the store grows.
        let aside = if temporary_bytes > machine.memory.bytes() { temporary_bytes } else { 0 };
        let with_build =
            |(memory, room): (u64, u64)| (memory.max(minimum), self.store_bytes.saturating_add(room).max(aside));
        let ways: Vec<_> = runs.into_iter().map(with_build).collect();
        let directed = if size.directed { "" } else { " --undirected" };
        let edges = format!("EDGES{directed}{}", if size.weighted { " --weight COLUMN" } else { "" });
        let command = |shortage: MachineShortage| match request {
            Some(request) => shortage.with_command(request, &edges),
            None => shortage,
        };
        Ok(MachineShortage::of(&ways, memory, disk).map(command))
    }
}

/// Returns the costs of all ways to execute `request`, extrapolated from the samples; lists of a direction need `wider`
/// more bytes.
fn ways(request: &RunRequest<'_>, samples: &Samples, wider: f64) -> Result<Vec<RunVariant>> {
    let [small, large, sparse] = samples.graphs();
    let ways = small.ways(request)?.into_iter().zip(large.ways(request)?).zip(sparse.ways(request)?);
    let extended = ways.map(|((small, way), sparse)| {
        let all = [&small, &way, &sparse];
        let of = |number: &dyn Fn(&RunVariant) -> u64| samples.extended(all.map(number));
        let plan =
            way.plan.needs().iter().fold(MemoryPlan::new(), |plan, need| {
                plan.with(need.purpose, of(&|way| way.plan.bytes_for(need.purpose)))
            });
        let wider = (wider * large.directions(way.needs).len() as f64) as u64;
        RunVariant {
            execution: way.execution,
            needs: way.needs,
            plan,
            all_in_memory: of(&|way| way.all_in_memory) + wider,
            temporary_bytes: of(&|way| way.temporary_bytes),
            lists_bytes: of(&|way| way.lists_bytes) + wider,
        }
    });
    Ok(extended.collect())
}

impl BuildNeeds {
    fn of(size: &GraphSize, entries: u64, store: u64, machine: (u64, usize, &Bandwidths)) -> Self {
        let (memory, threads, disk) = machine;
        let temporary_bytes = BuildSize {
            edges: size.edges,
            vertices: Some(size.vertices),
            weight_bits: if size.weighted { WEIGHT_BITS } else { 0 },
            memory,
            ids: IdFiles::Ticked,
            ordered: true,
            durable: false,
        };
        let temporary_bytes = temporary_bytes.temporary_bytes();
        let (entry, more) = BUILD_SECONDS;
        let doublings = (entries as f64 / 4e6).log2().max(0.0);
        let computing = (entry + more * doublings) * entries as f64 * BUILD_THREADS;
        // With many threads, the half that is serial per direction remains.
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
