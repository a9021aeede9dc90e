//! Writes one direction of the `chunked` layout from arcs in order.

use super::index_files::IndexFiles;
use super::placer::{ListPlacer, longest_buffered};
use crate::component::FileEntry;
use crate::component::StoreId;
use crate::layout::chunked::entry::ChunkedEntry;
use crate::layout::chunked::format::ListFormat;
use crate::layout::chunked::settings::{ChunkSettings, Placement};
use outcrop_io::Storage;
use outcrop_types::{Cancellation, Direction, Error, Result, VertexId, WeightType};
use std::path::Path;

/// Interruption is looked for every so many vertices: a gap between two vertices with edges may be billions wide.
const CHECKED_VERTICES: u32 = 1 << 20;

/// Takes the arcs of one direction in ascending order of vertex and neighbour.
pub struct ChunkedWriter {
    direction: Direction,
    settings: ChunkSettings,
    /// The type of weights, if there are any.
    kind: Option<WeightType>,
    placer: ListPlacer,
    index: IndexFiles,
    /// The vertex whose list is being written, and how long that list is so far.
    vertex: VertexId,
    degree: u32,
    ids: Vec<VertexId>,
    weights: Vec<f64>,
    arcs: u64,
    cancellation: Cancellation,
}

impl ChunkedWriter {
    /// Memory of one writer, in bytes.
    pub fn memory(settings: &ChunkSettings, weights: Option<WeightType>) -> u64 {
        ListPlacer::memory(settings, weights) + IndexFiles::MEMORY_BYTES
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
        settings: &ChunkSettings,
        (vertices, kind): (u32, Option<WeightType>),
        cancellation: &Cancellation,
    ) -> Result<Self> {
        let format = ListFormat { codec: settings.codec, weights: kind, vertices };
        Ok(Self {
            direction,
            kind,
            placer: ListPlacer::create(storage, folder, id, direction, settings, format)?,
            index: IndexFiles::create(storage, folder, id, direction, settings, kind)?,
            settings: ChunkSettings { placement: Placement::Ascending, ..settings.clone() },
            vertex: 0,
            degree: 0,
            ids: Vec::new(),
            weights: Vec::new(),
            arcs: 0,
            cancellation: cancellation.clone(),
        })
    }

    /// The next arc: `neighbour` in the list of `vertex`, which is not below the vertex before.
    ///
    /// # Errors
    /// The files cannot be written, or a list has more than 2^32 - 1 entries.
    #[inline]
    pub fn push(&mut self, vertex: VertexId, neighbour: VertexId, weight: f64) -> Result<()> {
        if vertex != self.vertex {
            self.advance_to(vertex)?;
        } else if self.ids.len() >= longest_buffered(self.kind.is_some()) {
            // Only now is it known that this is not the end of the list.
            self.placer.begin_list(vertex, &mut self.ids, &mut self.weights)?;
        }
        self.degree = self.degree.checked_add(1).ok_or_else(|| too_long(vertex))?;
        self.ids.push(neighbour);
        if self.kind.is_some() {
            self.weights.push(weight);
        }
        Ok(())
    }

    fn advance_to(&mut self, vertex: VertexId) -> Result<()> {
        while self.vertex < vertex {
            self.end_list()?;
            self.vertex += 1;
            if self.vertex.is_multiple_of(CHECKED_VERTICES) {
                self.cancellation.check()?;
            }
        }
        Ok(())
    }

    /// Puts the list of the vertex under way where it belongs.
    fn end_list(&mut self) -> Result<()> {
        self.arcs += u64::from(self.degree);
        if self.degree <= self.settings.mini_degree {
            self.index.add_mini(&self.ids, &self.weights)?;
        } else {
            let spot = self.placer.end_list(self.vertex, &self.ids, &self.weights)?;
            self.index.add_located(self.degree, spot)?;
        }
        self.degree = 0;
        self.ids.clear();
        self.weights.clear();
        Ok(())
    }

    /// Ends the lists of all `vertices` and makes the files durable.
    ///
    /// # Errors
    /// The files cannot be written or synced.
    pub fn finish(mut self, vertices: u32) -> Result<(ChunkedEntry, Vec<FileEntry>)> {
        self.advance_to(vertices)?;
        let (levels, chunks) = self.placer.finish()?;
        let (mini_entries, located, mut files) = self.index.finish()?;
        files.extend(chunks);
        let entry = ChunkedEntry {
            direction: self.direction,
            arcs: self.arcs,
            settings: self.settings,
            levels,
            mini_entries,
            located,
        };
        Ok((entry, files))
    }
}

#[cold]
fn too_long(vertex: VertexId) -> Error {
    Error::Usage(format!("vertex number {vertex} has more than 4294967295 edges; drop repeated edges with --dedup"))
}
