//! Reads the degree and the byte length of each list.

use super::directory::{Directory, REGION_VERTICES, RegionStart, regions_of, vertices_of};
use super::format::index_name;
use crate::codec::leb128;
use crate::component::{Component, ComponentReader, units_for};
use crate::layout::compact::entry::CompactEntry;
use crate::layout::paged_lists::{BLOCK_VERTICES, Block, ListIndex, starts_from_lengths};
use crate::store::Store;
use outcrop_io::IoChoice;
use outcrop_types::{Cancellation, Error, Result, VertexId, VertexRange, index_from, length_from, number_from};
use std::path::Path;

/// Maximum size of a read of the index, in bytes.
const BUFFER_BYTES: usize = 256 << 10;
/// Maximum number of bytes per vertex in the index.
const LONGEST_ENTRY: u64 = 10;
/// Regions of the directory per read.
const READ_REGIONS: u32 = 256;

/// Size of a list, as stored in the index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ListSize {
    /// Number of entries.
    pub degree: u32,
    /// Number of bytes.
    pub bytes: u32,
}

/// Reader of ranges of the index of one direction.
pub(crate) struct IndexReader {
    index: ComponentReader,
    path: std::path::PathBuf,
    vertices: u32,
    bytes: Vec<u8>,
    directory: Directory,
}

impl IndexReader {
    /// Memory of a reader, without its directory, in bytes; the owner reserves it.
    pub(crate) const MEMORY_BYTES: u64 = Component::READER_BYTES + length_from(BUFFER_BYTES);

    /// Opens the index of the lists described by `entry`.
    ///
    /// # Errors
    /// Returns an error if a component is missing, or if its size does not match the entry.
    pub(crate) fn open(store: &Store, entry: &CompactEntry, io: IoChoice) -> Result<Self> {
        let component = store.component(&index_name(entry.direction), io)?;
        if component.units() != units_for(entry.index_bytes) {
            let message = format!("it has {} units, but {} bytes are listed", component.units(), entry.index_bytes);
            return Err(Error::corrupt(component.path(), message));
        }
        Ok(Self {
            index: component.reader()?,
            path: component.path().to_owned(),
            vertices: store.manifest().graph.vertices,
            bytes: Vec::new(),
            directory: Directory::open(store, entry, io)?,
        })
    }

    /// Returns the path of the index.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the directory of the same direction.
    pub(crate) const fn directory(&self) -> &Directory {
        &self.directory
    }

    /// Calls `take` with each vertex of consecutive regions from `first_region` on, and the size of its list. `starts`
    /// contains the start of each region and the end of the last.
    ///
    /// # Errors
    /// Returns an error if the index is damaged or cannot be read, or on interruption.
    pub(crate) fn for_each(
        &mut self,
        first_region: u32,
        starts: &[RegionStart],
        cancellation: &Cancellation,
        mut take: impl FnMut(VertexId, ListSize),
    ) -> Result<()> {
        let (mut region, mut starts) = (first_region, starts);
        while let [first, rest @ ..] = starts
            && !rest.is_empty()
        {
            cancellation.check()?;
            let fits = |start: &&RegionStart| start.index - first.index <= length_from(BUFFER_BYTES);
            let count = rest.iter().take_while(fits).count().max(1);
            let (here, next) = (&starts[..=count], &starts[count..]);
            self.read_regions(region, here, &mut take)?;
            region += number_from::<u32>(count);
            starts = next;
        }
        Ok(())
    }

    /// Reads the regions bounded by `starts`, which fit in the buffer.
    fn read_regions(
        &mut self,
        first_region: u32,
        starts: &[RegionStart],
        take: &mut impl FnMut(VertexId, ListSize),
    ) -> Result<()> {
        let (Some(first), Some(last)) = (starts.first(), starts.last()) else { return Ok(()) };
        let bytes = last.index - first.index;
        if bytes > length_from(BUFFER_BYTES).max(u64::from(REGION_VERTICES) * LONGEST_ENTRY) {
            return Err(damaged(&self.path, vertices_of(first_region..first_region + 1, self.vertices)));
        }
        self.bytes.resize(index_from(bytes), 0);
        self.index.read_at(first.index, &mut self.bytes)?;
        for (region, bounds) in (first_region..).zip(starts.windows(2)) {
            let [start, end] = bounds else { return Ok(()) };
            let bytes = index_from(start.index - first.index)..index_from(end.index - first.index);
            let vertices = vertices_of(region..region + 1, self.vertices);
            // Default: positions outside the file yield an empty region, which is rejected.
            let region = Region { bytes: self.bytes.get(bytes).unwrap_or_default(), vertices };
            region.decode(end.lists - start.lists, take).ok_or_else(|| damaged(&self.path, vertices))?;
        }
        Ok(())
    }

    /// Reads the directory entries of the regions of `range`, in batches, and calls `take` as
    /// [`IndexReader::for_each`] does.
    ///
    /// # Errors
    /// Returns an error if the directory or the index is damaged or cannot be read, or on interruption.
    pub(crate) fn for_each_in(
        &mut self,
        directory: &mut ComponentReader,
        range: VertexRange,
        cancellation: &Cancellation,
        mut take: impl FnMut(VertexId, ListSize),
    ) -> Result<()> {
        let regions = regions_of(range);
        let mut starts = Vec::new();
        for first in regions.clone().step_by(index_from(READ_REGIONS.into())) {
            let last = regions.end.min(first.saturating_add(READ_REGIONS));
            self.directory.read(directory, first..last, &mut starts)?;
            self.for_each(first, &starts, cancellation, &mut take)?;
        }
        Ok(())
    }

