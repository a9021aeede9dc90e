//! Sorts texts that do not fit in memory and keeps one of each.

use outcrop_io::{SpillFile, SpillFolder, SpillReader, SpillWriter};
use outcrop_types::{Cancellation, Error, Location, MemoryBudget, Purpose, Reservation, Result, length_from};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;
use std::sync::Arc;

/// A run is merged through a buffer of this many bytes.
const RUN_BUFFER: usize = 64 << 10;
/// No text is longer; readers of text allow lines of 1 MiB.
const LONGEST_TEXT: usize = 1 << 20;

/// Takes texts in any order and gives back each once, in ascending order of their bytes.
pub(super) struct TextSorter {
    folder: Arc<SpillFolder>,
    cancellation: Cancellation,
    bytes: Vec<u8>,
    texts: Vec<Range<usize>>,
    runs: Vec<SpillFile>,
    held: Reservation,
}

impl TextSorter {
    /// The least memory that a sorter works in, in bytes.
    pub(super) const LEAST_BYTES: u64 = 4 << 20;

    /// A sorter that works in `bytes` of memory.
    ///
    /// # Errors
    /// The budget has fewer left.
    pub(super) fn new(
        folder: &Arc<SpillFolder>,
        bytes: u64,
        budget: &MemoryBudget,
        cancellation: &Cancellation,
    ) -> Result<Self> {
        let held = budget.reserve(bytes.max(Self::LEAST_BYTES), Purpose::SortSpace)?;
        Ok(Self {
            folder: Arc::clone(folder),
            cancellation: cancellation.clone(),
            bytes: Vec::new(),
            texts: Vec::new(),
            runs: Vec::new(),
            held,
        })
    }

    /// Takes a text.
    ///
    /// # Errors
    /// A run cannot be spilled; the text is longer than 1 MiB; interruption.
    pub(super) fn push(&mut self, text: &[u8]) -> Result<()> {
        if text.len() > LONGEST_TEXT {
            return Err(Error::bad_input(Location::file("the input"), "an id is longer than 1 MiB"));
        }
        // Doubling vectors hold up to twice what they use, so half of the memory may be used.
        let used = self.bytes.len() + text.len() + (self.texts.len() + 1) * size_of::<Range<usize>>();
        if length_from(used) * 2 > self.held.bytes() {
            self.spill()?;
        }
        let start = self.bytes.len();
        self.bytes.extend_from_slice(text);
        self.texts.push(start..self.bytes.len());
        Ok(())
    }

    fn sort(&mut self) {
        let bytes = &self.bytes;
        self.texts.sort_unstable_by(|a, b| bytes[a.clone()].cmp(&bytes[b.clone()]));
        self.texts.dedup_by(|a, b| bytes[a.clone()] == bytes[b.clone()]);
    }

    fn spill(&mut self) -> Result<()> {
        self.cancellation.check()?;
        self.sort();
        let mut run = TextWriter::create(&self.folder)?;
        self.texts.iter().try_for_each(|text| run.write(&self.bytes[text.clone()]))?;
        self.runs.push(run.finish()?);
        self.texts.clear();
        self.bytes.clear();
        Ok(())
    }

    /// Hands over each text once, in order.
    ///
    /// # Errors
    /// A run cannot be read back; what `take` returns.
    pub(super) fn finish(mut self, mut take: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        if self.runs.is_empty() {
            self.sort();
            return self.texts.iter().try_for_each(|text| take(&self.bytes[text.clone()]));
        }
        self.spill()?;
        (self.bytes, self.texts) = (Vec::new(), Vec::new());
        let most = usize::try_from(self.held.bytes()).unwrap_or(usize::MAX) / (2 * RUN_BUFFER);
        while self.runs.len() > most.max(2) {
            let group: Vec<_> = self.runs.drain(..most.max(2)).collect();
            let mut merged = TextWriter::create(&self.folder)?;
            merge(&group, &self.cancellation, |text| merged.write(text))?;
            self.runs.push(merged.finish()?);
        }
        merge(&self.runs, &self.cancellation, take)
    }
}

