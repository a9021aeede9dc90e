//! Who gets which part of the memory (MultiLogVC section V, figure 4): sorting 75%, message logs 5%, the edge log 5%, lists and values on
//! disk the rest.

use super::batch::{Batch, KnownDegrees};
use super::demand::MessageDemand;
use super::engine::MessageOptions;
use super::edge_log::EdgeLog;
use super::mutations::ChangedGraph;
use super::program::Plain;
use super::thin::PageUse;
use outcrop_io::ValueFile;
use outcrop_store::layout::DegreeReader;
use outcrop_types::{BitSet, MemoryPlan, Purpose};

/// Parts in a hundred of an engine's memory.
const SORT: u64 = 75;
const LOGS: u64 = 5;
const EDGE_LOG: u64 = 5;
/// Of programs that write records down: taken from sorting.
const RECORDS: u64 = 5;
/// Of programs that change the graph: what is left to their changes, taken from sorting.
const CHANGES: u64 = 15;

/// The least of each, in bytes.
const LEAST_SORT: u64 = 1 << 20;
const LEAST_LOG: u64 = 512 << 10;
const LEAST_EDGE_LOG: u64 = 96 << 10;
const LEAST_LISTS: u64 = 512 << 10;

/// Vertices that are computed by one thread at a time.
pub(super) const BLOCK: u32 = 1 << 13;

/// Memory by what it is for, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shares {
    /// Messages that are grouped, in two halves: one is loaded while the other is computed.
    pub sort: u64,
    /// Pages of the message logs.
    pub log: u64,
    /// Pages of the log of records.
    pub records: u64,
    /// Lists that are to be logged or come from a log.
    pub edge_log: u64,
    /// Lists of the vertices that are computed together.
    pub lists: u64,
    /// Values on disk of the vertices that are computed together.
    pub values: u64,
}

impl Shares {
    /// Shares out `memory` bytes; no share is less than the least.
    pub(super) fn of(memory: u64, demand: &MessageDemand, options: &MessageOptions) -> Self {
        let part = |parts: u64, least: u64| (memory / 100 * parts).max(least);
        let records = if demand.records.1 > 0 { part(RECORDS, LEAST_LOG) } else { 0 };
        let edge_log = if options.edge_log { part(EDGE_LOG, LEAST_EDGE_LOG) } else { 0 };
        let log = part(LOGS, LEAST_LOG);
        let changes = if demand.changes { memory / 100 * CHANGES } else { 0 };
        let taken = memory / 100 * (100 - SORT - LOGS - EDGE_LOG);
        let values = if demand.on_disk { (taken / 3).max(u64::from(BLOCK) * demand.value_bytes) } else { 0 };
        let lists = taken.saturating_sub(values).max(LEAST_LISTS);
        let others = records + edge_log + log + changes + values + lists;
        Self { sort: memory.saturating_sub(others).max(LEAST_SORT), log, records, edge_log, lists, values }
    }

}

impl MessageDemand {
    /// Vertices of the graph, and spare ones.
    pub(super) const fn all_vertices(&self) -> u32 {
        self.vertices.saturating_add(self.spare_vertices)
    }

    /// What an engine reserves at the least, without lists and values. Long lists take more: [`MessageDemand::list_bytes`].
    pub fn least(&self) -> MemoryPlan {
        let shares = Shares::of(0, self, &MessageOptions::default());
        let changes = if self.changes { LEAST_LISTS } else { 0 };
        let buffers = shares.log + shares.records + shares.edge_log + shares.values + self.reader_bytes();
        MemoryPlan::new()
            .with(Purpose::Frontier, self.set_bytes())
            .with(Purpose::IoBuffers, buffers)
            .with(Purpose::SortSpace, shares.sort)
            .with(Purpose::HeldLists, shares.lists)
            .with(Purpose::Updates, changes)
    }

    /// Sets of vertices: those that are active now, in the next superstep and in the one before, those that are to be computed with their
    /// lists, and those of the edge log, one set in the making.
    pub(super) const fn set_bytes(&self) -> u64 {
        let vertices = self.all_vertices();
        let changed = if self.changes { ChangedGraph::least_bytes(vertices) } else { 0 };
        5 * BitSet::bytes(vertices) + EdgeLog::member_bytes(vertices) + changed
    }

    pub(super) const fn reader_bytes(&self) -> u64 {
        let fill = if self.on_disk { ValueFile::<u64>::FILL_BYTES / 8 * self.value_bytes } else { 0 };
        2 * DegreeReader::MEMORY_BYTES + KnownDegrees::BYTES + fill
    }

    /// Memory that the lists of one vertex with so many entries take: no batch is smaller.
    pub const fn list_bytes(&self, entries: u64) -> u64 {
        entries * if self.weighted { 8 } else { 4 } + Self::member_bytes()
    }

    /// Memory of a vertex whose lists are loaded, without their entries.
    pub(super) const fn member_bytes() -> u64 {
        Batch::MEMBER_BYTES + PageUse::MEMBER_BYTES
    }
}

/// Bytes of a value of `T`.
pub(super) const fn bytes_of<T: Plain>() -> u64 {
    size_of::<T>() as u64
}