    /// Fills `index` with the vertices of some regions; it must have enough room.
    ///
    /// # Errors
    /// Returns the errors of [`IndexReader::for_each`], and an error if 64 lists have 2^32 bytes or more.
    pub(crate) fn fill(
        &mut self,
        first_region: u32,
        starts: &[RegionStart],
        index: &mut ListIndex,
        cancellation: &Cancellation,
    ) -> Result<()> {
        let count = number_from::<u32>(starts.len()).saturating_sub(1);
        let vertices = vertices_of(first_region..first_region + count, self.vertices);
        let mut filling = Filling::begin(index, vertices, starts.first().map_or(0, |start| start.lists));
        self.for_each(first_region, starts, cancellation, |vertex, size| filling.add(vertex, size))?;
        filling.end(&self.path).map(|_| ())
    }

    /// Fills `index` with all vertices; it must have enough room. Returns the total number of entries.
    ///
    /// # Errors
    /// Returns the errors of [`IndexReader::fill`] and of the directory.
    pub(crate) fn fill_all(
        &mut self,
        directory: &mut ComponentReader,
        index: &mut ListIndex,
        cancellation: &Cancellation,
    ) -> Result<u64> {
        let vertices = VertexRange::new(0, self.vertices);
        let mut filling = Filling::begin(index, vertices, 0);
        self.for_each_in(directory, vertices, cancellation, |vertex, size| filling.add(vertex, size))?;
        filling.end(&self.path)
    }
}

#[cold]
fn damaged(path: &Path, vertices: VertexRange) -> Error {
    let VertexRange { start, end } = vertices;
    Error::corrupt(path, format!("checksums are valid but the entries of vertices {start} to {end} are malformed"))
}

/// Index entries of the vertices of a region.
struct Region<'b> {
    bytes: &'b [u8],
    vertices: VertexRange,
}

impl Region<'_> {
    /// Calls `take` with all vertices; returns `None` if the bytes do not match the vertices exactly, or the total
    /// size of the lists is not `list_bytes`.
    fn decode(self, list_bytes: u64, take: &mut impl FnMut(VertexId, ListSize)) -> Option<()> {
        let (mut rest, mut lists) = (self.bytes, 0);
        for vertex in self.vertices.iter() {
            let degree = next(&mut rest)?;
            let bytes = if degree == 0 { 0 } else { next(&mut rest).filter(|bytes| *bytes > 0)? };
            lists += u64::from(bytes);
            take(vertex, ListSize { degree, bytes });
        }
        (rest.is_empty() && lists == list_bytes).then_some(())
    }
}

#[inline]
fn next(rest: &mut &[u8]) -> Option<u32> {
    // Most numbers are small.
    if let [small @ 0..0x80, later @ ..] = *rest {
        *rest = later;
        return Some(u32::from(*small));
    }
    let (number, taken) = leb128::decode_id(rest).ok()?;
    // The decoder may read zeros after the end.
    *rest = rest.get(taken..)?;
    Some(number)
}

/// Vertices of a block of a [`ListIndex`].
const BLOCK: usize = 64;
const _: () = assert!(length_from(BLOCK) == BLOCK_VERTICES as u64);

/// Index under construction, in blocks of 64 vertices.
struct Filling<'i> {
    index: &'i mut ListIndex,
    vertices: VertexRange,
    /// End of the lists so far, and number of their entries.
    list_end: u64,
    arcs: u64,
    lengths: [u32; BLOCK],
    fits: bool,
}

impl<'i> Filling<'i> {
    fn begin(index: &'i mut ListIndex, vertices: VertexRange, list_end: u64) -> Self {
        index.restart(vertices);
        Self { index, vertices, list_end, arcs: 0, lengths: [0; BLOCK], fits: true }
    }

    #[inline]
    fn add(&mut self, vertex: VertexId, size: ListSize) {
        let place = vertex % BLOCK_VERTICES;
        if let Some(length) = self.lengths.get_mut(index_from(place.into())) {
            *length = size.bytes;
        }
        self.arcs += u64::from(size.degree);
        if place + 1 == BLOCK_VERTICES {
            self.end_block(vertex);
        }
    }

    /// Completes the block of `vertex`. Lists after the last vertex of the graph are empty.
    fn end_block(&mut self, vertex: VertexId) {
        let total = starts_from_lengths(&mut self.lengths);
        self.fits &= total.is_some();
        let length = total.unwrap_or(0);
        if let Some((block, starts)) = self.index.block_mut(vertex) {
            *block = Block { start: self.list_end, length };
            starts.iter_mut().zip(self.lengths).for_each(|(slot, start)| *slot = start);
        }
        self.list_end += u64::from(length);
        self.lengths = [0; BLOCK];
    }

    /// Completes the index; returns the number of entries.
    fn end(mut self, path: &Path) -> Result<u64> {
        if !self.vertices.end.is_multiple_of(BLOCK_VERTICES) {
            self.end_block(self.vertices.end - 1);
        }
        match self.fits {
            true => Ok(self.arcs),
            false => Err(damaged(path, self.vertices)),
        }
    }
}
