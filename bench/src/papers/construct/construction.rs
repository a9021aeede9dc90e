//! Constructs the subgraphs of all intervals from lists or shards in memory.

use super::psw::SlidingShards;
use crate::opened::Opened;
use clap::ValueEnum;
use outcrop::{IoChoice, OpenOptions};
use outcrop_engine::IntervalLists;
use outcrop_io::Utilization;
use outcrop_store::Store;
use outcrop_store::access::Workers;
use outcrop_store::layout::compact::IndexResidence;
use outcrop_store::layout::{DegreeReader, ListOptions, StoredLists};
use outcrop_types::{Direction, Error, MemoryBudget, MemoryPlan, Purpose, Result, Stopwatch, VertexRange};
use serde::Serialize;
use std::hint::black_box;
use std::path::Path;

/// Method of constructing the subgraph of an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Construction {
    /// In-lists and out-lists: LOSC
    DualShards,
    /// Edges sorted by source: parallel sliding windows of GraphChi, the baseline
    SlidingWindows,
}

impl Construction {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::DualShards => "dual-shards",
            Self::SlidingWindows => "sliding-windows",
        }
    }
}

/// Method and amount of construction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConstructionRequest {
    pub(crate) from: Construction,
    /// Number of vertex intervals.
    pub(crate) intervals: u32,
    /// Number of constructions of all intervals; 0 prepares everything without constructing.
    pub(crate) rounds: u32,
}

/// Cost of the construction.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ConstructionRecord {
    /// Number of array entries per round.
    pub(crate) entries: u64,
    /// Seconds of each round, without reading from disk.
    pub(crate) seconds: Vec<f64>,
    pub(crate) threads: usize,
}

/// Constructs the in-edge and out-edge arrays of all vertices of the store in `folder`, interval by interval, from
/// memory.
///
/// # Errors
/// Returns an error if not all lists fit in memory, if the store is damaged, or on interruption.
pub(crate) fn construct(
    folder: &Path,
    options: &OpenOptions,
    request: ConstructionRequest,
) -> Result<ConstructionRecord> {
    let Opened { store, workers, budget, io } = Opened::open(folder, options)?;
    let (arrays, readers) = (array_bytes(&store, request.from), 2 * DegreeReader::MEMORY_BYTES);
    let plan = lists_memory(&store, &workers).with(Purpose::HeldLists, arrays);
    budget.require(&plan.with(Purpose::IoBuffers, readers))?;
    let _held = (budget.reserve(arrays, Purpose::HeldLists)?, budget.reserve(readers, Purpose::IoBuffers)?);
    let open = |direction| open_held(&store, direction, io, &budget, &workers);
    let lists = store.stored_directions().map(open).collect::<Result<Vec<_>>>()?;
    let (Some(out), Some(into)) = (lists.first(), lists.last()) else {
        return Err(Error::corrupt(store.folder(), "it has no lists"));
    };
    let degrees = |direction| DegreeReader::open(&store, direction, io, &budget);
    let degrees = (degrees(Direction::In)?, degrees(Direction::Out)?);
    Constructed { into, out, degrees, workers: &workers }.measure(request, store.manifest().graph.vertices)
}

/// Returns the memory for keeping all lists resident.
fn lists_memory(store: &Store, workers: &Workers) -> MemoryPlan {
    store.stored_directions().fold(MemoryPlan::new(), |plan, direction| {
        let memory = StoredLists::memory(store, direction, workers, IndexResidence::Resident);
        plan.and(&memory).with(Purpose::PageCache, held_bytes(store, direction))
    })
}

fn held_bytes(store: &Store, direction: Direction) -> u64 {
    StoredLists::cache_bytes_for_all(store, direction, Utilization::Ignored)
}

/// Returns the memory of the constructed arrays and of shards, in bytes.
fn array_bytes(store: &Store, from: Construction) -> u64 {
    let manifest = store.manifest();
    let entries = store.stored_directions().filter_map(|direction| manifest.arcs(direction)).sum();
    let arrays = 2 * IntervalLists::bytes(u64::from(manifest.graph.vertices), entries, false);
    match from {
        Construction::DualShards => arrays,
        Construction::SlidingWindows => arrays + SlidingShards::bytes(entries) * 3 / 2,
    }
}

/// Opens lists with a page cache for all of them.
pub(super) fn open_held(
    store: &Store,
    direction: Direction,
    io: IoChoice,
    budget: &MemoryBudget,
    workers: &Workers,
) -> Result<StoredLists> {
    let (cache_bytes, index) = (held_bytes(store, direction), IndexResidence::Resident);
    let options = ListOptions { cache_bytes, index, ..ListOptions::once(io) };
    StoredLists::open(store, direction, &options, budget, workers)
}

/// Inputs of all constructions.
struct Constructed<'c> {
    into: &'c StoredLists,
    out: &'c StoredLists,
    /// Degrees of in-lists and of out-lists.
    degrees: (DegreeReader, DegreeReader),
    workers: &'c Workers,
}

impl Constructed<'_> {
    fn measure(mut self, request: ConstructionRequest, vertices: u32) -> Result<ConstructionRecord> {
        let intervals = equal_intervals(vertices, request.intervals);
        // A first pass loads everything.
        let entries = |lists: [IntervalLists; 2]| lists.iter().map(|lists| lists.entries() as u64).sum::<u64>();
        let entries = intervals.iter().map(|interval| Ok(entries(self.take_dual_shards(*interval)?)));
        let entries = entries.sum::<Result<u64>>()?;
        let shards = match request.from {
            Construction::DualShards => None,
            Construction::SlidingWindows => Some(SlidingShards::new(self.into, &mut self.degrees.0, &intervals)?),
        };
        let seconds = (0..request.rounds).map(|_| self.round(&intervals, shards.as_ref())).collect::<Result<_>>()?;
        Ok(ConstructionRecord { entries, seconds, threads: self.workers.threads() })
    }

    /// Constructs every interval; returns the seconds taken.
    fn round(&mut self, intervals: &[VertexRange], shards: Option<&SlidingShards>) -> Result<f64> {
        let watch = Stopwatch::start();
        for (number, interval) in intervals.iter().enumerate() {
            match shards {
                None => drop(black_box(self.take_dual_shards(*interval)?)),
                Some(shards) => {
                    let (in_degrees, out_degrees) = &mut self.degrees;
                    drop(black_box(shards.construct(number, [in_degrees, out_degrees], self.workers)?));
                }
            }
        }
        Ok(watch.seconds())
    }

    fn take_dual_shards(&mut self, interval: VertexRange) -> Result<[IntervalLists; 2]> {
        let into = IntervalLists::construct(self.into, &mut self.degrees.0, interval, false, &|_| true)?;
        Ok([into, IntervalLists::construct(self.out, &mut self.degrees.1, interval, false, &|_| true)?])
    }
}

/// Splits the vertices into `count` intervals of about the same length.
fn equal_intervals(vertices: u32, count: u32) -> Vec<VertexRange> {
    let length = vertices.div_ceil(count.max(1)).max(1);
    let starts = (0..vertices).step_by(length as usize);
    starts.map(|start| VertexRange::new(start, start.saturating_add(length).min(vertices))).collect()
}
