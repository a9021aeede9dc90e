//! External sorter of strings that removes duplicates.

use super::runs::{DurableRuns, RunsWriter, SortedRun, SortedRuns, in_turn, reduce};
use outcrop_io::{SpillFolder, SpillReader, SpillWriter};
use outcrop_types::{
    Cancellation, Error, LONGEST_ID, MemoryBudget, Purpose, Reservation, Result, index_from, length_from, memory,
};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;
use std::sync::Arc;

/// Buffer size for writing and merging a run, in bytes.
const RUN_BUFFER: usize = 64 << 10;
/// Memory per merged run: its buffer, and its front string if strings are short.
const MERGED_RUN_BYTES: usize = 2 * RUN_BUFFER;

/// Sorter that returns each distinct ID once, in ascending order of bytes.
pub(crate) struct TextSorter {
    folder: Arc<SpillFolder>,
    cancellation: Cancellation,
    bytes: Vec<u8>,
    texts: Vec<Range<usize>>,
    /// Durable runs, and later ones, concatenated in one file.
    kept: Vec<SortedRuns>,
    runs: Option<RunsWriter>,
    held: Reservation,
}

/// Durable strings of a sorter, which survive the process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct DurableTexts(Vec<DurableRuns>);

impl TextSorter {
    /// Minimum memory of a sorter, in bytes.
    pub(crate) const LEAST_BYTES: u64 = 4 << 20;

    /// Creates a sorter that uses `bytes` of memory.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget has less left.
    pub(crate) fn new(
        folder: &Arc<SpillFolder>,
        bytes: u64,
        budget: &MemoryBudget,
        cancellation: &Cancellation,
    ) -> Result<Self> {
        let held = budget.reserve_growing(bytes.max(Self::LEAST_BYTES), Purpose::SortSpace)?;
        Ok(Self {
            folder: Arc::clone(folder),
            cancellation: cancellation.clone(),
            bytes: Vec::new(),
            texts: Vec::new(),
            kept: Vec::new(),
            runs: None,
            held,
        })
    }

    /// Adds an ID, which passes [`check_id`](outcrop_types::check_id).
    ///
    /// # Errors
    ///
    /// Returns an error if a run cannot be spilled, or if the work is interrupted.
    pub(crate) fn push(&mut self, text: &[u8]) -> Result<()> {
        // Vectors that grow by doubling allocate up to twice their content, so half of the memory may be used.
        let used = self.bytes.len() + text.len() + (self.texts.len() + 1) * size_of::<Range<usize>>();
        if length_from(used) * 2 > self.held.bytes() {
            self.spill()?;
        }
        let start = self.bytes.len();
        double_for(&mut self.bytes, text.len())?;
        double_for(&mut self.texts, 1)?;
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
        let runs = match &mut self.runs {
            Some(runs) => runs,
            vacant => vacant.insert(RunsWriter::create(&self.folder)?),
        };
        runs.run(|file| {
            let mut run = TextWriter::new(file);
            self.texts.iter().try_for_each(|text| run.write(&self.bytes[text.clone()]))?;
            run.flush()
        })?;
        self.texts.clear();
        self.bytes.clear();
        Ok(())
    }

    /// Makes the strings durable.
    ///
    /// # Errors
    ///
    /// Returns an error if a run cannot be spilled or made durable, or if the work is interrupted.
    pub(crate) fn keep(&mut self) -> Result<DurableTexts> {
        self.spill_all()?;
        Ok(DurableTexts(self.kept.iter().map(SortedRuns::keep).collect::<Result<_>>()?))
    }

    /// Restores durable strings, before any others are added.
    ///
    /// # Errors
    ///
    /// Returns an error if a file has changed.
    pub(crate) fn resume(&mut self, kept: &DurableTexts) -> Result<()> {
        self.kept = kept.0.iter().map(|runs| SortedRuns::reopen(&self.folder, runs)).collect::<Result<_>>()?;
        Ok(())
    }

