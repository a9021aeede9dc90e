//! Kind and place of each chunk of a direction: 8 bytes a chunk.

use super::format::{ChunkKind, GRAIN_BYTES, table_name};
use super::settings::ChunkSettings;
use crate::component::units_for;
use crate::layout::chunked::entry::ChunkedEntry;
use crate::store::Store;
use outcrop_io::IoChoice;
use outcrop_types::{Cancellation, Error, MemoryBudget, Purpose, Result, VertexValues, index_from, number_from};
use std::ops::Range;
use std::path::Path;

/// The chunks in the order of the file.
#[derive(Debug)]
pub(super) struct ChunkTable {
    kinds: VertexValues<u32>,
    /// Start of each chunk, in units of [`GRAIN_BYTES`].
    starts: VertexValues<u32>,
    /// Bytes of the chunks of each level.
    sizes: Vec<u64>,
    /// Chunks that lists run through, each run in order.
    chains: Vec<Vec<u32>>,
}

/// Map from the number of a chunk within its level to its number in the file.
pub(super) struct NumbersInFile {
    settings: ChunkSettings,
    /// Start of the chunks of each level among the numbers.
    firsts: Vec<u32>,
    numbers: VertexValues<u32>,
}

impl ChunkTable {
    /// Memory of the table, and of what loading an index needs besides, in bytes.
    pub(super) fn bytes(entry: &ChunkedEntry) -> u64 {
        3 * VertexValues::<u32>::bytes(u64::from(entry.chunks()))
    }

    /// Loads the table of a direction and compares it with the length of the chunk file.
    ///
    /// # Errors
    /// The budget is too small; the table is damaged.
    pub(super) fn load(
        store: &Store,
        entry: &ChunkedEntry,
        file_bytes: u64,
        io: IoChoice,
        budget: &MemoryBudget,
        cancellation: &Cancellation,
    ) -> Result<Self> {
        let component = store.component(&table_name(entry.direction), io)?;
        let count = entry.chunks();
        let damaged = |message: &str| Error::corrupt(component.path(), message);
        if units_for(u64::from(count) * 4) != component.units() {
            return Err(damaged("its number of chunks differs from the manifest"));
        }
        let length = index_from(u64::from(count));
        let kinds = component.values::<u32>(u64::from(count), budget, Purpose::Index, cancellation)?;
        let mut starts = VertexValues::new(budget, Purpose::Index, length, |_| 0_u32)?;
        let sizes: Vec<u64> = entry.settings.levels.iter().map(|level| u64::from(level.chunk_bytes)).collect();
        let mut begin = 0;
        for (bits, start) in kinds.iter().zip(starts.iter_mut()) {
            *start =
                u32::try_from(begin / GRAIN_BYTES).map_err(|_| damaged("its chunks exceed the length of a file"))?;
            let kind =
                ChunkKind::from_bits(*bits, &entry.settings).ok_or_else(|| damaged("it has an unknown level"))?;
            begin += sizes.get(usize::from(kind.level)).copied().unwrap_or(0);
        }
        if begin != file_bytes {
            return Err(damaged("its chunks do not add up to the length of the chunk file"));
        }
        let mut table = Self { kinds, starts, sizes, chains: Vec::new() };
        table.chains = table.find_chains(entry, budget, component.path())?;
        table.mark_chains();
        Ok(table)
    }

    /// Memory is paid for by [`ChunkTable::bytes`]: a chain has no more chunks than the file.
    fn find_chains(&self, entry: &ChunkedEntry, budget: &MemoryBudget, path: &Path) -> Result<Vec<Vec<u32>>> {
        let in_file = self.numbers_in_file(budget, &entry.settings)?;
        if !in_file.complete(self) {
            return Err(Error::corrupt(path, "it has a chunk twice"));
        }
        let mut chains: Vec<Vec<u32>> = Vec::new();
        let mut linked = false;
        for number in &*in_file.numbers {
            let continues = self.kind(*number).continues;
            match chains.last_mut().filter(|_| linked) {
                Some(chain) => chain.push(*number),
                None if continues => chains.push(vec![*number]),
                None => {}
            }
            linked = continues;
        }
        Ok(chains)
    }

    /// Sets the continuation bit of every chunk in a chain, including the last.
    fn mark_chains(&mut self) {
        for number in self.chains.iter().flatten() {
            if let Some(bits) = self.kinds.get_mut(index_from(u64::from(*number))) {
                *bits |= 1 << 28;
            }
        }
    }

