//! Open chunks of a direction, and their output file.
//!
//! Combination (ChunkGraph, section 3.3): a list goes to the first open chunk of its level with room. The remaining
//! space of a full chunk of a larger level is filled with lists of the level below.

use crate::component::{ComponentWriter, FileEntry, UnitSeal};
use crate::layout::chunked::format::{ChunkDraft, ChunkKind, ListFormat, MAX_ORDINAL, chunks_name, table_name};
use crate::layout::chunked::settings::{ChunkSettings, MAX_LEVELS};
use crate::layout::list_writer::ListTarget;
use outcrop_io::SequentialFile;
use outcrop_types::{Error, Result, VertexId, length_from, number_from};
use std::collections::VecDeque;
use xxhash_rust::xxh3::Xxh3;

/// Open chunks per level; further levels have as many as the last.
const OPEN_CHUNKS: [usize; 4] = [8, 8, 4, 1];
/// Full chunks per level that still accept lists of the level below.
const WAITING_CHUNKS: usize = 1;
/// A chunk with less room than this is complete.
const LEAST_ROOM: usize = 64;

/// Number of chunks of a level, and their unused bytes.
pub(super) type ChunksAndSpace = (u32, u64);

/// Location of a list.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spot {
    /// Chunk; whether it continues is not known yet.
    pub kind: ChunkKind,
    /// Number of lists before this one in the chunk.
    pub entry: u32,
}

/// Location and first neighbor of a list.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PlacedList {
    /// Location.
    pub spot: Spot,
    /// First neighbor.
    pub first: VertexId,
}

/// Open chunks: the bins for packing lists.
pub(crate) struct Bins {
    settings: ChunkSettings,
    format: ListFormat,
    levels: Vec<OpenLevel>,
    file: ChunkFile,
}

#[derive(Default)]
struct OpenLevel {
    open: VecDeque<OpenChunk>,
    /// Full chunks that still accept lists of the level below.
    waiting: VecDeque<OpenChunk>,
    begun: u32,
}

struct OpenChunk {
    draft: ChunkDraft,
    ordinal: u32,
}

impl Bins {
    /// Returns the memory for the chunks of one direction, in bytes.
    pub(super) fn memory(settings: &ChunkSettings) -> u64 {
        let level = |level: usize| {
            let chunks = if settings.combine { open_chunks(level) + WAITING_CHUNKS } else { 1 };
            let bytes = length_from(settings.chunk_bytes(level)) * length_from(chunks);
            // Each list takes 24 bytes of metadata: more than the shortest lists themselves.
            if level == 0 { 4 * bytes } else { bytes * 5 / 4 }
        };
        let all: u64 = (0..settings.levels.len()).map(level).sum();
        all + length_from(settings.largest_chunk() + BATCH_BYTES) + ComponentWriter::MEMORY_BYTES
    }

    /// Creates the chunk file.
    ///
    /// # Errors
    /// Returns an error if the files cannot be created.
    pub(crate) fn create(target: &ListTarget<'_>, settings: &ChunkSettings, format: ListFormat) -> Result<Self> {
        let levels = settings.levels.iter().map(|_| OpenLevel::default()).collect();
        let file = ChunkFile::create(target)?;
        Ok(Self { settings: settings.clone(), format, levels, file })
    }

    /// Places a list of `level` in a chunk.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written, or exceeds the maximum size of the format.
    pub(super) fn put(&mut self, level: usize, vertex: VertexId, list: &[u8]) -> Result<Spot> {
        if self.settings.combine
            && let Some(spot) = self.put_with_others(level, vertex, list)
        {
            return Ok(spot);
        }
        let fits =
            self.levels.get(level).and_then(|level| level.open.back()).is_some_and(|c| c.draft.room() >= list.len());
        if !fits {
            self.begin(level)?;
        }
        Ok(self.put_last(level, vertex, list))
    }

