//! The chunks of a direction that are being filled, and the file that they go to.
//!
//! Combination (ChunkGraph, section 3.3): a list goes to the first chunk of its level that has room; what a full chunk
//! of a larger level has left is filled with lists of the level below.

use crate::component::{ComponentWriter, FileEntry, UnitSeal};
use crate::layout::chunked::format::{ChunkDraft, ChunkKind, ListFormat, MAX_ORDINAL, chunks_name, table_name};
use crate::layout::chunked::settings::{ChunkSettings, MAX_LEVELS};
use crate::layout::list_writer::ListTarget;
use outcrop_io::SequentialFile;
use outcrop_types::{Error, Result, VertexId, length_from, number_from};
use std::collections::VecDeque;
use xxhash_rust::xxh3::Xxh3;

/// Chunks that are filled at the same time, by level; of levels beyond these as many as of the last.
const OPEN_CHUNKS: [usize; 4] = [8, 8, 4, 1];
/// Full chunks of a level that wait for small lists.
const WAITING_CHUNKS: usize = 1;
/// A chunk with less room than this is done.
const LEAST_ROOM: usize = 64;

/// Number of chunks of a level, and of their bytes that hold nothing.
pub(super) type ChunksAndSpace = (u32, u64);

/// Place where a list was put.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spot {
    /// The chunk; whether it continues is not known yet.
    pub kind: ChunkKind,
    /// The number of lists that were put there before.
    pub entry: u32,
}

/// Place and first neighbor of a list.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PlacedList {
    /// The place.
    pub spot: Spot,
    /// The first neighbor.
    pub first: VertexId,
}

/// Chunks that are being filled: the bins that lists are packed into.
pub(crate) struct Bins {
    settings: ChunkSettings,
    format: ListFormat,
    levels: Vec<OpenLevel>,
    file: ChunkFile,
}

#[derive(Default)]
struct OpenLevel {
    open: VecDeque<OpenChunk>,
    /// Chunks that are full, but for lists of the level below.
    waiting: VecDeque<OpenChunk>,
    begun: u32,
}

struct OpenChunk {
    draft: ChunkDraft,
    ordinal: u32,
}

impl Bins {
    /// Memory of the chunks of one direction, in bytes.
    pub(super) fn memory(settings: &ChunkSettings) -> u64 {
        let level = |level: usize| {
            let chunks = if settings.combine { open_chunks(level) + WAITING_CHUNKS } else { 1 };
            let bytes = length_from(settings.chunk_bytes(level)) * length_from(chunks);
            // What is known of each list takes 24 bytes: of the shortest more than the lists themselves.
            if level == 0 { 4 * bytes } else { bytes * 5 / 4 }
        };
        let all: u64 = (0..settings.levels.len()).map(level).sum();
        all + length_from(settings.largest_chunk() + BATCH_BYTES) + ComponentWriter::MEMORY_BYTES
    }

    /// Starts the chunk file.
    ///
    /// # Errors
    /// The files cannot be created.
    pub(crate) fn create(target: &ListTarget<'_>, settings: &ChunkSettings, format: ListFormat) -> Result<Self> {
        let levels = settings.levels.iter().map(|_| OpenLevel::default()).collect();
        let file = ChunkFile::create(target)?;
        Ok(Self { settings: settings.clone(), format, levels, file })
    }

    /// Puts a list that belongs to `level` somewhere.
    ///
    /// # Errors
    /// The file cannot be written or is too large for the format.
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

    /// Puts a list into a chunk of the level that has room, or into the rest of a larger chunk.
    fn put_with_others(&mut self, level: usize, vertex: VertexId, list: &[u8]) -> Option<Spot> {
        let format = self.format;
        let of_level = self.levels.get_mut(level)?.open.iter_mut().find(|chunk| chunk.draft.room() >= list.len());
        if let Some(chunk) = of_level {
            return Some(chunk.put(level, vertex, list, format));
        }
        let above = self.levels.get_mut(level + 1)?.waiting.iter_mut().find(|chunk| chunk.draft.room() >= list.len());
        above.map(|chunk| chunk.put(level + 1, vertex, list, format))
    }

    /// Puts a list into the most recently begun chunk of the level, which has room.
    fn put_last(&mut self, level: usize, vertex: VertexId, list: &[u8]) -> Spot {
        let format = self.format;
        let last = self.levels.get_mut(level).and_then(|level| level.open.back_mut());
        let nowhere = Spot { kind: ChunkKind { level: 0, continues: false, ordinal: 0 }, entry: 0 };
        last.map_or(nowhere, |chunk| chunk.put(level, vertex, list, format))
    }

    /// Begins a chunk of `level`; where as many are open as may be, the fullest is done.
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

    /// Puts the first entries of a list into what is left of the last chunk of `level`, or into a fresh one: `encode`
    /// is given the room and returns the encoded entries, none where the room is not worth it. `more` says afterwards
    /// whether the list goes on.
    ///
    /// # Errors
    /// As for [`Bins::put`].
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

    /// Writes all chunks that are still open; by level how many chunks there are and how many of their bytes hold
    /// nothing, and the two files.
    ///
    /// # Errors
    /// The files cannot be written or synced.
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

/// The chunk file and the table that says what each chunk is.
struct ChunkFile {
    file: Box<dyn SequentialFile>,
    table: ComponentWriter,
    name: String,
    seal: UnitSeal,
    chunks: u64,
    bytes: u64,
    digest: Xxh3,
    batch: Vec<u8>,
    /// The chunk that is written.
    chunk: Vec<u8>,
    /// Bytes that hold nothing, by level.
    white_space: [u64; MAX_LEVELS],
}

/// Chunks are handed to the disk in batches of at most so many bytes, larger ones by themselves.
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
        // Small chunks go to the disk together.
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