    /// Spills the strings in memory, and completes the file of runs.
    fn spill_all(&mut self) -> Result<()> {
        if !self.texts.is_empty() {
            self.spill()?;
        }
        (self.bytes, self.texts) = (Vec::new(), Vec::new());
        let runs = self.runs.take().map(RunsWriter::finish).transpose()?;
        self.kept.extend(runs);
        Ok(())
    }

    /// Passes on each string once, in order.
    ///
    /// # Errors
    ///
    /// Returns an error if a run cannot be read back or `take` fails.
    pub(crate) fn finish(mut self, mut take: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        if self.runs.is_none() && self.kept.is_empty() {
            self.sort();
            return self.texts.iter().try_for_each(|text| take(&self.bytes[text.clone()]));
        }
        self.spill_all()?;
        let most = (index_from(self.held.bytes()) / MERGED_RUN_BYTES).max(2);
        let runs = std::mem::take(&mut self.kept).iter().flat_map(|runs| in_turn(std::slice::from_ref(runs))).collect();
        let runs = reduce(runs, &self.folder, most, |group, writer| {
            let mut run = TextWriter::new(writer);
            merge(group, &self.cancellation, |text| run.write(text))?;
            run.flush()
        })?;
        merge(&runs, &self.cancellation, take)
    }
}

/// Reserves room for `more` values, doubling the capacity if it must grow.
fn double_for<T>(values: &mut Vec<T>, more: usize) -> Result<()> {
    if values.capacity() - values.len() >= more {
        return Ok(());
    }
    memory::make_room(values, values.len().max(more).max(1 << 10), Purpose::SortSpace)
}

/// Passes on the strings of some runs in order, each once.
fn merge(runs: &[SortedRun], cancellation: &Cancellation, mut take: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
    let mut readers: Vec<_> = runs.iter().map(TextReader::open).collect();
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

/// Writer of a run: each string as the length of the prefix that it shares with the previous one, and the rest with its
/// length (front coding).
struct TextWriter<'w> {
    file: &'w mut SpillWriter,
    buffer: Vec<u8>,
    last: Vec<u8>,
}

impl<'w> TextWriter<'w> {
    fn new(file: &'w mut SpillWriter) -> Self {
        Self { file, buffer: Vec::with_capacity(RUN_BUFFER), last: Vec::new() }
    }