/// Hands over the texts of all runs in order, each once.
fn merge(runs: &[SpillFile], cancellation: &Cancellation, mut take: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
    let mut readers = runs.iter().map(TextReader::open).collect::<Result<Vec<_>>>()?;
    let mut heads = BinaryHeap::new();
    for (run, reader) in readers.iter_mut().enumerate() {
        heads.extend(reader.next()?.map(|text| Reverse((text, run))));
    }
    let mut last: Option<Vec<u8>> = None;
    let mut taken = 0_u64;
    while let Some(Reverse((text, run))) = heads.pop() {
        heads.extend(readers[run].next()?.map(|text| Reverse((text, run))));
        if last.as_ref() != Some(&text) {
            take(&text)?;
            last = Some(text);
        }
        taken += 1;
        if taken.is_multiple_of(1 << 16) {
            cancellation.check()?;
        }
    }
    Ok(())
}

/// Writes a run: each text behind its length.
struct TextWriter {
    file: SpillWriter,
    buffer: Vec<u8>,
}

impl TextWriter {
    fn create(folder: &SpillFolder) -> Result<Self> {
        Ok(Self { file: folder.create()?, buffer: Vec::with_capacity(RUN_BUFFER) })
    }

    fn write(&mut self, text: &[u8]) -> Result<()> {
        self.buffer.extend_from_slice(&length_from(text.len()).to_le_bytes());
        self.buffer.extend_from_slice(text);
        if self.buffer.len() >= RUN_BUFFER {
            self.file.write(&self.buffer)?;
            self.buffer.clear();
        }
        Ok(())
    }

    fn finish(mut self) -> Result<SpillFile> {
        self.file.write(&self.buffer)?;
        self.file.finish()
    }
}

/// Reads a run.
struct TextReader {
    file: SpillReader,
    buffer: Vec<u8>,
    next: usize,
    filled: usize,
}

impl TextReader {
    fn open(run: &SpillFile) -> Result<Self> {
        Ok(Self { file: run.open()?, buffer: vec![0; RUN_BUFFER], next: 0, filled: 0 })
    }

    fn next(&mut self) -> Result<Option<Vec<u8>>> {
        let mut length = [0; 8];
        if !self.read(&mut length)? {
            return Ok(None);
        }
        let length = usize::try_from(u64::from_le_bytes(length)).unwrap_or(usize::MAX).min(LONGEST_TEXT);
        let mut text = vec![0; length];
        self.read(&mut text)?;
        Ok(Some(text))
    }

    /// Fills `into`; `false` at the end of the run.
    fn read(&mut self, mut into: &mut [u8]) -> Result<bool> {
        while !into.is_empty() {
            if self.next == self.filled {
                self.filled = self.file.read(&mut self.buffer)?;
                self.next = 0;
                if self.filled == 0 {
                    return Ok(false);
                }
            }
            let count = into.len().min(self.filled - self.next);
            let (now, later) = into.split_at_mut(count);
            now.copy_from_slice(&self.buffer[self.next..self.next + count]);
            self.next += count;
            into = later;
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_once_and_in_order_with_and_without_runs() {
        for count in [0_u32, 1, 1000, 300_000] {
            let place = tempfile::tempdir().unwrap();
            let folder = Arc::new(SpillFolder::new(place.path()).unwrap());
            let mut sorter = TextSorter::new(&folder, 0, &MemoryBudget::new(4 << 20), &Cancellation::new()).unwrap();
            let mut expected = std::collections::BTreeSet::new();
            for number in 0..count {
                let text =
                    format!("{}-{}", number.wrapping_mul(2_654_435_761) % 100_000, "x".repeat(number as usize % 5));
                sorter.push(text.as_bytes()).unwrap();
                expected.insert(text.into_bytes());
            }
            let mut found = Vec::new();
            sorter
                .finish(|text| {
                    found.push(text.to_vec());
                    Ok(())
                })
                .unwrap();
            assert!(found.into_iter().eq(expected), "{count} texts");
        }
    }
}
