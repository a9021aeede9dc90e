//! The external sorter: fills memory, sorts and spills on a thread of its own, merges at the end.

use super::key::Record;
use super::merge::Merge;
use super::radix::{sort, sort_in_pieces};
use super::runs::{Runs, RunsWriter};
use crossbeam_channel::{Receiver, Sender, bounded};
use outcrop_io::{SpillFile, SpillFolder, SpillWriter};
use outcrop_types::{Cancellation, Error, MemoryBudget, Purpose, Reservation, Result, index_from, memory};
use std::ops::Range;
use std::sync::Arc;
use std::thread::JoinHandle;

/// A run is merged through a buffer of at least this many bytes.
const SMALLEST_RUN_BUFFER: usize = 64 << 10;
/// The least memory that a sorter works in, in bytes.
const LEAST_BYTES: u64 = 1 << 20;
/// Fill one part, sort another into a third.
const PARTS: usize = 3;
/// The most runs that are merged at once: each takes a file descriptor.
const MOST_RUNS: usize = 128;

/// Takes records in any order and gives them back sorted.
pub struct ExternalSorter<R: Record> {
    folder: Arc<SpillFolder>,
    cancellation: Cancellation,
    /// Of records with the same key only one is kept.
    unique: bool,
    held: Reservation,
    filling: Vec<R>,
    capacity: usize,
    records: u64,
    spiller: Option<Spiller<R>>,
}

impl<R: Record> ExternalSorter<R> {
    /// The least memory that a sorter works in, in bytes.
    pub const LEAST_BYTES: u64 = LEAST_BYTES;

    /// A sorter that works in `bytes` of memory and spills to `folder`; with `unique` it keeps one record of each key.
    ///
    /// # Errors
    /// The budget has fewer than `bytes` left.
    pub fn new(
        folder: &Arc<SpillFolder>,
        bytes: u64,
        unique: bool,
        budget: &MemoryBudget,
        cancellation: &Cancellation,
    ) -> Result<Self> {
        let held = budget.reserve_growing(bytes.max(LEAST_BYTES), Purpose::SortSpace)?;
        let capacity = index_from(held.bytes()) / PARTS / size_of::<R>();
        Ok(Self {
            folder: Arc::clone(folder),
            cancellation: cancellation.clone(),
            unique,
            held,
            filling: Vec::new(),
            capacity,
            records: 0,
            spiller: None,
        })
    }

    /// Records that were taken.
    pub const fn len(&self) -> u64 {
        self.records
    }

    /// Takes a record.
    ///
    /// # Errors
    /// A run cannot be spilled; interruption.
    #[inline]
    pub fn push(&mut self, record: R) -> Result<()> {
        if self.filling.len() == self.capacity {
            self.spill()?;
        }
        if self.filling.len() == self.filling.capacity() {
            self.grow()?;
        }
        self.filling.push(record);
        self.records += 1;
        Ok(())
    }

    /// Doubles what can be filled, but never beyond its share of the memory.
    #[cold]
    fn grow(&mut self) -> Result<()> {
        let (now, least) = (self.filling.len(), 1 << 10);
        memory::make_room(&mut self.filling, (2 * now).max(least).min(self.capacity) - now, Purpose::SortSpace)
    }

    fn spill(&mut self) -> Result<()> {
        self.cancellation.check()?;
        let spiller = match &mut self.spiller {
            Some(spiller) => spiller,
            vacant => vacant.insert(Spiller::start(Arc::clone(&self.folder), self.unique)?),
        };
        self.filling = spiller.exchange(std::mem::take(&mut self.filling))?;
        Ok(())
    }