    fn write(&mut self, text: &[u8]) -> Result<()> {
        let shared = self.last.iter().zip(text).take_while(|(last, byte)| last == byte).count();
        let rest = &text[shared..];
        write_length(shared, &mut self.buffer);
        write_length(rest.len(), &mut self.buffer);
        self.buffer.extend_from_slice(rest);
        self.last.truncate(shared);
        self.last.extend_from_slice(rest);
        if self.buffer.len() >= RUN_BUFFER { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<()> {
        self.file.write(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }
}

/// Appends a length, 7 bits per byte.
fn write_length(mut length: usize, into: &mut Vec<u8>) {
    while length >= 0x80 {
        into.push(length as u8 | 0x80);
        length >>= 7;
    }
    into.push(length as u8);
}

/// Reader of a run.
struct TextReader {
    file: SpillReader,
    /// Number of bytes of the run not yet in the buffer.
    left: u64,
    buffer: Vec<u8>,
    next: usize,
    last: Vec<u8>,
}

impl TextReader {
    fn open(SortedRun { file, place }: &SortedRun) -> Self {
        let left = place.end.saturating_sub(place.start);
        let file = file.share().at(place.start).freeing();
        Self { file, left, buffer: Vec::new(), next: 0, last: Vec::new() }
    }

    fn next(&mut self) -> Result<Option<Vec<u8>>> {
        if self.next == self.buffer.len() && self.left == 0 {
            return Ok(None);
        }
        let (shared, rest) = (self.length()?, self.length()?);
        let mut text = std::mem::take(&mut self.last);
        text.truncate(shared);
        text.resize(shared + rest, 0);
        self.read(&mut text[shared..])?;
        self.last.clone_from(&text);
        Ok(Some(text))
    }

    fn length(&mut self) -> Result<usize> {
        let (mut length, mut shift) = (0, 0);
        loop {
            let mut byte = [0];
            self.read(&mut byte)?;
            length |= usize::from(byte[0] & 0x7F) << shift;
            shift += 7;
            if byte[0] < 0x80 || length > LONGEST_ID {
                return Ok(length.min(LONGEST_ID));
            }
        }
    }

    /// Fills `into` with bytes of the run.
    fn read(&mut self, mut into: &mut [u8]) -> Result<()> {
        while !into.is_empty() {
            if self.next == self.buffer.len() {
                self.fill()?;
            }
            let count = into.len().min(self.buffer.len() - self.next);
            let (now, later) = into.split_at_mut(count);
            now.copy_from_slice(&self.buffer[self.next..self.next + count]);
            self.next += count;
            into = later;
        }
        Ok(())
    }

    fn fill(&mut self) -> Result<()> {
        let count = self.left.min(length_from(RUN_BUFFER) - self.file.position() % length_from(RUN_BUFFER));
        if count == 0 {
            return Err(Error::internal("a run of strings ends within a string"));
        }
        self.buffer.resize(index_from(count), 0);
        self.file.read_exact(&mut self.buffer)?;
        (self.left, self.next) = (self.left - count, 0);
        Ok(())
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

    #[test]
    fn texts_that_were_kept_come_once_among_the_others() {
        let place = tempfile::tempdir().unwrap();
        let (mut listed, mut kept) = (Vec::new(), None);
        let mut expected = std::collections::BTreeSet::new();
        for round in 0..5_u32 {
            let folder = Arc::new(SpillFolder::keeping(place.path(), "tag", &listed).unwrap());
            let mut sorter = TextSorter::new(&folder, 0, &MemoryBudget::new(4 << 20), &Cancellation::new()).unwrap();
            kept.iter().for_each(|kept| sorter.resume(kept).unwrap());
            for number in 0..[10, 0, 50_000][round as usize % 3] {
                let text = (number + 5 * round).to_string();
                sorter.push(text.as_bytes()).unwrap();
                expected.insert(text.into_bytes());
            }
            kept = Some(sorter.keep().unwrap());
            listed = folder.to_keep();
            folder.keep().unwrap();
        }
        let folder = Arc::new(SpillFolder::keeping(place.path(), "tag", &listed).unwrap());
        let mut sorter = TextSorter::new(&folder, 0, &MemoryBudget::new(4 << 20), &Cancellation::new()).unwrap();
        sorter.resume(&kept.unwrap()).unwrap();
        let mut found = Vec::new();
        let take = |text: &[u8]| {
            found.push(text.to_vec());
            Ok(())
        };
        sorter.finish(take).unwrap();
        assert!(found.into_iter().eq(expected));
    }

    /// Returns the descriptors of files in `folder` that this process has open.
    #[cfg(target_os = "linux")]
    fn descriptors(folder: &std::path::Path) -> usize {
        let open =
            std::fs::read_dir("/proc/self/fd").unwrap().filter_map(|entry| entry.unwrap().path().read_link().ok());
        open.filter(|target| target.starts_with(folder)).count()
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn runs_without_number_take_one_descriptor() {
        let place = tempfile::tempdir().unwrap();
        let folder = Arc::new(SpillFolder::new(place.path()).unwrap());
        let mut sorter = TextSorter::new(&folder, 0, &MemoryBudget::new(4 << 20), &Cancellation::new()).unwrap();
        let count = 2_000_000_u32;
        for number in 0..count {
            sorter.push(&number.wrapping_mul(2_654_435_761).to_be_bytes()).unwrap();
        }
        // More runs than are merged at once.
        assert!(sorter.runs.as_ref().unwrap().places.len() > 16);
        assert_eq!(descriptors(place.path()), 1);
        let (mut texts, mut most) = (0_u32, 0);
        sorter
            .finish(|_| {
                texts += 1;
                most = if texts.is_multiple_of(100_000) { most.max(descriptors(place.path())) } else { most };
                Ok(())
            })
            .unwrap();
        assert_eq!((texts, most), (count, 1));
    }
}
