//! Writes one direction of the `chunked` layout, with lists in vertex order.

use super::chunk_packer::{ChunkPacker, longest_buffered};
use super::index_files::IndexFiles;
use crate::component::FileEntry;
use crate::layout::chunked::entry::ChunkedEntry;
use crate::layout::chunked::format::ListFormat;
use crate::layout::chunked::settings::{ChunkSettings, Placement};
use crate::layout::list_writer::{ListTarget, ListWriter};
use outcrop_types::{Direction, Result, VertexId, WeightType};

/// Writer of chunks and of the index.
pub(crate) struct ChunkedWriter {
    direction: Direction,
    settings: ChunkSettings,
    /// Weight type of weighted graphs.
    kind: Option<WeightType>,
    packer: ChunkPacker,
    index: IndexFiles,
    /// Current list, or its last part.
    ids: Vec<VertexId>,
    weights: Vec<f64>,
}

impl ChunkedWriter {
    /// Returns the memory of one writer, in bytes.
    pub(crate) fn memory(settings: &ChunkSettings, weights: Option<WeightType>) -> u64 {
        ChunkPacker::memory(settings, weights) + IndexFiles::MEMORY_BYTES
    }

    /// Creates the files of a graph with `vertices` vertices.
    ///
    /// # Errors
    /// Returns an error if the files cannot be created.
    pub(crate) fn create(
        target: &ListTarget<'_>,
        settings: &ChunkSettings,
        (vertices, kind): (u32, Option<WeightType>),
    ) -> Result<Self> {
        let format = ListFormat { codec: settings.codec, weights: kind, vertices };
        Ok(Self {
            direction: target.direction,
            kind,
            packer: ChunkPacker::create(target, settings, format)?,
            index: IndexFiles::create(target, settings, kind)?,
            settings: ChunkSettings { placement: Placement::Ascending, ..settings.clone() },
            ids: Vec::new(),
            weights: Vec::new(),
        })
    }
}

impl ListWriter for ChunkedWriter {
    type Entry = ChunkedEntry;

    #[inline]
    fn push(&mut self, vertex: VertexId, neighbor: VertexId, weight: f64) -> Result<()> {
        if self.ids.len() >= longest_buffered(self.kind.is_some()) {
            // The list is now known to continue.
            self.packer.begin_list(vertex, &mut self.ids, &mut self.weights)?;
        }
        self.ids.push(neighbor);
        if self.kind.is_some() {
            self.weights.push(weight);
        }
        Ok(())
    }

    /// Writes the list to the index if it is short, otherwise to a chunk.
    fn end_list(&mut self, vertex: VertexId, degree: u32) -> Result<()> {
        if degree <= self.settings.mini_degree {
            self.index.add_mini(&self.ids, &self.weights)?;
        } else {
            let placed = self.packer.end_list(vertex, &self.ids, &self.weights)?;
            self.index.add_located(degree, placed)?;
        }
        self.ids.clear();
        self.weights.clear();
        Ok(())
    }

    fn finish(self, _: u32, arcs: u64) -> Result<(ChunkedEntry, Vec<FileEntry>)> {
        let (levels, chunks) = self.packer.finish()?;
        let (mini_entries, located, mut files) = self.index.finish()?;
        files.extend(chunks);
        let Self { direction, settings, .. } = self;
        Ok((ChunkedEntry { direction, arcs, settings, levels, mini_entries, located }, files))
    }
}