    /// Places a list in a chunk of the level with enough room, or in the remaining space of a larger chunk.
    fn put_with_others(&mut self, level: usize, vertex: VertexId, list: &[u8]) -> Option<Spot> {
        let format = self.format;
        let of_level = self.levels.get_mut(level)?.open.iter_mut().find(|chunk| chunk.draft.room() >= list.len());
        if let Some(chunk) = of_level {
            return Some(chunk.put(level, vertex, list, format));
        }
        let above = self.levels.get_mut(level + 1)?.waiting.iter_mut().find(|chunk| chunk.draft.room() >= list.len());
        above.map(|chunk| chunk.put(level + 1, vertex, list, format))
    }

    /// Places a list in the newest chunk of the level, which has room.
    fn put_last(&mut self, level: usize, vertex: VertexId, list: &[u8]) -> Spot {
        let format = self.format;
        let last = self.levels.get_mut(level).and_then(|level| level.open.back_mut());
        let nowhere = Spot { kind: ChunkKind { level: 0, continues: false, ordinal: 0 }, entry: 0 };
        last.map_or(nowhere, |chunk| chunk.put(level, vertex, list, format))
    }

    /// Opens a chunk of `level`; at the limit of open chunks, retires the fullest one.
    fn begin(&mut self, level: usize) -> Result<()> {
        let most = if self.settings.combine { open_chunks(level) } else { 1 };
        let Some(of_level) = self.levels.get_mut(level) else { return Ok(()) };
        let fullest = (0..of_level.open.len()).min_by_key(|position| of_level.open[*position].draft.room());
        if of_level.open.len() >= most
            && let Some(full) = fullest.and_then(|position| of_level.open.remove(position))
        {
            self.retire(level, full)?;
        }
        let chunk_bytes = self.settings.chunk_bytes(level);
        let Some(of_level) = self.levels.get_mut(level) else { return Ok(()) };
        let ordinal = of_level.begun;
        if ordinal > MAX_ORDINAL {
            return Err(Error::Usage("the graph has too many chunks for a store; use larger --chunk-sizes".to_owned()));
        }
        of_level.begun += 1;
        of_level.open.push_back(OpenChunk { draft: ChunkDraft::new(chunk_bytes), ordinal });
        Ok(())
    }

    fn retire(&mut self, level: usize, chunk: OpenChunk) -> Result<()> {
        let Some(of_level) = self.levels.get_mut(level) else { return Ok(()) };
        if !self.settings.combine || level == 0 || chunk.draft.room() < LEAST_ROOM {
            return self.file.write(level, chunk, self.format);
        }
        of_level.waiting.push_back(chunk);
        match of_level.waiting.len() > WAITING_CHUNKS {
            true => of_level.waiting.pop_front().map_or(Ok(()), |oldest| self.file.write(level, oldest, self.format)),
            false => Ok(()),
        }
    }

    /// Places the first entries of a list in the remaining space of the last chunk of `level`, or in a new chunk.
    /// `encode` receives the room and returns the encoded entries, possibly none, and whether the list continues.
    ///
    /// # Errors
    /// See [`Bins::put`].
    pub(super) fn put_part(
        &mut self,
        level: usize,
        vertex: VertexId,
        carried: bool,
        fresh: bool,
        mut encode: impl FnMut(usize) -> (Vec<u8>, bool),
    ) -> Result<Spot> {
        let last_room =
            self.levels.get(level).and_then(|level| level.open.back()).map_or(0, |chunk| chunk.draft.room());
        if fresh || last_room < LEAST_ROOM {
            self.begin(level)?;
        }
        let room = self.levels.get(level).and_then(|level| level.open.back()).map_or(0, |chunk| chunk.draft.room());
        let (part, more) = encode(room);
        let spot = self.put_last(level, vertex, &part);
        let Some(of_level) = self.levels.get_mut(level) else { return Ok(spot) };
        if let Some(chunk) = of_level.open.back_mut() {
            chunk.draft.carried = carried.then_some(vertex).or(chunk.draft.carried);
            chunk.draft.open = more.then_some(vertex);
        }
        if more && let Some(full) = of_level.open.pop_back() {
            self.file.write(level, full, self.format)?;
        }
        Ok(spot)
    }

