//! Writes one direction of the `chunked` layout from arcs in order.

use super::format::{ListFormat, classes_name, entries_name, mini_weights_name, minis_name, places_name};
use super::index::ClassBlock;
use super::settings::{ChunkSettings, IndexKind};
use super::shelf::{Shelf, Spot};
use crate::component::{ComponentWriter, StoreId};
use crate::layout::degrees_name;
use crate::manifest::{ChunkedEntry, FileEntry, LevelFigures};
use outcrop_io::Storage;
use outcrop_types::{Cancellation, Direction, Error, Result, VertexId, length_from};
use std::path::Path;

/// Interruption is looked for every so many vertices: a gap between two vertices with edges may be billions wide.
const CHECKED_VERTICES: u32 = 1 << 20;
/// A list of more entries than this is cut into parts before it is known how long it is.
const LONGEST_BUFFERED: usize = 1 << 19;
/// Parts of a list are cut at multiples of so many entries.
const PART_STEP: usize = 128;
/// With `straddle`: so many chunks are linked by lists that go on in the next, at most.
const LONGEST_CHAIN: u32 = 64;

/// Takes the arcs of one direction in ascending order of vertex and neighbour.
pub struct ChunkedWriter {
    direction: Direction,
    settings: ChunkSettings,
    format: ListFormat,
    shelf: Shelf,
    index: IndexFiles,
    /// The vertex whose list is being written, and how long that list is so far.
    vertex: VertexId,
    degree: u32,
    ids: Vec<VertexId>,
    weights: Vec<f32>,
    encoded: Vec<u8>,
    /// Where the list under way began, once a part of it is written.
    begun: Option<Spot>,
    /// Chunks that were linked one to the next so far.
    chain: u32,
    arcs: u64,
    figures: Vec<LevelFigures>,
    cancellation: Cancellation,
}

/// The files from which the index is loaded.
struct IndexFiles {
    degrees: ComponentWriter,
    classes: ComponentWriter,
    minis: ComponentWriter,
    mini_weights: Option<ComponentWriter>,
    places: ComponentWriter,
    entries: Option<ComponentWriter>,
    block: ClassBlock,
    mini_entries: u64,
    located: u32,
}

impl ChunkedWriter {
    /// Memory of one writer, in bytes.
    pub fn memory(settings: &ChunkSettings, weighted: bool) -> u64 {
        let list = length_from(LONGEST_BUFFERED) * if weighted { 8 } else { 4 };
        // The list, and the same once more encoded, at the worst a little longer.
        Shelf::memory(settings) + list * 9 / 4 + 6 * ComponentWriter::MEMORY_BYTES
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
        (vertices, weighted): (u32, bool),
        cancellation: &Cancellation,
    ) -> Result<Self> {
        settings.validate()?;
        let create = |name: String| ComponentWriter::create(storage, folder, id, &name);
        let format = ListFormat { codec: settings.codec, weighted, vertices };
        let direct = settings.index == IndexKind::Direct;
        Ok(Self {
            direction,
            format,
            shelf: Shelf::create(storage, folder, id, direction, settings, format)?,
            index: IndexFiles {
                degrees: create(degrees_name(direction))?,
                classes: create(classes_name(direction))?,
                minis: create(minis_name(direction))?,
                mini_weights: weighted.then(|| create(mini_weights_name(direction))).transpose()?,
                places: create(places_name(direction))?,
                entries: direct.then(|| create(entries_name(direction))).transpose()?,
                block: ClassBlock::default(),
                mini_entries: 0,
                located: 0,
            },
            figures: vec![LevelFigures::default(); settings.levels.len()],
            settings: settings.clone(),
            vertex: 0,
            degree: 0,
            ids: Vec::new(),
            weights: Vec::new(),
            encoded: Vec::new(),
            begun: None,
            chain: 0,
            arcs: 0,
            cancellation: cancellation.clone(),
        })
    }

    /// The next arc: `neighbour` in the list of `vertex`, which is not below the vertex before.
    ///
    /// # Errors
    /// The files cannot be written, or a list has more than 2^32 - 1 entries.
    #[inline]
    pub fn push(&mut self, vertex: VertexId, neighbour: VertexId, weight: f32) -> Result<()> {
        if vertex != self.vertex {
            self.advance_to(vertex)?;
        }
        self.degree = self.degree.checked_add(1).ok_or_else(|| too_long(vertex))?;
        self.ids.push(neighbour);
        if self.format.weighted {
            self.weights.push(weight);
        }
        if self.ids.len() >= LONGEST_BUFFERED { self.write_parts(false) } else { Ok(()) }
    }

