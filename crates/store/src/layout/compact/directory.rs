//! Places of every 4096th vertex in the index and the lists: 16 bytes each.

use super::format::directory_name;
use crate::component::{Component, ComponentReader, units_for};
use crate::layout::compact::entry::CompactEntry;
use crate::store::Store;
use bytemuck::{Pod, Zeroable};
use outcrop_io::IoChoice;
use outcrop_types::{
    Cancellation, Error, MemoryBudget, Purpose, Result, VertexId, VertexRange, VertexValues, index_from, length_from,
};

/// Vertices of one entry of the directory.
pub(super) const REGION_VERTICES: u32 = 1 << 12;

/// Start of a region in both files, in bytes of payload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct RegionStart {
    /// Position in the index.
    pub index: u64,
    /// Position among the lists.
    pub lists: u64,
}

/// Bytes of an entry of the directory.
const ENTRY_BYTES: u64 = length_from(size_of::<RegionStart>());

/// Number of regions of so many vertices.
pub(super) const fn regions(vertices: u32) -> u32 {
    vertices.div_ceil(REGION_VERTICES)
}

/// The regions that the vertices of `range` are in.
pub(super) const fn regions_of(range: VertexRange) -> std::ops::Range<u32> {
    range.start / REGION_VERTICES..range.end.div_ceil(REGION_VERTICES)
}

/// Memory of the whole directory, in bytes: an entry a region, and one that says where the last ends.
pub(super) const fn directory_bytes(vertices: u32) -> u64 {
    ENTRY_BYTES * (regions(vertices) as u64 + 1)
}

/// The vertices of a run of regions.
pub(super) fn vertices_of(regions: std::ops::Range<u32>, vertices: u32) -> VertexRange {
    let first = |region: u32| u64::from(region) * u64::from(REGION_VERTICES);
    // Default: the last region may end behind all vertices.
    let vertex = |region: u32| VertexId::try_from(first(region)).unwrap_or(VertexId::MAX).min(vertices);
    VertexRange::new(vertex(regions.start), vertex(regions.end))
}

/// The directory of a direction: one read at a time, or all of it in memory.
pub(crate) struct Directory {
    component: Component,
    vertices: u32,
    /// End of the last region.
    end: RegionStart,
}

impl Directory {
    /// Opens the directory of the lists that `entry` describes.
    ///
    /// # Errors
    /// The component is missing, or has not as many units as the vertices need.
    pub(crate) fn open(store: &Store, entry: &CompactEntry, io: IoChoice) -> Result<Self> {
        let component = store.component(&directory_name(entry.direction), io)?;
        let vertices = store.manifest().graph.vertices;
        if component.units() != units_for(directory_bytes(vertices)) {
            let message = format!("it has {} units, too many for {vertices} vertices", component.units());
            return Err(Error::corrupt(component.path(), message));
        }
        Ok(Self { component, vertices, end: RegionStart { index: entry.index_bytes, lists: entry.list_bytes } })
    }

    /// A reader of it.
    ///
    /// # Errors
    /// The device has no reader to give.
    pub(crate) fn reader(&self) -> Result<ComponentReader> {
        self.component.reader()
    }

    /// Replaces `into` by the starts of `regions`, and the end of the last.
    ///
    /// # Errors
    /// The directory is damaged or cannot be read.
    pub(crate) fn read(
        &self,
        reader: &mut ComponentReader,
        regions: std::ops::Range<u32>,
        into: &mut Vec<RegionStart>,
    ) -> Result<()> {
        into.clear();
        into.resize(index_from(u64::from(regions.end - regions.start) + 1), RegionStart::default());
        reader.read_at(u64::from(regions.start) * ENTRY_BYTES, bytemuck::cast_slice_mut(into))?;
        self.check(regions, into)
    }

    /// Loads the whole directory, reserved from the budget; the caller pays for the reader's buffers.
    ///
    /// # Errors
    /// The budget is too small; the directory is damaged or cannot be read; interruption.
    pub(crate) fn load(&self, budget: &MemoryBudget, cancellation: &Cancellation) -> Result<VertexValues<RegionStart>> {
        let count = u64::from(regions(self.vertices)) + 1;
        let starts = self.component.values(count, budget, Purpose::Index, cancellation)?;
        self.check(0..regions(self.vertices), &starts)?;
        Ok(starts)
    }

    /// Positions ascend from 0 to the end that the manifest lists.
    fn check(&self, regions: std::ops::Range<u32>, starts: &[RegionStart]) -> Result<()> {
        let ascending = starts.is_sorted_by(|a, b| a.index <= b.index && a.lists <= b.lists);
        let begins = regions.start > 0 || starts.first() == Some(&RegionStart::default());
        // Default: of no regions, none ends behind the files.
        let last = starts.last().copied().unwrap_or_default();
        let inside = last.index <= self.end.index && last.lists <= self.end.lists;
        let ends = regions.end < self::regions(self.vertices) || last == self.end;
        match ascending && begins && inside && ends {
            true => Ok(()),
            false => Err(Error::corrupt(self.component.path(), "its positions differ from those of the lists")),
        }
    }
}
