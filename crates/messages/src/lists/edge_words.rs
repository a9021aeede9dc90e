//! Mutable values on edges (MultiLogVC, algorithm 2): words per list entry, in the order of the lists, in a temporary
//! file and windows of it.

use super::batch::{BLOCK, KnownDegrees, Lists};
use outcrop_engine::State;
use outcrop_io::{SpillFolder, ValueFile};
use outcrop_types::{
    Error, MemoryBudget, Purpose, Reservation, Result, VertexId, VertexRange, index_from, length_from,
};
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// Number of words that are read and written together: those with the same checksum.
const UNIT: u64 = 1 << 10;
/// Number of words per window.
const WINDOW: u64 = 1 << 14;

/// Words of all list entries.
#[derive(Debug)]
pub(crate) struct EdgeWords {
    /// Number of words per entry.
    per_entry: u64,
    /// First word of each block of vertices, a multiple of [`UNIT`], and the end of the last one.
    starts: Vec<u64>,
    /// File of the words, which is created when a window is written; before, all words are 0.
    file: OnceLock<ValueFile<u32>>,
    spill: SpillFolder,
    /// Windows; each block has one, and blocks share them if there are too few.
    windows: Vec<Mutex<Window>>,
    /// Number of words per window.
    window_words: u64,
    /// Held while a longer list is in memory.
    long: Mutex<()>,
    _held: Reservation,
}

/// Loaded words of consecutive vertices.
#[derive(Debug, Default)]
struct Window {
    known: KnownDegrees,
    /// A vertex, and its first word.
    place: (VertexId, u64),
    start: u64,
    words: Vec<u32>,
    /// Range of the words that may have changed.
    changed: Option<Range<u64>>,
}

impl EdgeWords {
    const WINDOW_BYTES: u64 = 4 * (WINDOW + UNIT) + KnownDegrees::BYTES + size_of::<Mutex<Window>>() as u64;

    /// Returns the memory for the positions and checksums of so many words, in bytes.
    pub(crate) const fn index_bytes(vertices: u32, words: u64) -> u64 {
        let blocks = vertices.div_ceil(BLOCK) as u64;
        8 * (blocks + 1) + ValueFile::<u32>::checksum_bytes(4 * (words + blocks * UNIT))
    }

    /// Returns the minimum memory for windows, if a vertex has `entries` entries, in bytes.
    pub(crate) const fn least_bytes(entries: u64, per_entry: u64) -> u64 {
        4 * (entries * per_entry + 2 * UNIT) + Self::WINDOW_BYTES
    }

    /// Creates words with the value 0, and windows of `memory` bytes: of all words if they fit.
    ///
    /// # Errors
    /// Returns an error if degrees are damaged, or if the budget is too small.
    pub(crate) fn new(
        lists: &Lists<'_, '_>,
        per_entry: u64,
        memory: u64,
        budget: &MemoryBudget,
        spill: &SpillFolder,
    ) -> Result<Self> {
        let (mut known, mut starts, mut end, mut longest) = (KnownDegrees::default(), Vec::new(), 0, 0);
        for vertex in 0..lists.vertices {
            if vertex % BLOCK == 0 {
                starts.push(end);
            }
            let entries = lists.entries(vertex, &mut known)?;
            (end, longest) = (end + per_entry * entries, longest.max(entries));
            if (vertex + 1) % BLOCK == 0 || vertex + 1 == lists.vertices {
                end = end.next_multiple_of(UNIT);
            }
        }
        let blocks = length_from(starts.len());
        starts.push(end);
        let _held = budget.reserve(Self::index_bytes(lists.vertices, end), Purpose::IoBuffers)?;
        let all = 4 * end + blocks * (Self::WINDOW_BYTES - 4 * WINDOW);
        let beyond = memory.saturating_sub(Self::least_bytes(longest, per_entry));
        let (window_words, windows) = match all <= memory {
            true => (end, blocks),
            false => (WINDOW, blocks.min(1 + beyond / Self::WINDOW_BYTES)),
        };
        let windows = (0..windows).map(|_| Mutex::default()).collect();
        let (file, spill, long) = (OnceLock::new(), spill.clone(), Mutex::default());
        Ok(Self { per_entry, starts, file, spill, windows, window_words, long, _held })
    }

