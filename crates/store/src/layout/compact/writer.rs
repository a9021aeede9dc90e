//! Writes one direction of the `compact` layout from arcs in order, in constant memory.

use super::directory::{REGION_VERTICES, RegionStart};
use super::format::{ListBytes, SEGMENT_ENTRIES, directory_name, index_name, shards_name};
use crate::codec::leb128;
use crate::component::FileEntry;
use crate::component::{ComponentWriter, StoreId};
use crate::layout::compact::entry::CompactEntry;
use crate::layout::paged_lists::BLOCK_VERTICES;
use outcrop_io::Storage;
use outcrop_types::{Cancellation, Direction, Error, Result, VertexId, WeightType, length_from};
use std::path::Path;

/// Interruption is looked for every so many vertices: a gap between two vertices with edges may be billions wide.
const CHECKED_VERTICES: u32 = 1 << 20;

/// Takes the arcs of one direction in ascending order of vertex and neighbour.
pub struct CompactWriter {
    direction: Direction,
    format: ListBytes,
    shards: ComponentWriter,
    index: ComponentWriter,
    directory: ComponentWriter,
    /// Position in both files.
    position: RegionStart,
    /// The segment that is being filled, and the bytes of one that is full.
    ids: Vec<VertexId>,
    weights: Vec<f64>,
    bytes: Vec<u8>,
    /// The vertex whose list is being written, how long that list is so far, and how many bytes the lists of its block have.
    vertex: VertexId,
    degree: u32,
    list_bytes: u64,
    block_bytes: u64,
    arcs: u64,
    cancellation: Cancellation,
}

impl CompactWriter {
    /// Memory of one writer, in bytes; a segment as bytes may be in a vector that grew by doubling.
    pub const fn memory(weights: Option<WeightType>) -> u64 {
        let entries = length_from(SEGMENT_ENTRIES) * if weights.is_some() { 12 } else { 4 };
        3 * ComponentWriter::MEMORY_BYTES + entries + 2 * length_from(ListBytes::longest_segment(weights))
    }

    /// Starts the files of `direction` in `folder`.
    ///
    /// # Errors
    /// The files cannot be created.
    pub fn create(
        storage: &dyn Storage,
        folder: &Path,
        id: StoreId,
        direction: Direction,
        format: ListBytes,
        cancellation: &Cancellation,
    ) -> Result<Self> {
        let create = |name: String| ComponentWriter::create(storage, folder, id, &name);
        Ok(Self {
            direction,
            format,
            shards: create(shards_name(direction))?,
            index: create(index_name(direction))?,
            directory: create(directory_name(direction))?,
            position: RegionStart::default(),
            ids: Vec::with_capacity(SEGMENT_ENTRIES),
            weights: Vec::with_capacity(if format.weights.is_some() { SEGMENT_ENTRIES } else { 0 }),
            bytes: Vec::new(),
            vertex: 0,
            degree: 0,
            list_bytes: 0,
            block_bytes: 0,
            arcs: 0,
            cancellation: cancellation.clone(),
        })
    }

    /// The next arc: `neighbour` in the list of `vertex`, which is not below the vertex before.
    ///
    /// # Errors
    /// The files cannot be written, a list has more than 2^32 - 1 entries, or 64 vertices have lists of 2^32 bytes together.
    #[inline]
    pub fn push(&mut self, vertex: VertexId, neighbour: VertexId, weight: f64) -> Result<()> {
        if vertex != self.vertex {
            self.advance_to(vertex)?;
        }
        self.degree = self.degree.checked_add(1).ok_or_else(|| too_dense(vertex))?;
        self.ids.push(neighbour);
        if self.format.weights.is_some() {
            self.weights.push(weight);
        }
        if self.ids.len() == SEGMENT_ENTRIES { self.end_segment() } else { Ok(()) }
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

    fn advance_to(&mut self, vertex: VertexId) -> Result<()> {
        while self.vertex < vertex {
            if self.vertex.is_multiple_of(REGION_VERTICES) {
                self.directory.write(bytemuck::bytes_of(&self.position))?;
            }
            self.end_list()?;
            self.vertex += 1;
            if self.vertex.is_multiple_of(CHECKED_VERTICES) {
                self.cancellation.check()?;
            }
        }
        Ok(())
    }

    /// Ends the list of the vertex under way and puts it into the index.
    fn end_list(&mut self) -> Result<()> {
        self.end_segment()?;
        if self.vertex.is_multiple_of(BLOCK_VERTICES) {
            self.block_bytes = 0;
        }
        self.block_bytes += self.list_bytes;
        if self.block_bytes > u64::from(u32::MAX) {
            return Err(too_dense(self.vertex));
        }
        self.bytes.clear();
        leb128::encode(self.degree, &mut self.bytes);
        if self.degree > 0 {
            leb128::encode(u32::try_from(self.list_bytes).unwrap_or(u32::MAX), &mut self.bytes);
        }
        self.index.write(&self.bytes)?;
        self.position.index += length_from(self.bytes.len());
        self.position.lists += self.list_bytes;
        self.arcs += u64::from(self.degree);
        (self.degree, self.list_bytes) = (0, 0);
        Ok(())
    }

    /// Ends the lists of all `vertices` and makes the files durable.
    ///
    /// # Errors
    /// The files cannot be written or synced.
    pub fn finish(mut self, vertices: u32) -> Result<(CompactEntry, [FileEntry; 3])> {
        self.advance_to(vertices)?;
        self.directory.write(bytemuck::bytes_of(&self.position))?;
        let entry = CompactEntry {
            direction: self.direction,
            arcs: self.arcs,
            codec: self.format.codec,
            list_bytes: self.position.lists,
            index_bytes: self.position.index,
        };
        Ok((entry, [self.shards.finish()?, self.index.finish()?, self.directory.finish()?]))
    }
}

#[cold]
fn too_dense(vertex: VertexId) -> Error {
    let first = vertex - vertex % BLOCK_VERTICES;
    Error::Usage(format!(
        "the lists of the 64 vertices from number {first} on take more than 4294967295 bytes together, which compact stores cannot hold; \
         use --layout chunked, or drop repeated edges with --dedup"
    ))
}
