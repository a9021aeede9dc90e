//! Writes one direction of the `compact` layout, in constant memory.

use super::directory::{REGION_VERTICES, RegionStart};
use super::format::{ListBytes, SEGMENT_ENTRIES, directory_name, index_name, shards_name};
use crate::codec::leb128;
use crate::component::{ComponentWriter, FileEntry};
use crate::layout::compact::entry::CompactEntry;
use crate::layout::list_writer::{ListTarget, ListWriter};
use crate::layout::paged_lists::BLOCK_VERTICES;
use outcrop_types::{Direction, Error, Result, VertexId, WeightType, length_from};

/// Writer of lists, their index, and its directory.
pub(crate) struct CompactWriter {
    direction: Direction,
    format: ListBytes,
    shards: ComponentWriter,
    index: ComponentWriter,
    directory: ComponentWriter,
    /// Position in the index and in the lists.
    position: RegionStart,
    /// Current segment, and encoded bytes of a full one.
    ids: Vec<VertexId>,
    weights: Vec<f64>,
    bytes: Vec<u8>,
    /// Bytes of the current list, and of the lists of its block.
    list_bytes: u64,
    block_bytes: u64,
}

impl CompactWriter {
    /// Returns the memory of one writer, in bytes; the vector of an encoded segment may have grown by doubling.
    pub(crate) const fn memory(weights: Option<WeightType>) -> u64 {
        let entries = length_from(SEGMENT_ENTRIES) * if weights.is_some() { 12 } else { 4 };
        3 * ComponentWriter::MEMORY_BYTES + entries + 2 * length_from(ListBytes::longest_segment(weights))
    }

    /// Creates the files.
    ///
    /// # Errors
    /// Returns an error if the files cannot be created.
    pub(crate) fn create(target: &ListTarget<'_>, format: ListBytes) -> Result<Self> {
        let direction = target.direction;
        Ok(Self {
            direction,
            format,
            shards: target.component(&shards_name(direction))?,
            index: target.component(&index_name(direction))?,
            directory: target.component(&directory_name(direction))?,
            position: RegionStart::default(),
            ids: Vec::with_capacity(SEGMENT_ENTRIES),
            weights: Vec::with_capacity(if format.weights.is_some() { SEGMENT_ENTRIES } else { 0 }),
            bytes: Vec::new(),
            list_bytes: 0,
            block_bytes: 0,
        })
    }

    fn end_segment(&mut self) -> Result<()> {
        if self.ids.is_empty() {
            return Ok(());
        }
        self.bytes.clear();
        self.format.encode_segment(&self.ids, &self.weights, &mut self.bytes);
        self.ids.clear();
        self.weights.clear();
        self.list_bytes += length_from(self.bytes.len());
        self.shards.write(&self.bytes)
    }
}

impl ListWriter for CompactWriter {
    type Entry = CompactEntry;

    #[inline]
    fn push(&mut self, _: VertexId, neighbor: VertexId, weight: f64) -> Result<()> {
        self.ids.push(neighbor);
        if self.format.weights.is_some() {
            self.weights.push(weight);
        }
        if self.ids.len() == SEGMENT_ENTRIES { self.end_segment() } else { Ok(()) }
    }

    /// Adds the list to the index.
    fn end_list(&mut self, vertex: VertexId, degree: u32) -> Result<()> {
        if vertex.is_multiple_of(REGION_VERTICES) {
            self.directory.write(bytemuck::bytes_of(&self.position))?;
        }
        self.end_segment()?;
        if vertex.is_multiple_of(BLOCK_VERTICES) {
            self.block_bytes = 0;
        }
        self.block_bytes += self.list_bytes;
        // The list is at most as long as its block.
        u32::try_from(self.block_bytes).map_err(|_| too_dense(vertex))?;
        let list_bytes = u32::try_from(self.list_bytes).map_err(|_| too_dense(vertex))?;
        self.bytes.clear();
        leb128::encode(u64::from(degree), &mut self.bytes);
        if degree > 0 {
            leb128::encode(u64::from(list_bytes), &mut self.bytes);
        }
        self.index.write(&self.bytes)?;
        self.position.index += length_from(self.bytes.len());
        self.position.lists += self.list_bytes;
        self.list_bytes = 0;
        Ok(())
    }

    fn finish(mut self, _: u32, arcs: u64) -> Result<(CompactEntry, Vec<FileEntry>)> {
        self.directory.write(bytemuck::bytes_of(&self.position))?;
        let entry = CompactEntry {
            direction: self.direction,
            arcs,
            codec: self.format.codec,
            list_bytes: self.position.lists,
            index_bytes: self.position.index,
        };
        Ok((entry, vec![self.shards.finish()?, self.index.finish()?, self.directory.finish()?]))
    }
}

#[cold]
fn too_dense(vertex: VertexId) -> Error {
    let first = vertex - vertex % BLOCK_VERTICES;
    Error::Usage(format!(
        "the lists of the 64 vertices from number {first} exceed 4294967295 bytes, the limit of the compact layout; use --layout chunked, or remove repeated edges with --dedup"
    ))
}
