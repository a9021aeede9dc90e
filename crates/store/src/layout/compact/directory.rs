//! Positions of every 4096th vertex in the index and the lists: 16 bytes each.

use super::format::directory_name;
use crate::component::{Component, ComponentReader, units_for};
use crate::layout::compact::entry::CompactEntry;
use crate::store::Store;
use bytemuck::{Pod, Zeroable};
use outcrop_io::IoChoice;
use outcrop_types::{
    Cancellation, Error, MemoryBudget, Purpose, Result, VertexId, VertexRange, VertexValues, index_from, length_from,
};

/// Vertices per entry of the directory.
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

/// Returns the number of regions of `vertices` vertices.
pub(super) const fn regions(vertices: u32) -> u32 {
    vertices.div_ceil(REGION_VERTICES)
}

/// Returns the regions of the vertices in `range`.
pub(super) const fn regions_of(range: VertexRange) -> std::ops::Range<u32> {
    range.start / REGION_VERTICES..range.end.div_ceil(REGION_VERTICES)
}

/// Returns the memory of the whole directory, in bytes: one entry per region, and one for the end of the last region.
pub(super) const fn directory_bytes(vertices: u32) -> u64 {
    ENTRY_BYTES * (regions(vertices) as u64 + 1)
}

/// Returns the vertices of a range of regions.
pub(super) fn vertices_of(regions: std::ops::Range<u32>, vertices: u32) -> VertexRange {
    let first = |region: u32| u64::from(region) * u64::from(REGION_VERTICES);
    // Default: the last region may end after the last vertex.
    let vertex = |region: u32| VertexId::try_from(first(region)).unwrap_or(VertexId::MAX).min(vertices);
    VertexRange::new(vertex(regions.start), vertex(regions.end))
}

/// Directory of a direction: read in parts, or loaded into memory.
pub(crate) struct Directory {
    component: Component,
    vertices: u32,
    /// End of the last region.
    end: RegionStart,
}

impl Directory {
    /// Opens the directory of the lists described by `entry`.
    ///
    /// # Errors
    /// Returns an error if the component is missing or its size does not match the number of vertices.
    pub(crate) fn open(store: &Store, entry: &CompactEntry, io: IoChoice) -> Result<Self> {
        let component = store.component(&directory_name(entry.direction), io)?;
        let vertices = store.manifest().graph.vertices;
        if component.units() != units_for(directory_bytes(vertices)) {
            let message = format!("it has {} units, which does not match {vertices} vertices", component.units());
            return Err(Error::corrupt(component.path(), message));
        }
        Ok(Self { component, vertices, end: RegionStart { index: entry.index_bytes, lists: entry.list_bytes } })
    }

    /// Returns a reader of the directory.
    ///
    /// # Errors
    /// Returns an error if the device cannot provide a reader.
    pub(crate) fn reader(&self) -> Result<ComponentReader> {
        self.component.reader()
    }

    /// Replaces `into` with the starts of `regions` and the end of the last one.
    ///
    /// # Errors
    /// Returns an error if the directory is damaged or cannot be read.
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

    /// Loads the whole directory, reserved from the budget; the caller accounts for the buffers of the reader.
    ///
    /// # Errors
    /// Returns an error if the budget is too small, if the directory is damaged or cannot be read, or on interruption.
    pub(crate) fn load(&self, budget: &MemoryBudget, cancellation: &Cancellation) -> Result<VertexValues<RegionStart>> {
        let count = u64::from(regions(self.vertices)) + 1;
        let starts = self.component.values(count, budget, Purpose::Index, cancellation)?;
        self.check(0..regions(self.vertices), &starts)?;
        Ok(starts)
    }

    /// Checks that positions ascend from 0 to the end listed in the manifest.
    fn check(&self, regions: std::ops::Range<u32>, starts: &[RegionStart]) -> Result<()> {
        let ascending = starts.is_sorted_by(|a, b| a.index <= b.index && a.lists <= b.lists);
        let begins = regions.start > 0 || starts.first() == Some(&RegionStart::default());
        // Default: no regions, so no end after the files.
        let last = starts.last().copied().unwrap_or_default();
        let inside = last.index <= self.end.index && last.lists <= self.end.lists;
        let ends = regions.end < self::regions(self.vertices) || last == self.end;
        match ascending && begins && inside && ends {
            true => Ok(()),
            false => Err(Error::corrupt(self.component.path(), "its positions differ from those of the lists")),
        }
    }
}