    /// True if lists run through chunk `number`.
    #[inline]
    pub(super) fn chained(&self, number: u32) -> bool {
        self.kind(number).continues
    }

    /// The chunks that begin at these bytes of the file.
    pub(super) fn beginning_in(&self, bytes: Range<u64>) -> Range<u32> {
        let number = |byte: u64| {
            let before = self.starts.partition_point(|start| u64::from(*start) * GRAIN_BYTES < byte);
            number_from(before)
        };
        number(bytes.start)..number(bytes.end)
    }

    /// Bytes of all chunks.
    pub(super) fn file_bytes(&self) -> u64 {
        self.len().checked_sub(1).map_or(0, |last| self.bytes_of(last).end)
    }

    /// Number of chunks.
    pub(super) fn len(&self) -> u32 {
        number_from(self.kinds.len())
    }

    /// Kind of chunk `number`.
    #[inline]
    pub(super) fn kind(&self, number: u32) -> ChunkKind {
        let bits = self.kinds.get(index_from(u64::from(number))).copied().unwrap_or(0);
        ChunkKind {
            level: number_from(bits >> 29),
            continues: bits & (1 << 28) != 0,
            ordinal: bits & super::format::MAX_ORDINAL,
        }
    }

    /// The bytes of chunk `number` in the file.
    #[inline]
    pub(super) fn bytes_of(&self, number: u32) -> Range<u64> {
        let start = self.starts.get(index_from(u64::from(number))).copied().unwrap_or(0);
        let begin = u64::from(start) * GRAIN_BYTES;
        begin..begin + self.sizes.get(usize::from(self.kind(number).level)).copied().unwrap_or(0)
    }

    /// The bytes of `chunks`, which are not none, in the file, with what lies between them.
    pub(super) fn bytes_of_all(&self, chunks: &Range<u32>) -> Range<u64> {
        self.bytes_of(chunks.start).start..self.bytes_of(chunks.end - 1).end
    }

    /// Runs of chunks that lists run through.
    pub(super) fn chains(&self) -> &[Vec<u32>] {
        &self.chains
    }

    /// The reverse of [`ChunkTable::kind`]; what it takes is given back with it.
    ///
    /// # Errors
    /// The budget is too small.
    pub(super) fn numbers_in_file(&self, budget: &MemoryBudget, settings: &ChunkSettings) -> Result<NumbersInFile> {
        let mut counts = vec![0_u32; settings.levels.len()];
        let all = 0..self.len();
        for number in all.clone() {
            if let Some(count) = counts.get_mut(usize::from(self.kind(number).level)) {
                *count += 1;
            }
        }
        let mut next = 0;
        let mut firsts = Vec::with_capacity(counts.len());
        for count in counts {
            firsts.push(next);
            next += count;
        }
        let mut numbers = VertexValues::new(budget, Purpose::Index, self.kinds.len(), |_| u32::MAX)?;
        for number in all {
            let kind = self.kind(number);
            let place = firsts.get(usize::from(kind.level)).and_then(|first| first.checked_add(kind.ordinal));
            let end = firsts.get(usize::from(kind.level) + 1).copied().unwrap_or(next);
            let slot =
                place.filter(|place| *place < end).and_then(|place| numbers.get_mut(index_from(u64::from(place))));
            if let Some(slot) = slot {
                *slot = number;
            }
        }
        Ok(NumbersInFile { settings: settings.clone(), firsts, numbers })
    }
}

impl NumbersInFile {
    /// The number in the file of the chunk that `bits` name, as they stand in a place.
    #[inline]
    pub(super) fn of(&self, bits: u32) -> Option<u32> {
        let kind = ChunkKind::from_bits(bits, &self.settings)?;
        let level = usize::from(kind.level);
        let place = self.firsts.get(level)?.checked_add(kind.ordinal)?;
        if self.firsts.get(level + 1).is_some_and(|next| place >= *next) {
            return None;
        }
        self.numbers.get(index_from(u64::from(place))).copied().filter(|number| *number != u32::MAX)
    }

    /// True if each number of a level is there once.
    fn complete(&self, table: &ChunkTable) -> bool {
        self.numbers.len() == table.kinds.len() && self.numbers.iter().all(|number| *number != u32::MAX)
    }
}
