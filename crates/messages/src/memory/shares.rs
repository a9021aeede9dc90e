//! Division of memory (MultiLogVC section V, figure 4): 75% for sorting, 5% for message logs, 5% for the edge log, the
//! rest for lists and values on disk.

use crate::lists::{BLOCK, Batch, ChangedGraph, EdgeLog, EdgeWords, KnownDegrees, PageUse};
use crate::log::PAGE_BYTES;
use crate::requirements::{MessageOptions, MessageRequirements};
use outcrop_io::ValueFile;
use outcrop_store::layout::DegreeReader;
use outcrop_types::{BitSet, MemoryPlan, Purpose};

/// Percentage of an engine's memory; the remainder, by default 75%, is for sorting.
const REST: u64 = 15;
const LOGS: u64 = 5;
const EDGE_LOG: u64 = 5;
/// Percentage for the record log of programs that write records, taken from sorting.
const RECORDS: u64 = 5;
/// Percentage for windows of edge words of programs that have some, taken from sorting.
const EDGE_WORDS: u64 = 10;
/// Percentage for graph changes of programs that change the graph, taken from sorting.
const CHANGES: u64 = 15;

/// Minimum of each share, in bytes.
pub(crate) const LEAST_SORT: u64 = 2 << 20;
const LEAST_LOG: u64 = 512 << 10;
const LEAST_EDGE_LOG: u64 = 96 << 10;
pub(crate) const LEAST_EDGE_WORDS: u64 = 128 << 10;
pub(crate) const LEAST_LISTS: u64 = 512 << 10;
pub(crate) const LEAST_NUMBERS: u64 = 64 << 10;
const LEAST_CHANGES: u64 = 512 << 10;

/// Number of vectors of values on disk: the program's values, and one derived from them.
const VECTORS: u64 = 2;

/// Memory by purpose, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shares {
    /// Grouped messages, in two halves: one is loaded while the other is computed.
    pub sort: u64,
    /// Pages of the message logs.
    pub log: u64,
    /// Pages of the record log.
    pub records: u64,
    /// Lists to append to the edge log or loaded from it.
    pub edge_log: u64,
    /// Windows of edge words.
    pub edge_words: u64,
    /// Lists of the vertices of a batch.
    pub lists: u64,
    /// Values on disk of the vertices of a group.
    pub values: u64,
    /// Reserved by logs for the numbers of pages on disk.
    pub numbers: u64,
    /// Graph changes.
    pub changes: u64,
}

impl Shares {
    /// Divides `memory` bytes, of which logs reserve `numbers` for pages on disk: each purpose gets its minimum and a
    /// part of the remainder.
    pub(crate) fn of(memory: u64, numbers: u64, requirements: &MessageRequirements, options: &MessageOptions) -> Self {
        let values = if requirements.on_disk { u64::from(BLOCK) * requirements.value_bytes } else { 0 };
        let least = Self {
            sort: LEAST_SORT,
            log: LEAST_LOG,
            records: if requirements.records.1 > 0 { LEAST_LOG } else { 0 },
            edge_log: if options.edge_log { LEAST_EDGE_LOG } else { 0 },
            edge_words: if requirements.edge_words > 0 { LEAST_EDGE_WORDS } else { 0 },
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
            edge_words: part(least.edge_words, EDGE_WORDS),
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
            edge_words: least.edge_words + more.edge_words,
            lists: least.lists + more.lists,
            values: least.values + more.values,
            numbers: least.numbers,
            changes: least.changes + more.changes,
        }
    }

    /// Returns the sum of all shares.
    const fn total(&self) -> u64 {
        let logs = self.log + self.records + self.edge_log + self.numbers;
        self.sort + logs + self.edge_words + self.lists + self.values + self.changes
    }
}

impl MessageRequirements {
    /// Returns the number of vertices, including spare ones.
    pub(crate) const fn all_vertices(&self) -> u32 {
        self.vertices.saturating_add(self.spare_vertices)
    }

    /// Returns the minimum memory of an engine with one log per interval, without lists and values. Long lists need
    /// more: [`MessageRequirements::least_for`].
    pub fn least(&self) -> MemoryPlan {
        let shares = Shares::of(0, 0, self, &MessageOptions::default());
        let logs = shares.log + shares.records + shares.edge_log + shares.numbers;
        let buffers = logs + shares.edge_words + shares.values + self.reader_bytes();
        MemoryPlan::new()
            .with(Purpose::Frontier, self.set_bytes())
            .with(Purpose::IoBuffers, buffers)
            .with(Purpose::SortSpace, shares.sort)
            .with(Purpose::HeldLists, shares.lists)
            .with(Purpose::Updates, shares.changes)
    }

    /// Returns the bytes of the vertex sets: active in this, the next and the previous superstep, requested lists, and
    /// the sets of the edge log, including one under construction.
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

    /// Returns the memory for finding and verifying the edge words in a graph with `arcs` list entries per direction.
    pub(crate) const fn edge_index_bytes(&self, arcs: u64) -> u64 {
        match self.edge_words {
            0 => 0,
            per_entry => EdgeWords::index_bytes(self.vertices, 2 * per_entry * arcs),
        }
    }

    /// Returns the memory for the lists of one vertex with `entries` entries: the minimum of a batch.
    pub const fn list_bytes(&self, entries: u64) -> u64 {
        entries * if self.weighted { 12 } else { 4 } + Self::member_bytes()
    }

    /// Returns the memory per vertex with loaded lists, without entries.
    pub(crate) const fn member_bytes() -> u64 {
        Batch::MEMBER_BYTES + PageUse::MEMBER_BYTES
    }
}

/// Returns the maximum number of pending messages in a graph with `arcs` list entries: the messages of a superstep and
/// of the previous one.
pub(crate) const fn messages_at_once(arcs: u64, requirements: &MessageRequirements) -> u64 {
    2 * requirements.messages_per_entry * requirements.along.lists(!requirements.directed).len() as u64 * arcs
}

/// Returns the memory for the numbers of their pages, in bytes.
pub(crate) const fn numbers_for(arcs: u64, requirements: &MessageRequirements) -> u64 {
    let pages = messages_at_once(arcs, requirements) * (requirements.message_bytes + 4) / PAGE_BYTES as u64;
    LEAST_NUMBERS + 6 * pages
}
