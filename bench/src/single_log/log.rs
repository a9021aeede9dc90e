//! Log: entries of each worker in memory, sorted runs on disk, and the rest of the last merge.

use super::entry::{ID_BYTES, destination};
use super::merge::{RunCursor, merge};
use super::output::{Output, Target};
use super::sort::sort;
use super::sorted::{Firsts, Place, Slice, Sorted, Traffic};
use outcrop_io::{SpillFile, SpillFolder, SpillWriter};
use outcrop_messages::log::{BackendLog, BackendWriter, CombineBytes, DrainedEntries, LogSetup};
use outcrop_types::{Cancellation, Result, VertexId, VertexRange, index_from, length_from};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Maximum number of runs merged at once: each takes a file descriptor.
const MOST_RUNS: usize = 128;
/// Memory per entry during sorting, in bytes: a sort key, and its destination.
const KEY_BYTES: usize = 2 * size_of::<u64>();

/// Log of entries of one size, sorted by destination.
#[derive(Debug)]
pub(super) struct SortedLog {
    intervals: Vec<VertexRange>,
    folder: SpillFolder,
    cancellation: Cancellation,
    entry_bytes: usize,
    /// Size of a worker's batch of entries to sort, in bytes.
    slot_bytes: usize,
    /// Unsorted entries of each worker.
    slots: Vec<Mutex<Vec<u8>>>,
    /// Number of sent messages that are not sealed yet.
    unsealed: AtomicU64,
    spilled: Mutex<Spilled>,
    sealed: Mutex<Sealed>,
    traffic: Arc<Traffic>,
}

/// Sorted runs, consecutive in a file.
#[derive(Debug, Default)]
struct Spilled {
    file: Option<SpillWriter>,
    runs: Vec<Range<u64>>,
}

/// Result of the last merge.
#[derive(Debug, Default)]
struct Sealed {
    sorted: Option<Arc<Sorted>>,
    drained: Vec<bool>,
    /// Number of messages not yet drained.
    left: u64,
}