    /// Ends the taking and gives the records back in order.
    ///
    /// # Errors
    /// A run cannot be spilled or read back; interruption.
    pub fn finish(mut self) -> Result<SortedRecords<R>> {
        if self.spiller.is_none() {
            let mut scratch = memory::with_room_for(self.filling.len(), Purpose::SortSpace)?;
            sort(&mut self.filling, &mut scratch);
            drop(scratch);
            let rest = std::mem::take(&mut self.filling).into_iter();
            return Ok(SortedRecords {
                source: Source::Memory(rest),
                last: None,
                unique: self.unique,
                _held: self.held,
            });
        }
        if !self.filling.is_empty() {
            self.spill()?;
        }
        self.filling = Vec::new();
        let mut spiller = self.spiller.take().ok_or_else(lost)?;
        let runs = spiller.end()?;
        // The buffer that comes back from the last run lies in its channel: its memory is needed for merging.
        drop(spiller);
        let bytes = index_from(self.held.bytes());
        let most = (bytes / SMALLEST_RUN_BUFFER).clamp(2, MOST_RUNS);
        let runs =
            runs.reduce(&self.folder, most, |file, group, writer| self.merge_group(file, group, bytes, writer))?;
        let source = Source::Runs(Merge::new(&runs.file, &runs.places, bytes)?);
        Ok(SortedRecords { source, last: None, unique: self.unique, _held: self.held })
    }

    fn merge_group(
        &self,
        file: &SpillFile,
        group: &[Range<u64>],
        bytes: usize,
        writer: &mut SpillWriter,
    ) -> Result<()> {
        let mut merge = Merge::<R>::new(file, group, bytes - bytes / 8)?;
        let mut batch = memory::with_room_for(bytes / 8 / size_of::<R>(), Purpose::SortSpace)?;
        while let Some(record) = merge.next()? {
            batch.push(record);
            if batch.len() == batch.capacity() {
                self.cancellation.check()?;
                writer.write(bytemuck::cast_slice(&batch))?;
                batch.clear();
            }
        }
        writer.write(bytemuck::cast_slice(&batch))
    }
}

/// The thread that sorts and spills full buffers.
struct Spiller<R> {
    full: Option<Sender<Vec<R>>>,
    empty: Receiver<Vec<R>>,
    thread: Option<JoinHandle<Result<Runs>>>,
}

impl<R: Record> Spiller<R> {
    fn start(folder: Arc<SpillFolder>, unique: bool) -> Result<Self> {
        let (full, incoming) = bounded::<Vec<R>>(0);
        let (outgoing, empty) = bounded(2);
        let thread = std::thread::Builder::new()
            .name("outcrop-sort".to_owned())
            .spawn(move || {
                let (mut runs, mut scratch) = (RunsWriter::create(&folder)?, Vec::new());
                _ = outgoing.send(Vec::new());
                for mut records in incoming {
                    runs.run(|writer| spill_run(writer, &mut records, &mut scratch, unique))?;
                    records.clear();
                    _ = outgoing.send(records);
                }
                runs.finish()
            })
            .map_err(|source| Error::io("start", "a sorting thread", source))?;
        Ok(Self { full: Some(full), empty, thread: Some(thread) })
    }

    /// Hands over a full buffer and takes an empty one; where the thread has ended, says why.
    fn exchange(&mut self, records: Vec<R>) -> Result<Vec<R>> {
        let sent = self.full.as_ref().is_some_and(|full| full.send(records).is_ok());
        match self.empty.recv() {
            Ok(empty) if sent => Ok(empty),
            _ => Err(self.end().err().unwrap_or_else(lost)),
        }
    }

    /// Lets the thread finish and takes its runs.
    fn end(&mut self) -> Result<Runs> {
        self.full = None;
        self.thread.take().map_or_else(|| Err(lost()), join)
    }
}

/// A sorter that is given up waits for its thread, so that nothing is written to a folder that is no longer there.
impl<R> Drop for Spiller<R> {
    fn drop(&mut self) {
        self.full = None;
        // What the thread has to say no longer matters.
        _ = self.thread.take().map(JoinHandle::join);
    }
}

fn join(thread: JoinHandle<Result<Runs>>) -> Result<Runs> {
    thread.join().unwrap_or_else(|payload| Err(Error::panicked("the thread that sorts and spills", &*payload)))
}

/// The error of asking a thread for its runs that has given them.
fn lost() -> Error {
    Error::internal("the thread that sorts and spills has ended before its input did")
}

