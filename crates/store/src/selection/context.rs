//! Context and memory of writing a selection.

use super::collect::{Entries, MOST_ENTRIES};
use super::encoding::ListEncoding;
use super::format::{SelectionNote, most_taken};
use crate::component::ComponentWriter;
use crate::layout::compact::IndexResidence;
use crate::layout::{DegreeReader, StoredLists};
use crate::store::Store;
use crate::work_context::WorkContext;
use outcrop_io::Utilization;
use outcrop_types::{Direction, MemoryPlan, Purpose, VertexSet, VertexValues, length_from};
use std::sync::atomic::AtomicU32;

/// Minimum bytes of lists gathered at once, unless the longest list needs more.
const LEAST_GATHERED: u64 = 1 << 20;
/// Maximum bytes of an encoded list entry.
const MOST_ENTRY_BYTES: u64 = 16;

/// Number of degrees read at once, and their bytes.
pub(super) const DEGREES: u32 = 1 << 16;
const DEGREES_BYTES: u64 = 4 * DEGREES as u64;

/// Context of all steps of writing a selection.
pub(super) struct WriteContext<'w> {
    pub(super) store: &'w Store,
    pub(super) direction: Direction,
    pub(super) encoding: ListEncoding,
    pub(super) note: &'w SelectionNote,
    pub(super) work: WorkContext<'w>,
}

impl WriteContext<'_> {
    pub(super) fn vertices(&self) -> u32 {
        self.store.manifest().graph.vertices
    }

    pub(super) fn arcs(&self) -> u64 {
        self.store.manifest().arcs(self.direction).unwrap_or(0)
    }

    /// Returns the minimum memory for writing.
    pub(super) fn memory(&self, ranked: usize, most_bytes: u64) -> MemoryPlan {
        let lists = StoredLists::memory(self.store, self.direction, self.work.workers, IndexResidence::Resident);
        let slots = VertexValues::<AtomicU32>::bytes(u64::from(self.vertices()));
        let longest = MOST_ENTRY_BYTES * self.arcs().min(length_from(MOST_ENTRIES));
        let gathered = longest.max(LEAST_GATHERED);
        lists
            .with(Purpose::StaticCache, slots + self.table_bytes(ranked, most_bytes) + gathered)
            .with(Purpose::IoBuffers, self.buffer_bytes())
    }

    /// Returns the share of `rest` that caches pages between measuring lists and gathering them: both read most pages
    /// once, in the order of the file, so a cache that cannot hold all of them never holds the next one.
    pub(super) fn cache_bytes(&self, rest: u64) -> u64 {
        let all = StoredLists::cache_bytes_for_all(self.store, self.direction, Utilization::Ignored);
        if all <= rest / 2 { all } else { 0 }
    }

    /// Returns the memory of sets of vertices, and of the selected lists.
    pub(super) fn table_bytes(&self, ranked: usize, most_bytes: u64) -> u64 {
        2 * VertexSet::bytes(self.vertices()) + 8 * length_from(most_taken(ranked, most_bytes))
    }

    /// Returns the memory of incoming lists, the writer, and a reader.
    pub(super) fn buffer_bytes(&self) -> u64 {
        let entries = Entries::bytes(self.work.workers.slots(), self.arcs(), self.encoding.weights());
        entries + ComponentWriter::MEMORY_BYTES + DegreeReader::MEMORY_BYTES + DEGREES_BYTES
    }
}