impl Sealed {
    /// Returns the numbers of the undrained entries to an interval.
    fn of(&self, interval: usize) -> Range<u64> {
        match &self.sorted {
            Some(sorted) if !self.drained[interval] => sorted.of(interval),
            _ => 0..0,
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SortedLog {
    /// Creates a log and distributes the memory: each worker has entries, their sort keys, and room for them sorted
    /// and merged.
    pub(super) fn new(setup: &LogSetup<'_>, entry_bytes: usize) -> Self {
        let slots = setup.workers.slots();
        let entries = index_from(setup.memory) / slots / (3 * entry_bytes + KEY_BYTES);
        Self {
            intervals: setup.intervals.to_vec(),
            folder: setup.spill.clone(),
            cancellation: setup.workers.cancellation().clone(),
            entry_bytes,
            slot_bytes: entries.max(1) * entry_bytes,
            slots: (0..slots).map(|_| Mutex::default()).collect(),
            unsealed: AtomicU64::new(0),
            spilled: Mutex::default(),
            sealed: Mutex::default(),
            traffic: Arc::default(),
        }
    }

    /// Sorts the entries of a worker.
    fn sort(&self, entries: &mut Vec<u8>, output: &mut Output<'_>) -> Result<()> {
        let mut keys = Vec::with_capacity(entries.len() / self.entry_bytes);
        for (position, entry) in entries.chunks_exact(self.entry_bytes).enumerate() {
            keys.push(u64::from(destination(entry)) << 32 | length_from(position));
        }
        let mut scratch = vec![0; keys.len()];
        sort(&mut keys, &mut scratch, self.intervals.last().map_or(0, |range| range.end));
        for key in keys {
            let start = (key as u32 as usize) * self.entry_bytes;
            output.push(&entries[start..start + self.entry_bytes], &mut |_, _| ())?;
        }
        entries.clear();
        Ok(())
    }

    /// Sorts the entries of a worker and writes them as a run.
    fn spill(&self, entries: &mut Vec<u8>, combine: Option<&CombineBytes<'_>>) -> Result<()> {
        self.cancellation.check()?;
        let mut spilled = lock(&self.spilled);
        let Spilled { file, runs } = &mut *spilled;
        let file = match file {
            Some(file) => file,
            vacant => vacant.insert(self.folder.create()?),
        };
        let start = file.length();
        let mut output = Output::new(Target::disk(file), combine);
        self.sort(entries, &mut output)?;
        output.finish()?;
        runs.push(start..file.length());
        self.traffic.written.fetch_add(file.length() - start, Relaxed);
        Ok(())
    }

    /// Sorts all sent messages, in memory if none was spilled.
    fn seal(&self, combine: Option<&CombineBytes<'_>>) -> Result<Sorted> {
        let mut firsts = Firsts::new(&self.intervals);
        let in_memory = lock(&self.spilled).runs.is_empty();
        let (place, entries) = match in_memory {
            true => self.seal_memory(combine, &mut firsts)?,
            false => self.seal_disk(combine, &mut firsts)?,
        };
        self.unsealed.store(0, Relaxed);
        let (entry_bytes, traffic) = (self.entry_bytes, Arc::clone(&self.traffic));
        Ok(Sorted {
            place,
            entry_bytes,
            firsts: firsts.finish(entries),
            cancellation: self.cancellation.clone(),
            traffic,
        })
    }

    fn seal_memory(&self, combine: Option<&CombineBytes<'_>>, firsts: &mut Firsts<'_>) -> Result<(Place, u64)> {
        let mut sorted = Vec::with_capacity(self.slots.len());
        for slot in &self.slots {
            let mut output = Output::new(Target::Memory(Vec::new()), combine);
            self.sort(&mut lock(slot), &mut output)?;
            sorted.push(output.finish()?.1);
        }
        let mut runs: Vec<_> = sorted.iter().map(|run| RunCursor::in_memory(run)).collect();
        let mut output = Output::new(Target::Memory(Vec::new()), combine);
        merge(&mut runs, self.entry_bytes, &self.cancellation, &mut |entry| {
            output.push(entry, &mut |to, number| firsts.note(to, number))
        })?;
        let (entries, bytes) = output.finish()?;
        Ok((Place::Memory(bytes), entries))
    }

    fn seal_disk(&self, combine: Option<&CombineBytes<'_>>, firsts: &mut Firsts<'_>) -> Result<(Place, u64)> {
        for slot in &self.slots {
            let mut entries = lock(slot);
            if !entries.is_empty() {
                self.spill(&mut entries, combine)?;
            }
        }
        let Spilled { file, mut runs } = std::mem::take(&mut *lock(&self.spilled));
        let mut file = file.map_or_else(|| self.folder.create(), Ok)?.finish()?;
        while runs.len() > MOST_RUNS {
            let (mut writer, mut merged) = (self.folder.create()?, Vec::new());
            for group in runs.chunks(MOST_RUNS) {
                let start = writer.length();
                self.merge_runs(&file, group, &mut writer, combine, &mut |_, _| ())?;
                merged.push(start..writer.length());
            }
            (file, runs) = (writer.finish()?, merged);
        }
        let mut writer = self.folder.create()?;
        let mut note = |to, number| firsts.note(to, number);
        let entries = self.merge_runs(&file, &runs, &mut writer, combine, &mut note)?;
        Ok((Place::Disk(writer.finish()?), entries))
    }

    /// Merges runs into one, with the memory that sorting uses at other times; returns the number of entries.
    fn merge_runs(
        &self,
        file: &SpillFile,
        places: &[Range<u64>],
        writer: &mut SpillWriter,
        combine: Option<&CombineBytes<'_>>,
        begins: &mut dyn FnMut(VertexId, u64),
    ) -> Result<u64> {
        let memory = self.slots.len() * self.slot_bytes / self.entry_bytes * KEY_BYTES;
        let each = (memory / places.len().max(1) / self.entry_bytes).max(1) * self.entry_bytes;
        let open = |place: &Range<u64>| Ok(RunCursor::on_disk(file.open()?.at(place.start), place.end, each));
        let mut runs = places.iter().map(open).collect::<Result<Vec<_>>>()?;
        let start = writer.length();
        let mut output = Output::new(Target::disk(writer), combine);
        merge(&mut runs, self.entry_bytes, &self.cancellation, &mut |entry| output.push(entry, begins))?;
        let (entries, _) = output.finish()?;
        self.traffic.read.fetch_add(places.iter().map(|place| place.end - place.start).sum(), Relaxed);
        self.traffic.written.fetch_add(writer.length() - start, Relaxed);
        Ok(entries)
    }
}

impl BackendLog for SortedLog {
    fn writer(&self, slot: usize) -> Box<dyn BackendWriter + '_> {
        Box::new(SortedWriter { log: self, entries: lock(&self.slots[slot]), sent: 0 })
    }

    /// Counts unsorted messages for each interval, since they may be sent to any of them.
    fn waiting(&self, interval: usize) -> u64 {
        let sorted = lock(&self.sealed).of(interval);
        sorted.end - sorted.start + self.unsealed.load(Relaxed)
    }

    /// Sorts the messages sent since the last merge, once all merged messages are drained.
    fn drain(
        &self,
        interval: usize,
        combine: Option<&CombineBytes<'_>>,
    ) -> Result<Option<(u64, Box<dyn DrainedEntries>)>> {
        let mut sealed = lock(&self.sealed);
        if sealed.left == 0 && self.unsealed.load(Relaxed) > 0 {
            *sealed = Sealed::default();
            let sorted = Arc::new(self.seal(combine)?);
            *sealed = Sealed { left: sorted.len(), sorted: Some(sorted), drained: vec![false; self.intervals.len()] };
        }
        let entries = sealed.of(interval);
        let Some(sorted) = sealed.sorted.clone() else { return Ok(None) };
        sealed.drained[interval] = true;
        let count = entries.end - entries.start;
        sealed.left -= count;
        let drained = |entries| -> (u64, Box<dyn DrainedEntries>) { (count, Box::new(Slice { sorted, entries })) };
        Ok((count > 0).then(|| drained(entries)))
    }

    fn traffic(&self) -> (u64, u64) {
        (self.traffic.read.load(Relaxed), self.traffic.written.load(Relaxed))
    }
}

/// Appends to the entries of a worker.
struct SortedWriter<'l> {
    log: &'l SortedLog,
    entries: MutexGuard<'l, Vec<u8>>,
    sent: u64,
}

impl BackendWriter for SortedWriter<'_> {
    fn send(&mut self, to: &[VertexId], message: &[u8], combine: Option<&CombineBytes<'_>>) -> Result<()> {
        self.sent += length_from(to.len());
        for to in to {
            if self.entries.len() >= self.log.slot_bytes {
                self.log.spill(&mut self.entries, combine)?;
            }
            self.entries.extend_from_slice(&to.to_ne_bytes());
            self.entries.extend_from_slice(message);
        }
        Ok(())
    }
}

impl Drop for SortedWriter<'_> {
    fn drop(&mut self) {
        self.log.unsealed.fetch_add(self.sent, Relaxed);
    }
}

const _: () = assert!(ID_BYTES == size_of::<VertexId>());
