//! Writes the index files, vertex by vertex.

use super::bins::PlacedList;
use crate::component::{ComponentWriter, FileEntry};
use crate::layout::chunked::format::{
    classes_name, entries_name, firsts_name, mini_weights_name, minis_name, places_name,
};
use crate::layout::chunked::index::ClassBlock;
use crate::layout::chunked::settings::{ChunkSettings, IndexKind};
use crate::layout::degrees_name;
use crate::layout::list_writer::ListTarget;
use outcrop_types::{Result, VertexId, WeightType, length_from, number_from};

/// Writer of the index files; receives each vertex once, in ascending order.
pub(crate) struct IndexFiles {
    degrees: ComponentWriter,
    classes: ComponentWriter,
    minis: ComponentWriter,
    mini_weights: Option<(WeightType, ComponentWriter)>,
    places: ComponentWriter,
    firsts: Option<ComponentWriter>,
    entries: Option<ComponentWriter>,
    vertex: VertexId,
    block: ClassBlock,
    mini_entries: u64,
    located: u32,
}

impl IndexFiles {
    /// Memory of the writers, in bytes.
    pub(crate) const MEMORY_BYTES: u64 = 6 * ComponentWriter::MEMORY_BYTES;

    /// Creates the files.
    ///
    /// # Errors
    /// Returns an error if the files cannot be created.
    pub(crate) fn create(
        target: &ListTarget<'_>,
        settings: &ChunkSettings,
        weights: Option<WeightType>,
    ) -> Result<Self> {
        let direction = target.direction;
        let create = |name: String| target.component(&name);
        let direct = settings.index == IndexKind::Direct;
        Ok(Self {
            degrees: create(degrees_name(direction))?,
            classes: create(classes_name(direction))?,
            minis: create(minis_name(direction))?,
            mini_weights: weights.map(|kind| Ok((kind, create(mini_weights_name(direction))?))).transpose()?,
            places: create(places_name(direction))?,
            firsts: (!direct).then(|| create(firsts_name(direction))).transpose()?,
            entries: direct.then(|| create(entries_name(direction))).transpose()?,
            vertex: 0,
            block: ClassBlock::default(),
            mini_entries: 0,
            located: 0,
        })
    }

    /// Adds the next vertex with at most two neighbors, stored in the index.
    ///
    /// # Errors
    /// Returns an error if the files cannot be written.
    pub(crate) fn add_mini(&mut self, ids: &[VertexId], weights: &[f64]) -> Result<()> {
        if !ids.is_empty() {
            self.block.set(self.vertex, ids.len());
            self.mini_entries += length_from(ids.len());
            self.minis.write(bytemuck::cast_slice(ids))?;
            if let Some((kind, file)) = &mut self.mini_weights {
                let mut bytes = Vec::with_capacity(2 * size_of::<f64>());
                kind.narrow(weights, &mut bytes);
                file.write(&bytes)?;
            }
        }
        self.end_vertex(number_from(ids.len()))
    }

    /// Adds the next vertex with a list of `degree` entries in a chunk.
    ///
    /// # Errors
    /// Returns an error if the files cannot be written.
    pub(crate) fn add_located(&mut self, degree: u32, PlacedList { spot, first }: PlacedList) -> Result<()> {
        self.block.set(self.vertex, ClassBlock::LOCATED);
        self.located += 1;
        self.places.write(&spot.kind.to_bits().to_le_bytes())?;
        self.firsts.as_mut().map_or(Ok(()), |file| file.write(&first.to_le_bytes()))?;
        self.entries.as_mut().map_or(Ok(()), |file| file.write(&spot.entry.to_le_bytes()))?;
        self.end_vertex(degree)
    }

    fn end_vertex(&mut self, degree: u32) -> Result<()> {
        self.degrees.write(&degree.to_le_bytes())?;
        self.vertex += 1;
        if self.vertex.is_multiple_of(ClassBlock::VERTICES) { self.end_block() } else { Ok(()) }
    }

    fn end_block(&mut self) -> Result<()> {
        self.classes.write(bytemuck::bytes_of(&self.block))?;
        self.block = ClassBlock::after(self.mini_entries, self.located);
        Ok(())
    }

    /// Completes the files. Returns the entries of mini vertices, the number of vertices with lists in chunks, and the
    /// files.
    ///
    /// # Errors
    /// Returns an error if the files cannot be written or synced.
    pub(crate) fn finish(mut self) -> Result<(u64, u32, Vec<FileEntry>)> {
        if !self.vertex.is_multiple_of(ClassBlock::VERTICES) {
            self.end_block()?;
        }
        let mut files = vec![self.degrees.finish()?, self.classes.finish()?, self.minis.finish()?];
        files.extend(self.mini_weights.map(|(_, file)| file.finish()).transpose()?);
        files.push(self.places.finish()?);
        files.extend(self.firsts.map(ComponentWriter::finish).transpose()?);
        files.extend(self.entries.map(ComponentWriter::finish).transpose()?);
        Ok((self.mini_entries, self.located, files))
    }
}
