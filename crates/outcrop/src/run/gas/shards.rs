//! Shards of a run: those of the store if they fit, otherwise written from lists to a temporary file.

use crate::graph::Graph;
use crate::run::context::Reading;
use outcrop_gas::{Preparation, ShardExtent};
use outcrop_store::SlidingEntry;
use outcrop_store::access::{AccessFigures, Shards};
use outcrop_store::layout::sliding::{EncodedShard, PreparedShards, ShardSorter, StoredShards};
use outcrop_types::{MemoryBudget, Result, WeightType};

/// Source of the shards of a run.
#[derive(Clone, Copy, Debug)]
pub(super) enum ShardSource<'g> {
    /// Shards of the store.
    Stored(&'g SlidingEntry),
    /// Shards written before the run.
    Prepared(Expected),
}

/// Size of shards that are not written yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expected {
    /// Maximum number of arcs.
    pub(super) arcs: u64,
    pub(super) intervals: u32,
    pub(super) weights: Option<WeightType>,
}

impl Expected {
    /// Returns the minimum memory for collecting and sorting shards: a block of 16 times the mean size in an interval
    /// of 4 times the mean.
    pub(super) fn least_sorting(self, vertices: u32, slots: usize) -> u64 {
        let (all, intervals) = (u64::from(vertices), u64::from(self.intervals));
        let entries = (16 * self.arcs / (intervals * intervals) + 4096).min(self.arcs);
        let most = u32::try_from(4 * all / intervals + 64).map_or(vertices, |most| most.min(vertices));
        self.sorting(slots, most, entries)
    }

    /// Returns the maximum useful memory for collecting and sorting shards.
    pub(super) fn useful_sorting(self, vertices: u32, slots: usize) -> u64 {
        self.sorting(slots, vertices, self.arcs)
    }

    fn sorting(self, slots: usize, vertices: u32, entries: u64) -> u64 {
        let threads = slots as u64 * ShardSorter::bytes(self.intervals, 0, 0, self.weights);
        threads + Preparation::useful_memory(vertices, entries, self.intervals, self.weights)
    }
}

impl ShardSource<'_> {
    /// Returns the maximum number of arcs.
    pub(super) fn arcs(&self) -> u64 {
        match self {
            Self::Stored(entry) => entry.arcs,
            Self::Prepared(expected) => expected.arcs,
        }
    }

    /// Returns the maximum size of the shards in temporary files, in bytes.
    pub(super) fn prepared_bytes(&self) -> u64 {
        match self {
            Self::Stored(_) => 0,
            Self::Prepared(Expected { arcs, intervals, weights }) => {
                EncodedShard::most_bytes(*arcs, u64::from(*intervals).pow(2), *weights)
            }
        }
    }

    /// Returns the maximum memory for keeping all shards in memory, in bytes.
    pub(super) fn whole_bytes(&self) -> u64 {
        match self {
            Self::Stored(entry) => StoredShards::whole_bytes_of(entry),
            Self::Prepared(_) => self.prepared_bytes(),
        }
    }

    /// Returns the memory of open shards, in bytes.
    pub(super) fn bytes(&self) -> u64 {
        match self {
            Self::Stored(entry) => StoredShards::bytes(entry),
            Self::Prepared(expected) => PreparedShards::bytes(expected.intervals),
        }
    }

    /// Returns the sizes of their parts, as expected for shards not written yet.
    pub(super) fn extent(&self, graph: &Graph) -> ShardExtent {
        let vertices = graph.num_vertices();
        match self {
            Self::Prepared(Expected { arcs, intervals, .. }) => ShardExtent::expected(vertices, *intervals, *arcs),
            Self::Stored(entry) => ShardExtent {
                intervals: entry.intervals.into(),
                vertices: entry.most_vertices.into(),
                arcs: entry.most_block_arcs,
                reading: StoredShards::reading_bytes_of(entry, graph.store.manifest().graph.weighted),
            },
        }
    }
}

/// Open shards.
pub(super) struct OpenShards {
    pub(super) shards: Open,
    /// Figures of reading the lists for writing the shards.
    pub(super) figures: AccessFigures,
    /// Backend and page use of reading lists, or the shards of the store.
    pub(super) reading: Reading,
    /// Seconds of writing.
    pub(super) seconds: f64,
}

pub(super) enum Open {
    Stored(StoredShards),
    Prepared(PreparedShards),
}

impl OpenShards {
    /// Returns the number of bytes written.
    pub(super) fn written_bytes(&self) -> u64 {
        match &self.shards {
            Open::Stored(_) => 0,
            Open::Prepared(shards) => shards.written_bytes(),
        }
    }

    pub(super) fn arcs(&self) -> u64 {
        match &self.shards {
            Open::Stored(shards) => shards.total_arcs(),
            Open::Prepared(shards) => shards.total_arcs(),
        }
    }

    /// Keeps blocks in memory from now on, up to `bytes` or the size of all blocks.
    pub(super) fn keep_resident(&mut self, bytes: u64, budget: &MemoryBudget) -> Result<()> {
        match &mut self.shards {
            Open::Stored(shards) => shards.keep_resident(bytes.min(shards.whole_bytes()), budget),
            Open::Prepared(shards) => shards.keep_resident(bytes.min(shards.whole_bytes()), budget),
        }
    }

    pub(super) fn shards(&self) -> &dyn Shards {
        match &self.shards {
            Open::Stored(shards) => shards,
            Open::Prepared(shards) => shards,
        }
    }
}