    fn advance_to(&mut self, vertex: VertexId) -> Result<()> {
        while self.vertex < vertex {
            self.end_list()?;
            self.vertex += 1;
            if self.vertex.is_multiple_of(ClassBlock::VERTICES) {
                self.index.end_block()?;
            }
            if self.vertex.is_multiple_of(CHECKED_VERTICES) {
                self.cancellation.check()?;
            }
        }
        Ok(())
    }

    /// Puts the list of the vertex under way where it belongs.
    fn end_list(&mut self) -> Result<()> {
        self.index.degrees.write(&self.degree.to_le_bytes())?;
        self.arcs += u64::from(self.degree);
        if self.degree > 0 {
            if self.degree <= self.settings.mini_degree {
                self.index.add_mini(self.vertex, &self.ids, &self.weights)?;
            } else {
                let spot = self.place_list()?;
                self.index.add_located(self.vertex, spot)?;
            }
        }
        self.degree = 0;
        self.ids.clear();
        self.weights.clear();
        Ok(())
    }

    fn place_list(&mut self) -> Result<Spot> {
        if self.begun.is_some() || self.settings.straddle {
            self.write_parts(true)?;
        } else {
            self.encoded.clear();
            self.format.encode(&self.ids, &self.weights, &mut self.encoded);
            match self.settings.level_of(self.encoded.len()) {
                Some(level) => {
                    let spot = self.shelf.put(level, self.vertex, &self.encoded)?;
                    self.count(spot, self.ids.len());
                    return Ok(spot);
                }
                None => self.write_parts(true)?,
            }
        }
        self.begun.take().ok_or_else(|| Error::Usage("a list was written nowhere".to_owned()))
    }

    fn count(&mut self, spot: Spot, entries: usize) {
        if let Some(figures) = self.figures.get_mut(usize::from(spot.kind.level)) {
            figures.lists += u64::from(self.begun.is_none());
            figures.arcs += length_from(entries);
        }
    }

    /// Writes what is there of the list in parts: into the largest chunks, or with `straddle` into the smallest. `ended` says that
    /// the list is whole; otherwise some of it is kept, so that there is a last part, and no chunk is begun for the little that one
    /// more chunk would take.
    fn write_parts(&mut self, ended: bool) -> Result<()> {
        let level = if self.settings.straddle { 0 } else { self.settings.levels.len().saturating_sub(1) };
        let (mut ids, mut weights) = (std::mem::take(&mut self.ids), std::mem::take(&mut self.weights));
        let end = if ended { ids.len() } else { ids.len().saturating_sub(1) };
        let mut from = 0;
        while from < end && (ended || from < ids.len() / 2) {
            let format = self.format;
            let (rest, rest_weights) =
                (ids.get(from..end).unwrap_or_default(), weights.get(from..).unwrap_or_default());
            let carried = self.begun.is_some();
            let fits_whole = |room: usize| ended && format.encoded_len(rest) <= room;
            let fresh = !carried && (!self.settings.straddle || self.chain >= LONGEST_CHAIN);
            let mut taken = 0;
            let spot = self.shelf.put_part(level, self.vertex, carried, fresh || carried, |room| {
                taken = if fits_whole(room) { rest.len() } else { longest_prefix(format, rest, room) };
                let mut part = Vec::new();
                let weights = rest_weights.get(..taken).unwrap_or_default();
                format.encode(rest.get(..taken).unwrap_or_default(), weights, &mut part);
                (part, taken < rest.len() || !ended)
            })?;
            self.chain = if fresh { 0 } else { self.chain } + u32::from(taken < rest.len() || !ended);
            self.count(spot, taken);
            self.begun.get_or_insert(spot);
            from += taken;
        }
        ids.drain(..from);
        weights.drain(..from.min(weights.len()));
        (self.ids, self.weights) = (ids, weights);
        Ok(())
    }