fn spill_run<R: Record>(
    writer: &mut SpillWriter,
    records: &mut Vec<R>,
    scratch: &mut Vec<R>,
    unique: bool,
) -> Result<()> {
    memory::make_room(scratch, records.len().saturating_sub(scratch.len()), Purpose::SortSpace)?;
    if !unique {
        // The disk writes one piece while the next is sorted.
        return sort_in_pieces(records, scratch, |piece| writer.write(bytemuck::cast_slice(piece)));
    }
    sort(records, scratch);
    records.dedup_by_key(|record| record.key());
    writer.write(bytemuck::cast_slice(records))
}

enum Source<R: Record> {
    Memory(std::vec::IntoIter<R>),
    Runs(Merge<R>),
}

/// Records in order.
pub struct SortedRecords<R: Record> {
    source: Source<R>,
    last: Option<R::Key>,
    unique: bool,
    _held: Reservation,
}

impl<R: Record> SortedRecords<R> {
    /// The next record.
    ///
    /// # Errors
    /// A run cannot be read back.
    #[inline]
    pub fn next(&mut self) -> Result<Option<R>> {
        loop {
            let record = match &mut self.source {
                Source::Memory(records) => records.next(),
                Source::Runs(merge) => merge.next()?,
            };
            let key = record.as_ref().map(Record::key);
            if !self.unique || record.is_none() || self.last.replace_if_other(key) {
                return Ok(record);
            }
        }
    }
}

trait ReplaceIfOther {
    fn replace_if_other(&mut self, other: Self) -> bool;
}

impl<K: PartialEq> ReplaceIfOther for Option<K> {
    #[inline]
    fn replace_if_other(&mut self, other: Self) -> bool {
        let differs = *self != other;
        *self = other;
        differs
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::writing::record::{Arc as ListArc, ArcRecord, UniqueKey};
    use proptest::prelude::*;

    fn sorter<R: Record>(unique: bool) -> (tempfile::TempDir, ExternalSorter<R>) {
        let place = tempfile::tempdir().unwrap();
        let folder = Arc::new(SpillFolder::new(place.path()).unwrap());
        let budget = MemoryBudget::new(1 << 20);
        let sorter = ExternalSorter::new(&folder, 1 << 20, unique, &budget, &Cancellation::new()).unwrap();
        (place, sorter)
    }

    fn drain<R: Record>(mut records: SortedRecords<R>) -> Vec<R> {
        std::iter::from_fn(|| records.next().unwrap()).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]
        #[test]
        fn many_runs_merge_into_one_order(seed in any::<u64>(), count in 0usize..400_000) {
            let (_place, mut sorter) = sorter::<ListArc>(false);
            let mut state = seed;
            let mut expected = Vec::new();
            for _ in 0..count {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let arc = ListArc::new((state >> 40) as u32, (state >> 20) as u32, 1.0);
                expected.push(arc);
                sorter.push(arc).unwrap();
            }
            expected.sort_by_key(Record::key);
            prop_assert_eq!(drain(sorter.finish().unwrap()), expected);
        }
    }

    #[test]
    fn unique_keys_come_once() {
        let (_place, mut sorter) = sorter::<UniqueKey<u64>>(true);
        for round in 0..5_u64 {
            for key in 0..60_000 {
                sorter.push(UniqueKey((key * 7919 + round) % 50_000)).unwrap();
            }
        }
        let keys: Vec<u64> = drain(sorter.finish().unwrap()).into_iter().map(|key| key.0).collect();
        assert!(keys.into_iter().eq(0..50_000));
    }

    #[test]
    fn a_full_spill_folder_or_a_cancellation_ends_in_an_error() {
        let (_place, mut sorter) = sorter::<ListArc>(false);
        sorter.cancellation.cancel();
        let result = (0..1_000_000).try_for_each(|v| sorter.push(ListArc::new(v, v, 1.0)));
        assert!(matches!(result, Err(Error::Interrupted)));
    }
}