    /// Returns the numbers of bytes read from the file and written to it so far.
    pub(crate) fn traffic(&self) -> (u64, u64) {
        self.file.get().map_or((0, 0), ValueFile::traffic)
    }

    fn file(&self) -> Result<&ValueFile<u32>> {
        if self.file.get().is_none() {
            let words = self.starts.last().copied();
            // Default: without vertices, there are no words. If another thread has created a file, this one is removed.
            _ = self.file.set(ValueFile::zeroed(&self.spill, words.unwrap_or_default())?);
        }
        self.file.get().ok_or_else(|| Error::internal("a created file is missing"))
    }

    /// Serializes the words.
    pub(crate) fn visit(&self, state: &mut State<'_>) -> Result<()> {
        for window in &self.windows {
            self.store(&mut window.lock().unwrap_or_else(PoisonError::into_inner))?;
        }
        state.file(self.file()?)
    }

    /// Returns the words of the vertices of a part of a block.
    pub(crate) fn part<'w, 'l, 'g>(&'w self, lists: &'w Lists<'l, 'g>, part: VertexRange) -> WordsPart<'w, 'l, 'g> {
        let block = part.start / BLOCK;
        let window = &self.windows[block as usize % self.windows.len()];
        let mut window = window.lock().unwrap_or_else(PoisonError::into_inner);
        let (start, end) = (self.starts[block as usize], self.starts[block as usize + 1]);
        window.place = (block * BLOCK, start);
        WordsPart { all: self, lists, window, start, end }
    }

    fn store(&self, window: &mut Window) -> Result<()> {
        let Some(changed) = window.changed.take() else { return Ok(()) };
        let (first, end) = (changed.start / UNIT * UNIT, changed.end.next_multiple_of(UNIT));
        self.file()?.write(first, &window.words[index_from(first - window.start)..index_from(end - window.start)])
    }
}

/// Words of the vertices of a block, visited in ascending order.
pub(crate) struct WordsPart<'w, 'l, 'g> {
    all: &'w EdgeWords,
    lists: &'w Lists<'l, 'g>,
    window: MutexGuard<'w, Window>,
    /// First word of the block, and the end of its words.
    start: u64,
    end: u64,
}

impl WordsPart<'_, '_, '_> {
    /// Calls `work` with the words of `vertex`, to be changed.
    ///
    /// # Errors
    /// Returns an error if degrees or words are damaged, or on [`Error::DiskFull`] or
    /// [`Error::Io`].
    pub(crate) fn with<R>(&mut self, vertex: VertexId, work: impl FnOnce(&mut [u32]) -> R) -> Result<R> {
        let (all, window) = (self.all, &mut *self.window);
        while window.place.0 < vertex {
            let entries = self.lists.entries(window.place.0, &mut window.known)?;
            window.place = (window.place.0 + 1, window.place.1 + all.per_entry * entries);
        }
        let start = window.place.1;
        let end = start + all.per_entry * self.lists.entries(vertex, &mut window.known)?;
        let is_long = end - start > all.window_words;
        let _alone = is_long.then(|| all.long.lock().unwrap_or_else(PoisonError::into_inner));
        if start < window.start || end > window.start + length_from(window.words.len()) {
            all.store(window)?;
            // Begins with the block if the window has room for it.
            let first = (start / UNIT * UNIT).min(self.end.saturating_sub(all.window_words)).max(self.start);
            let end = end.next_multiple_of(UNIT).max(first + all.window_words).min(self.end);
            window.start = first;
            window.words = vec![0; index_from(end - first)];
            all.file.get().map_or(Ok(()), |file| file.read(first, &mut window.words))?;
        }
        let own = index_from(start - window.start)..index_from(end - window.start);
        let changed = window.changed.take().map_or(start..end, |other| other.start.min(start)..other.end.max(end));
        window.changed = Some(changed);
        let done = work(&mut window.words[own]);
        if is_long {
            all.store(window)?;
            window.words = Vec::new();
        }
        Ok(done)
    }
}