    /// Ends the lists of all `vertices` and makes the files durable.
    ///
    /// # Errors
    /// The files cannot be written or synced.
    pub fn finish(mut self, vertices: u32) -> Result<(ChunkedEntry, Vec<FileEntry>)> {
        self.advance_to(vertices)?;
        if !vertices.is_multiple_of(ClassBlock::VERTICES) {
            self.index.end_block()?;
        }
        let (levels, [chunks, table]) = self.shelf.finish()?;
        for (figures, (count, white_space)) in self.figures.iter_mut().zip(levels) {
            figures.chunks = u64::from(count);
            figures.white_space = white_space;
        }
        let entry = ChunkedEntry {
            direction: self.direction,
            arcs: self.arcs,
            settings: self.settings,
            levels: self.figures,
            mini_entries: self.index.mini_entries,
            located: self.index.located,
        };
        Ok((entry, self.index.finish([chunks, table])?))
    }
}

/// The most entries at the front of `ids` whose encoding takes at most `room` bytes: whole steps of 128, but at least one entry.
fn longest_prefix(format: ListFormat, ids: &[VertexId], room: usize) -> usize {
    let steps = ids.len() / PART_STEP;
    let fits = |entries: usize| format.encoded_len(ids.get(..entries).unwrap_or_default()) <= room;
    let (mut low, mut high) = (0, steps);
    while low < high {
        let middle = (low + high).div_ceil(2);
        if fits(middle * PART_STEP) { low = middle } else { high = middle - 1 }
    }
    let whole = low * PART_STEP;
    let finer = (whole + 1..whole + PART_STEP).take_while(|entries| *entries <= ids.len() && fits(*entries)).last();
    finer.unwrap_or(whole).max(1)
}

impl IndexFiles {
    fn add_mini(&mut self, vertex: VertexId, ids: &[VertexId], weights: &[f32]) -> Result<()> {
        self.block.set(vertex, ids.len());
        self.mini_entries += length_from(ids.len());
        self.minis.write(bytemuck::cast_slice(ids))?;
        self.mini_weights.as_mut().map_or(Ok(()), |file| file.write(bytemuck::cast_slice(weights)))
    }

    fn add_located(&mut self, vertex: VertexId, spot: Spot) -> Result<()> {
        self.block.set(vertex, ClassBlock::LOCATED);
        self.located += 1;
        self.places.write(&spot.kind.to_bits().to_le_bytes())?;
        self.entries.as_mut().map_or(Ok(()), |file| file.write(&spot.entry.to_le_bytes()))
    }

    fn end_block(&mut self) -> Result<()> {
        self.classes.write(bytemuck::bytes_of(&self.block))?;
        self.block = ClassBlock::after(self.mini_entries, self.located);
        Ok(())
    }

    fn finish(self, chunks: [FileEntry; 2]) -> Result<Vec<FileEntry>> {
        let mut files = vec![self.degrees.finish()?, self.classes.finish()?, self.minis.finish()?];
        files.extend(self.mini_weights.map(ComponentWriter::finish).transpose()?);
        files.push(self.places.finish()?);
        files.extend(self.entries.map(ComponentWriter::finish).transpose()?);
        files.extend(chunks);
        Ok(files)
    }
}

#[cold]
fn too_long(vertex: VertexId) -> Error {
    Error::Usage(format!("vertex number {vertex} has more than 4294967295 edges; drop repeated edges with --dedup"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::Codec;

    #[test]
    fn the_longest_prefix_fits_and_one_more_entry_does_not() {
        for (codec, weighted) in [(Codec::Packed, false), (Codec::Packed, true), (Codec::Raw32, false)] {
            let format = ListFormat { codec, weighted, vertices: u32::MAX };
            for step in [0, 1, 1000, 1 << 20] {
                let ids: Vec<u32> = (0..1000).map(|i| i * step).collect();
                for room in [24, 64, 100, 517, 1000, 2500] {
                    let taken = longest_prefix(format, &ids, room);
                    assert!(format.encoded_len(&ids[..taken]) <= room, "{codec:?} {step} {room}");
                    // A tail may be longer than a whole block: only where no block is in reach is the next entry too much.
                    let more = ids.get(..taken + 1).is_some_and(|ids| format.encoded_len(ids) <= room);
                    assert!(!more || taken == ids.len(), "{codec:?} {step} {room}: {taken}");
                }
            }
        }
        let format = ListFormat { codec: Codec::Raw32, weighted: false, vertices: 10 };
        assert_eq!(longest_prefix(format, &[1, 2, 3], 0), 1);
    }
}
