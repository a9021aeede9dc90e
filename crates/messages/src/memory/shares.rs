//! Shares of the memory (MultiLogVC section V, figure 4): sorting 75%, message logs 5%, the edge log 5%, lists and
//! values on disk the rest.

use crate::lists::{Batch, ChangedGraph, EdgeLog, KnownDegrees, PageUse};
use crate::log::PAGE_BYTES;
use crate::requirements::{MessageOptions, MessageRequirements};
use outcrop_io::ValueFile;
use outcrop_store::layout::DegreeReader;
use outcrop_types::{BitSet, MemoryPlan, Purpose};

/// Parts in a hundred of an engine's memory; the rest, 75 where nothing else is said, sorts.
const REST: u64 = 15;
const LOGS: u64 = 5;
const EDGE_LOG: u64 = 5;
/// Share of the record log in programs that write records, taken from sorting.
const RECORDS: u64 = 5;
/// Share of graph changes in programs that change the graph, taken from sorting.
const CHANGES: u64 = 15;

/// The least of each, in bytes.
pub(crate) const LEAST_SORT: u64 = 2 << 20;
const LEAST_LOG: u64 = 512 << 10;
const LEAST_EDGE_LOG: u64 = 96 << 10;
pub(crate) const LEAST_LISTS: u64 = 512 << 10;
pub(crate) const LEAST_NUMBERS: u64 = 64 << 10;
const LEAST_CHANGES: u64 = 512 << 10;

/// Vectors of values on disk: those of the program, and one that is made of them.
const VECTORS: u64 = 2;

/// Vertices that are computed by one thread at a time.
pub(crate) const BLOCK: u32 = 1 << 13;

/// Memory by what it is for, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shares {
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
    /// Memory that logs reserve as their pages go to disk: the places of these.
    pub numbers: u64,
    /// Memory that is left to changes of the graph.
    pub changes: u64,
}

impl Shares {
    /// Shares out `memory` bytes, of which logs take `numbers` as their pages go to disk: of each the least, and a part
    /// of what is left.
    pub(crate) fn of(memory: u64, numbers: u64, requirements: &MessageRequirements, options: &MessageOptions) -> Self {
        let values = if requirements.on_disk { u64::from(BLOCK) * requirements.value_bytes } else { 0 };
        let least = Self {
            sort: LEAST_SORT,
            log: LEAST_LOG,
            records: if requirements.records.1 > 0 { LEAST_LOG } else { 0 },
            edge_log: if options.edge_log { LEAST_EDGE_LOG } else { 0 },
            lists: LEAST_LISTS,
            values,
            numbers: numbers.max(LEAST_NUMBERS),
            changes: if requirements.changes { LEAST_CHANGES } else { 0 },
        };
        let left = memory.saturating_sub(least.total());
        let part = |least: u64, parts: u64| if least > 0 { left / 100 * parts } else { 0 };
        let values = part(values, REST / 3);
        let more = Self {
            log: part(least.log, LOGS),
            records: part(least.records, RECORDS),
            edge_log: part(least.edge_log, EDGE_LOG),
            lists: (left / 100 * REST) - values,
            values,
            numbers: 0,
            changes: part(least.changes, CHANGES),
            sort: 0,
        };
        Self {
            sort: least.sort + left - more.total(),
            log: least.log + more.log,
            records: least.records + more.records,
            edge_log: least.edge_log + more.edge_log,
            lists: least.lists + more.lists,
            values: least.values + more.values,
            numbers: least.numbers,
            changes: least.changes + more.changes,
        }
    }

    /// Returns the sum of all shares.
    const fn total(&self) -> u64 {
        let logs = self.log + self.records + self.edge_log + self.numbers;
        self.sort + logs + self.lists + self.values + self.changes
    }
}

impl MessageRequirements {
    /// Vertices of the graph, and spare ones.
    pub(crate) const fn all_vertices(&self) -> u32 {
        self.vertices.saturating_add(self.spare_vertices)
    }

    /// Least memory that an engine with a log for each interval reserves, without lists and values. Long lists take
    /// more: [`MessageRequirements::least_for`].
    pub fn least(&self) -> MemoryPlan {
        let shares = Shares::of(0, 0, self, &MessageOptions::default());
        let logs = shares.log + shares.records + shares.edge_log + shares.numbers;
        let buffers = logs + shares.values + self.reader_bytes();
        MemoryPlan::new()
            .with(Purpose::Frontier, self.set_bytes())
            .with(Purpose::IoBuffers, buffers)
            .with(Purpose::SortSpace, shares.sort)
            .with(Purpose::HeldLists, shares.lists)
            .with(Purpose::Updates, shares.changes)
    }

    /// Sets of vertices: those that are active now, in the next superstep and in the one before, those that are to be
    /// computed with their lists, and those of the edge log, one set in the making.
    pub(crate) const fn set_bytes(&self) -> u64 {
        let vertices = self.all_vertices();
        let changed = if self.changes { ChangedGraph::least_bytes(vertices) } else { 0 };
        5 * BitSet::bytes(vertices) + EdgeLog::member_bytes(vertices) + changed
    }

    pub(crate) const fn reader_bytes(&self) -> u64 {
        let checksums = ValueFile::<u64>::checksum_bytes(self.all_vertices() as u64 * self.value_bytes);
        let files = ValueFile::<u64>::FILL_BYTES / 8 * self.value_bytes + VECTORS * checksums;
        2 * DegreeReader::MEMORY_BYTES + KnownDegrees::BYTES + if self.on_disk { files } else { 0 }
    }

    /// Memory that the lists of one vertex with so many entries take: no batch is smaller.
    pub const fn list_bytes(&self, entries: u64) -> u64 {
        entries * if self.weighted { 12 } else { 4 } + Self::member_bytes()
    }

    /// Memory of a vertex whose lists are loaded, without their entries.
    pub(crate) const fn member_bytes() -> u64 {
        Batch::MEMBER_BYTES + PageUse::MEMBER_BYTES
    }
}

/// Messages that wait at the same time in a graph whose lists have so many entries: those of a superstep, and those of
/// the one before.
pub(crate) const fn messages_at_once(arcs: u64, requirements: &MessageRequirements) -> u64 {
    2 * requirements.along.lists(!requirements.directed).len() as u64 * arcs
}

/// Bytes that the numbers of their pages take.
pub(crate) const fn numbers_for(arcs: u64, requirements: &MessageRequirements) -> u64 {
    let pages = messages_at_once(arcs, requirements) * (requirements.message_bytes + 4) / PAGE_BYTES as u64;
    LEAST_NUMBERS + 6 * pages
}
