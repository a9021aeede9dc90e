//! Memory of an engine.

use super::requirements::{GasOptions, GasRequirements, ShardKind};
use super::shards::{TABLE_BYTES, arrival_bytes, blocks, intervals_of};
use outcrop_store::access::Shards;
use outcrop_types::{BitSet, MemoryPlan, Purpose};

/// Number of vertex sets that exist at once.
const SETS: u64 = 9;

/// Maximum number of dynamic shard sets of programs with persistent edge values; then a shadow iteration writes them
/// back.
pub(crate) const MOST_SETS: usize = 4;

/// Maximum bytes of a vertex or an edge in a batch: its position, its new value, the content of its reverse edge, and
/// all of these in the arrays of the program.
const BATCH_BYTES: u64 = 96;

/// Sizes of the parts of a graph.
#[derive(Clone, Copy, Debug)]
pub struct ShardExtent {
    /// Number of intervals.
    pub intervals: u64,
    /// Number of vertices of the largest interval.
    pub vertices: u64,
    /// Number of arcs of the largest block.
    pub arcs: u64,
    /// Memory per thread for reading, in bytes.
    pub reading: u64,
}

impl ShardExtent {
    /// Returns the sizes of `shards`.
    pub fn of(shards: &dyn Shards) -> Self {
        let intervals = intervals_of(shards);
        let vertices = shards.bounds().windows(2).map(|range| u64::from(range[1] - range[0])).max().unwrap_or(0);
        let arcs = blocks(intervals).map(|block| shards.arcs(block)).max().unwrap_or(0);
        Self { intervals: intervals as u64, vertices, arcs, reading: shards.reading_bytes() }
    }

    /// Returns the maximum expected sizes: intervals up to four times, blocks up to sixteen times as large as the mean.
    pub fn expected(vertices: u32, intervals: u32, arcs: u64) -> Self {
        Self::times_the_mean(vertices, intervals, arcs, 4, 16)
    }

    /// Returns the sizes for evenly distributed arcs: up to twice as large as the mean.
    pub fn likely(vertices: u32, intervals: u32, arcs: u64) -> Self {
        Self::times_the_mean(vertices, intervals, arcs, 2, 2)
    }

    fn times_the_mean(vertices: u32, intervals: u32, arcs: u64, interval: u64, block: u64) -> Self {
        let (all, intervals) = (u64::from(vertices), u64::from(intervals.max(1)));
        let block = (block * arcs / (intervals * intervals) + 4096).min(arcs);
        let vertices = (interval * all / intervals + 64).min(all);
        Self { intervals, vertices, arcs: block, reading: 16 * block }
    }
}

/// Returns the minimum memory of an engine.
pub(super) fn least(
    requirements: &GasRequirements,
    options: &GasOptions,
    extent: ShardExtent,
    threads: usize,
) -> MemoryPlan {
    let threads = threads.max(1) as u64;
    let shards = options.shards.resolve(requirements);
    let tables = extent.intervals * extent.intervals * table_bytes(requirements, shards);
    let kept = match shards {
        ShardKind::Aggressive => u64::from(requirements.vertices) * requirements.change_bytes,
        _ => 0,
    };
    let space = extent.vertices * vertex_bytes(requirements)
        + extent.arcs * arc_bytes(requirements, shards)
        + requirements.batch.min(extent.vertices.max(extent.arcs)) * BATCH_BYTES
        + extent.reading;
    let plan = MemoryPlan::new()
        .with(Purpose::Frontier, SETS * BitSet::bytes(requirements.vertices))
        .with(Purpose::Index, tables)
        .with(Purpose::VertexValues, kept)
        .with(Purpose::IoBuffers, threads * space);
    match requirements.arrivals {
        0 => plan,
        count => plan.with(Purpose::InputBuffers, count.saturating_mul(arrival_bytes(requirements.edge_bytes))),
    }
}

/// Returns the bytes of tables per block.
const fn table_bytes(requirements: &GasRequirements, shards: ShardKind) -> u64 {
    let [whole, dynamic] = TABLE_BYTES;
    match (shards, requirements.keeps_edges) {
        (ShardKind::Static, _) => whole,
        (ShardKind::Aggressive, true) => whole + (MOST_SETS as u64 + 2) * dynamic,
        (ShardKind::EdgeList, _) => whole + whole + 2 * dynamic,
        _ => whole + 2 * dynamic,
    }
}

/// Returns the bytes of a workspace per vertex of an interval.
const fn vertex_bytes(requirements: &GasRequirements) -> u64 {
    let values = if requirements.on_disk { requirements.value_bytes } else { 0 };
    requirements.sum_bytes
        + requirements.change_bytes
        + values
        + 1
        + size_of::<usize>() as u64
        + 3 * (4 + requirements.change_bytes)
}

/// Returns the bytes of a workspace per arc of a block.
const fn arc_bytes(requirements: &GasRequirements, shards: ShardKind) -> u64 {
    let (ends, edge) = (if requirements.weighted { 16 } else { 8 }, requirements.edge_bytes);
    let opposite = if requirements.keeps_edges { ends + edge } else { 0 };
    opposite
        + match shards {
            ShardKind::Static => 2 * edge,
            // The edges of dynamic shards in stored and decoded form; their current, new and sparse values.
            ShardKind::Auto | ShardKind::Optimized => 2 * ends + 3 * edge,
            // The edges of two sets, because an iteration creates dynamic shards from others.
            ShardKind::Aggressive => 4 * ends + 3 * edge,
            // The same edges, and an update list in two forms.
            ShardKind::EdgeList => 2 * ends + 3 * edge + 8,
        }
}
