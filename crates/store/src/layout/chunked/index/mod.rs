//! Location of each vertex's list: in memory while a direction is open, reserved from the budget.

mod class_block;
mod compact;
mod direct;
mod load;
mod packed_numbers;
mod place;

use crate::access::StoredNeighbors;
use crate::layout::chunked::entry::ChunkedEntry;
use crate::layout::options::ListOptions;
use crate::store::Store;
use compact::CompactIndex;
use direct::DirectIndex;
use outcrop_types::{Cancellation, MemoryBudget, Result, VertexId, VertexRange, VertexValues, WeightType};

use super::settings::IndexKind;
use super::table::ChunkTable;
pub(super) use class_block::ClassBlock;
pub(super) use place::{First, Place};

/// Index of either kind.
#[derive(Debug)]
pub(super) enum ChunkIndex {
    /// About one byte per vertex.
    Compact(CompactIndex),
    /// 12 bytes per vertex.
    Direct(DirectIndex),
}

/// Returns the memory of the loaded index of `entry`, with the chunk table but without the neighbors of mini vertices.
pub fn index_bytes(entry: &ChunkedEntry, vertices: u32) -> u64 {
    let minis = entry.mini_entries.saturating_mul(4);
    let index = match entry.settings.index {
        IndexKind::Compact => CompactIndex::bytes(entry, vertices, None).saturating_sub(minis),
        IndexKind::Direct => DirectIndex::bytes(vertices),
    };
    index + 8 * u64::from(entry.chunks())
}

impl ChunkIndex {
    /// Returns the memory for loading the index of `entry`, in bytes.
    pub(super) fn bytes(entry: &ChunkedEntry, vertices: u32, weights: Option<WeightType>) -> u64 {
        let compact = CompactIndex::bytes(entry, vertices, weights) + ChunkTable::bytes(entry);
        match entry.settings.index {
            IndexKind::Compact => compact,
            IndexKind::Direct => {
                let entries = VertexValues::<u32>::bytes(u64::from(entry.located));
                compact + DirectIndex::bytes(vertices) + entries
            }
        }
    }

    /// Loads the index of a direction, or only the parts with the lists of the members in `options`.
    ///
    /// # Errors
    /// Returns an error if the budget is too small, or if the files are damaged or inconsistent.
    pub(super) fn load(
        store: &Store,
        entry: &ChunkedEntry,
        table: &ChunkTable,
        options: &ListOptions,
        budget: &MemoryBudget,
        cancellation: &Cancellation,
    ) -> Result<Self> {
        let loader = load::Loader { store, entry, io: options.io, budget, cancellation };
        match (entry.settings.index, &options.members) {
            (IndexKind::Compact, Some(members)) => Ok(Self::Compact(CompactIndex::load_of(&loader, table, members)?)),
            (IndexKind::Compact, None) => Ok(Self::Compact(CompactIndex::load(&loader, table)?)),
            (IndexKind::Direct, _) => {
                Ok(Self::Direct(DirectIndex::load(&loader, CompactIndex::load(&loader, table)?)?))
            }
        }
    }

    /// Returns the location of the list of `vertex`.
    #[inline]
    pub(super) fn place(&self, vertex: VertexId) -> Place<'_> {
        match self {
            Self::Compact(index) => index.place(vertex),
            Self::Direct(index) => index.place(vertex),
        }
    }

    /// Calls `take` with each vertex whose bit is set in `wanted`, of the 64 from `first` on, and the location of its
    /// list, in any order.
    #[inline]
    pub(super) fn for_each_place<'i>(
        &'i self,
        first: VertexId,
        wanted: u64,
        mut take: impl FnMut(VertexId, Place<'i>),
    ) {
        match self {
            Self::Compact(index) => index.for_each_place(first, wanted, take),
            Self::Direct(index) => {
                let vertices = (first..first.saturating_add(ClassBlock::VERTICES)).zip(0..);
                let wanted = vertices.filter(|(_, bit)| wanted >> bit & 1 != 0);
                wanted.for_each(|(vertex, _)| take(vertex, index.place(vertex)));
            }
        }
    }

    /// Returns the entry in the chunk's directory for the list of `vertex`, if the index contains it.
    #[inline]
    pub(super) fn entry(&self, vertex: VertexId) -> Option<usize> {
        match self {
            Self::Compact(_) => None,
            Self::Direct(index) => index.entry(vertex),
        }
    }

    /// Returns true if the index supports [`ChunkIndex::located`].
    pub(super) const fn counts_located(&self) -> bool {
        matches!(self, Self::Compact(_))
    }

    /// Returns the vertices with chunked lists among the 64 from `vertex` on as bits, and their number before; none if
    /// the index does not count them.
    #[inline]
    pub(super) fn located(&self, vertex: VertexId) -> (u64, u32) {
        match self {
            Self::Compact(index) => index.located(vertex),
            Self::Direct(_) => (0, 0),
        }
    }

    /// Calls `take` with the bit of each vertex of `wanted`, of the 64 from `vertex` on, and the known facts about its
    /// first neighbor; with none if the index does not count lists.
    #[inline]
    pub(super) fn for_each_first(&self, vertex: VertexId, wanted: u64, take: impl FnMut(u32, First)) {
        if let Self::Compact(index) = self {
            index.for_each_first(vertex, wanted, take);
        }
    }

    /// Calls `take` with each vertex of `range` without a chunked list, ascending, and its neighbors: the index's part
    /// of a sweep.
    #[inline]
    pub(super) fn for_each_outside_chunks<'i>(
        &'i self,
        range: VertexRange,
        mut take: impl FnMut(VertexId, StoredNeighbors<'i>),
    ) {
        let empty = StoredNeighbors::EMPTY;
        match self {
            Self::Compact(index) => index.for_each_outside_chunks(range, take),
            Self::Direct(index) => range.iter().for_each(|vertex| match index.place(vertex) {
                Place::Empty => take(vertex, empty),
                Place::Mini(neighbors) => take(vertex, neighbors),
                Place::Chunk(_) => {}
            }),
        }
    }
}