    /// Writes all open chunks. Returns the number of chunks and unused bytes per level, and the two files.
    ///
    /// # Errors
    /// Returns an error if the files cannot be written or synced.
    pub(super) fn finish(mut self) -> Result<(Vec<ChunksAndSpace>, [FileEntry; 2])> {
        let begun: Vec<u32> = self.levels.iter().map(|level| level.begun).collect();
        for (number, level) in std::mem::take(&mut self.levels).into_iter().enumerate() {
            for chunk in level.waiting.into_iter().chain(level.open) {
                self.file.write(number, chunk, self.format)?;
            }
        }
        let white_space = self.file.white_space;
        Ok((begun.into_iter().zip(white_space).collect(), self.file.finish()?))
    }
}

impl OpenChunk {
    fn put(&mut self, level: usize, vertex: VertexId, list: &[u8], format: ListFormat) -> Spot {
        let entry = number_from(self.draft.entries());
        self.draft.push(vertex, list, format);
        let level = number_from(level);
        Spot { kind: ChunkKind { level, continues: false, ordinal: self.ordinal }, entry }
    }
}

fn open_chunks(level: usize) -> usize {
    OPEN_CHUNKS.get(level).copied().unwrap_or(1)
}

/// Chunk file, and the table with the kind of each chunk.
struct ChunkFile {
    file: Box<dyn SequentialFile>,
    table: ComponentWriter,
    name: String,
    seal: UnitSeal,
    chunks: u64,
    bytes: u64,
    digest: Xxh3,
    batch: Vec<u8>,
    /// Buffer of the current chunk.
    chunk: Vec<u8>,
    /// Unused bytes, by level.
    white_space: [u64; MAX_LEVELS],
}

/// Maximum batch of chunks per write, in bytes; larger chunks are written alone.
const BATCH_BYTES: usize = 256 << 10;

impl ChunkFile {
    fn create(target: &ListTarget<'_>) -> Result<Self> {
        let name = chunks_name(target.direction);
        Ok(Self {
            file: target.storage.create(&target.folder.join(&name))?,
            table: target.component(&table_name(target.direction))?,
            seal: UnitSeal::new(target.id, &name),
            name,
            chunks: 0,
            bytes: 0,
            digest: Xxh3::new(),
            batch: Vec::with_capacity(BATCH_BYTES),
            chunk: Vec::new(),
            white_space: [0; MAX_LEVELS],
        })
    }

    fn write(&mut self, level: usize, chunk: OpenChunk, format: ListFormat) -> Result<()> {
        let level = number_from(level);
        let kind = ChunkKind { level, continues: chunk.draft.open.is_some(), ordinal: chunk.ordinal };
        if let Some(white_space) = self.white_space.get_mut(usize::from(level)) {
            *white_space += length_from(chunk.draft.white_space());
        }
        // Small chunks are written together.
        let (mut bytes, before) = (std::mem::take(&mut self.chunk), self.batch.len());
        chunk.draft.finish(format, chunk.ordinal % 2 == 1, &mut bytes);
        let (header, payload) = bytes.split_at_mut(crate::layout::chunked::format::CHECKSUM_BYTES);
        let checksum = self.seal.checksum(self.chunks, payload).to_le_bytes();
        header.copy_from_slice(&checksum);
        self.digest.update(&checksum);
        self.table.write(&kind.to_bits().to_le_bytes())?;
        self.chunks += 1;
        self.bytes += length_from(bytes.len());
        if before + bytes.len() > BATCH_BYTES {
            self.flush()?;
        }
        if bytes.len() >= BATCH_BYTES {
            self.file.write(&bytes)?
        } else {
            self.batch.extend_from_slice(&bytes)
        }
        self.chunk = bytes;
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        self.file.write(&self.batch)?;
        self.batch.clear();
        Ok(())
    }

    fn finish(mut self) -> Result<[FileEntry; 2]> {
        self.flush()?;
        self.file.sync()?;
        let chunks =
            FileEntry { name: self.name, bytes: self.bytes, checksum: format!("{:016x}", self.digest.digest()) };
        Ok([chunks, self.table.finish()?])
    }
}
