//! External sorter: fills memory, scatters the records into groups of keys and spills them on a separate thread, and
//! finally sorts group by group. There is no merge phase: each record is sorted once, in the processor's cache.

use super::clusters::{Cluster, Clusters};
use super::groups::{Scatterer, SharedGrouping, write_groups};
use super::in_order::{in_order, items, workers_for};
use super::key::Record;
use super::packed::Packer;
use super::radix::sort;
use super::runs::{DurableRuns, RunsWriter, SortedRun, SortedRuns, in_turn, reduce};
use super::spiller::{FullBuffers, Spiller};
use outcrop_io::{SpillFolder, SpillWriter};
use outcrop_types::{Cancellation, MemoryBudget, Purpose, Reservation, Result, index_from, length_from, memory};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Minimum buffer for reading a run, in bytes.
const SMALLEST_RUN_BUFFER: usize = 64 << 10;
/// Minimum memory of a sorter, in bytes.
const LEAST_BYTES: u64 = 1 << 20;
/// Minimum memory for sorting a cluster separately, which happens only with little memory and many equal digits.
const LEAST_BYTES_APART: usize = 256 << 10;
/// Minimum size of a run if several threads spill, or of any run if the number of records is known, in bytes; tests
/// have less memory. Runs of this size are scattered within the processor's caches.
const LEAST_RUN_BYTES: usize = if cfg!(test) { 64 << 10 } else { 4 << 20 };
/// Minimum number of records to reserve memory for if other threads sort than the one that reads.
const LEAST_SORTED_APART: usize = if cfg!(test) { 1 << 9 } else { 1 << 14 };
/// Maximum number of runs read at once: each needs a file descriptor.
const MOST_RUNS: usize = 240;
/// Target number of runs if the number of records is known. If it was too low, further runs are as long as possible.
const USUAL_RUNS: usize = MOST_RUNS / 4 * 3;
/// Bytes of records sorted together, even if more fit in memory: with the scratch buffer, they fit in a processor's
/// cache.
const CLUSTER_BYTES: usize = 512 << 10;

/// External sorter of records.
pub(crate) struct ExternalSorter<R: Record> {
    space: Space,
    /// True if only one record per key is kept.
    unique: bool,
    held: Option<Reservation>,
    filling: Vec<R>,
    /// Number of records per run, and of the current one.
    capacity: usize,
    room: usize,
    records: u64,
    grouping: Arc<SharedGrouping<R::Key>>,
    /// Runs that were completed together, in one file of each thread.
    kept: Vec<Vec<SortedRuns>>,
    /// Threads that write the current runs in turn, and the number of these runs.
    spillers: Vec<Spiller<R, SortedRuns>>,
    runs: usize,
}

/// Durable records of a sorter, which survive the process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct DurableRecords {
    runs: Vec<Vec<DurableRuns>>,
    records: u64,
}

/// Resources of a sorter.
#[derive(Clone)]
struct Space {
    folder: Arc<SpillFolder>,
    cancellation: Cancellation,
    bytes: usize,
    /// Number of threads that spill.
    threads: usize,
    /// Expected number of records; 0 if unknown.
    expected: u64,
}

impl<R: Record> ExternalSorter<R> {
    /// Minimum memory of a sorter, in bytes.
    pub(crate) const LEAST_BYTES: u64 = LEAST_BYTES;

    /// Creates a sorter that uses `bytes` of memory and spills to `folder`; with `unique` it keeps one record per key.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget has less than `bytes` left.
    pub(crate) fn new(
        folder: &Arc<SpillFolder>,
        bytes: u64,
        unique: bool,
        budget: &MemoryBudget,
        cancellation: &Cancellation,
    ) -> Result<Self> {
        let held = budget.reserve_growing(bytes.max(LEAST_BYTES), Purpose::SortSpace)?;
        let (folder, cancellation) = (Arc::clone(folder), cancellation.clone());
        let space = Space { folder, cancellation, bytes: index_from(held.bytes()), threads: 1, expected: 0 };
        Ok(Self { unique, held: Some(held), ..Self::within(space, None) })
    }

    /// Spills with up to `threads` threads, if there are about `expected` records, 0 if that is unknown; none have been
    /// added.
    #[must_use]
    pub(crate) fn with_threads(self, threads: usize, expected: u64) -> Self {
        let room = (self.space.bytes / LEAST_RUN_BYTES).saturating_sub(1) / 2;
        let space = Space { threads: threads.min(room).max(1), expected, ..self.space.clone() };
        Self { unique: self.unique, held: self.held, ..Self::within(space, None) }
    }

    /// Creates a sorter in reserved memory; `low` is the minimum key, if known.
    fn within(space: Space, low: Option<R::Key>) -> Self {
        let capacity = space.records_per_run::<R>();
        let grouped = capacity.max(index_from(space.expected));
        Self {
            space,
            unique: false,
            held: None,
            filling: Vec::new(),
            capacity,
            room: capacity,
            records: 0,
            grouping: Arc::new(SharedGrouping::new(low, grouped)),
            kept: Vec::new(),
            spillers: Vec::new(),
            runs: 0,
        }
    }

    /// Halves the first run: two sorters that are filled together then spill in turn, so that neither their threads nor
    /// the one that fills them wait.
    #[must_use]
    pub(crate) const fn with_short_first_run(mut self) -> Self {
        self.room = self.capacity.div_ceil(2);
        self
    }

    /// Returns the number of records added.
    pub(crate) const fn len(&self) -> u64 {
        self.records
    }

    /// Adds a record.
    ///
    /// # Errors
    ///
    /// Returns an error if a run cannot be spilled or the run is interrupted.
    #[inline]
    pub(crate) fn push(&mut self, record: R) -> Result<()> {
        if self.filling.len() >= self.room {
            self.spill()?;
        }
        if self.filling.len() == self.filling.capacity() {
            self.grow(1)?;
        }
        self.filling.push(record);
        self.records += 1;
        Ok(())
    }

    /// Adds `records`.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`push`](Self::push).
    pub(crate) fn extend(&mut self, mut records: impl ExactSizeIterator<Item = R>) -> Result<()> {
        self.records += length_from(records.len());
        while records.len() > 0 {
            if self.filling.len() >= self.room {
                self.spill()?;
            }
            let some = records.len().min(self.room - self.filling.len());
            if self.filling.capacity() - self.filling.len() < some {
                self.grow(some)?;
            }
            self.filling.extend(records.by_ref().take(some));
        }
        Ok(())
    }

    /// Makes room for `more` records, but doubles the capacity if its share of the memory allows that.
    #[cold]
    fn grow(&mut self, more: usize) -> Result<()> {
        let (now, least) = (self.filling.len(), 1 << 10);
        memory::make_room(&mut self.filling, now.max(least).min(self.room - now).max(more), Purpose::SortSpace)
    }

    fn spill(&mut self) -> Result<()> {
        self.space.cancellation.check()?;
        let turn = self.runs % self.space.threads;
        if turn == self.spillers.len() {
            self.spillers.push(start(Arc::clone(&self.space.folder), self.unique, Arc::clone(&self.grouping))?);
        }
        self.filling = self.spillers[turn].exchange(std::mem::take(&mut self.filling))?;
        self.runs += 1;
        self.room = if self.runs < USUAL_RUNS { self.capacity } else { self.space.records_that_fit::<R>() };
        Ok(())
    }

    /// Makes the records durable.
    ///
    /// # Errors
    ///
    /// Returns an error if a run cannot be spilled or made durable, or if the work is interrupted.
    pub(crate) fn keep(&mut self) -> Result<DurableRecords> {
        self.spill_all()?;
        let runs = self.kept.iter().map(|files| files.iter().map(SortedRuns::keep).collect()).collect::<Result<_>>()?;
        Ok(DurableRecords { runs, records: self.records })
    }

    /// Restores durable records, before any others are added.
    ///
    /// # Errors
    ///
    /// Returns an error if a file has changed.
    pub(crate) fn resume(&mut self, kept: &DurableRecords) -> Result<()> {
        let reopen = |runs| SortedRuns::reopen(&self.space.folder, runs);
        self.kept = kept.runs.iter().map(|files| files.iter().map(reopen).collect()).collect::<Result<_>>()?;
        self.records = kept.records;
        Ok(())
    }

    /// Spills the records in memory, and completes the files of runs.
    fn spill_all(&mut self) -> Result<()> {
        if !self.filling.is_empty() {
            self.spill()?;
        }
        self.filling = Vec::new();
        self.runs = 0;
        let files = self.spillers.drain(..).map(Spiller::finish).collect::<Result<Vec<_>>>()?;
        self.kept.extend(Some(files).filter(|files| !files.is_empty()));
        Ok(())
    }

    /// Finishes and returns the records in order.
    ///
    /// # Errors
    ///
    /// Returns an error if a run cannot be spilled or read back, or if the work is interrupted.
    pub(crate) fn finish(mut self) -> Result<SortedRecords<R>> {
        if self.spillers.is_empty() && self.kept.is_empty() {
            let mut scratch = memory::with_room_for(self.filling.len(), Purpose::SortSpace)?;
            sort(&mut self.filling, &mut scratch);
            return Ok(self.sorted(None));
        }
        self.spill_all()?;
        let most = (self.space.bytes / SMALLEST_RUN_BUFFER).clamp(2, MOST_RUNS);
        let runs = std::mem::take(&mut self.kept).iter().flat_map(|files| in_turn(files)).collect();
        let runs = reduce(runs, &self.space.folder, most, |group, writer| self.space.merge::<R>(group, writer))?;
        let clusters = Clusters::new(&runs, self.space.bytes / 2)?;
        let spilled = Spilled { space: self.space.clone(), clusters, cluster: None, apart: None };
        Ok(self.sorted(Some(Box::new(spilled))))
    }

    fn sorted(self, spilled: Option<Box<Spilled<R>>>) -> SortedRecords<R> {
        let Self { filling, unique, held, .. } = self;
        SortedRecords { records: filling, next: 0, scratch: Vec::new(), spilled, last: None, unique, _held: held }
    }
}

impl Space {
    /// Returns the maximum number of records per run: a buffer is filled, and each thread scatters another one into a
    /// third.
    fn records_that_fit<R>(&self) -> usize {
        (self.bytes / (2 * self.threads + 1) / size_of::<R>()).max(1)
    }

    /// Returns the usual number of records per run: if the number of all records is known, runs are small.
    fn records_per_run<R>(&self) -> usize {
        match index_from(self.expected) {
            0 => self.records_that_fit::<R>(),
            all => self.records_that_fit::<R>().min((LEAST_RUN_BYTES / size_of::<R>()).max(all / USUAL_RUNS + 1)),
        }
    }

    /// Merges several runs into one.
    fn merge<R: Record>(&self, runs: &[SortedRun], writer: &mut SpillWriter) -> Result<()> {
        let mut clusters = Clusters::<R>::new(runs, self.bytes / 8 * 7)?;
        let mut batch = memory::with_room_for(self.bytes / 8 / size_of::<R>(), Purpose::SortSpace)?;
        let (mut groups, mut packer) = (Vec::new(), Packer::new());
        while let Some(mut cluster) = clusters.next(0) {
            self.cancellation.check()?;
            groups.push(cluster.bounds);
            clusters.take(&mut cluster, u64::MAX, |records| {
                if batch.len() + records.len() > batch.capacity() {
                    packer.write(&batch, writer)?;
                    batch.clear();
                }
                if records.len() > batch.capacity() {
                    return packer.write(records, writer);
                }
                batch.extend_from_slice(records);
                Ok(())
            })?;
        }
        packer.write(&batch, writer)?;
        packer.flush(writer)?;
        write_groups(&groups, writer)
    }
}

/// Starts a thread that scatters and spills full buffers.
fn start<R: Record>(
    folder: Arc<SpillFolder>,
    unique: bool,
    grouping: Arc<SharedGrouping<R::Key>>,
) -> Result<Spiller<R, SortedRuns>> {
    Spiller::start(move |buffers: FullBuffers<R>| {
        let (mut runs, mut scatterer) = (RunsWriter::create(&folder)?, Scatterer::new(grouping));
        buffers.for_each(|records| {
            if unique {
                sort(records, scatterer.scratch());
                records.dedup_by_key(|record| record.key());
            }
            runs.run(|writer| scatterer.write(records, writer))
        })?;
        runs.finish()
    })
}

/// Sorted records.
pub(crate) struct SortedRecords<R: Record> {
    /// Records in memory; `next` is the position of the next one.
    records: Vec<R>,
    next: usize,
    scratch: Vec<R>,
    spilled: Option<Box<Spilled<R>>>,
    last: Option<R::Key>,
    unique: bool,
    _held: Option<Reservation>,
}

impl<R: Record> SortedRecords<R> {
    /// Returns the next record.
    ///
    /// # Errors
    ///
    /// Returns an error if a run cannot be read back or the work is interrupted.
    #[inline]
    pub(crate) fn next(&mut self) -> Result<Option<R>> {
        loop {
            let Some(record) = self.records.get(self.next).copied() else {
                if self.refill()? { continue } else { return Ok(None) }
            };
            self.next += 1;
            if !self.unique || self.last.replace(record.key()) != Some(record.key()) {
                return Ok(Some(record));
            }
        }
    }

    /// Loads the next records; returns false at the end.
    #[cold]
    fn refill(&mut self) -> Result<bool> {
        match self.load()? {
            Loaded::Nothing => return Ok(false),
            Loaded::Sorted => {}
            Loaded::Unsorted => sort_loaded(&mut self.records, &mut self.scratch)?,
        }
        Ok(true)
    }

    /// Loads the next records without sorting them.
    fn load(&mut self) -> Result<Loaded> {
        self.next = 0;
        self.records.clear();
        self.spilled.as_mut().map_or(Ok(Loaded::Nothing), |spilled| spilled.load(&mut self.records, &mut self.scratch))
    }

    /// Passes on all records. If they are on disk, and memory suffices, another thread reads them and up to
    /// `workers` sort them.
    ///
    /// # Errors
    ///
    /// Returns the error of `take`, or an error under the same conditions as [`next`](Self::next).
    pub(crate) fn for_each(mut self, workers: usize, mut take: impl FnMut(R) -> Result<()>) -> Result<()> {
        // One half of the memory of a cluster is for one that is sorted while it is read, the other for all items.
        let room = |spilled: &Spilled<R>| spilled.fits() / 2;
        let workers = self.spilled.as_ref().filter(|_| !self.unique).map_or(0, |spilled| {
            let usual = index_from(spilled.clusters.usual_records()).max(LEAST_SORTED_APART);
            workers_for(room(spilled) / usual).min(workers)
        });
        let Some(spilled) = self.spilled.as_mut().filter(|_| workers > 0) else {
            while let Some(record) = self.next()? {
                take(record)?;
            }
            return Ok(());
        };
        let few = room(spilled) / items(workers);
        spilled.space.bytes /= 2;
        let sort = |piece: &mut Piece<R>| {
            if piece.sorted { Ok(()) } else { sort_loaded(&mut piece.records, &mut piece.scratch) }
        };
        in_order(
            workers,
            |piece| self.fill(piece, few),
            sort,
            |pieces| {
                while let Some(piece) = pieces.next()? {
                    piece.records.iter().try_for_each(|record| take(*record))?;
                }
                Ok(())
            },
        )
    }

    /// Fills `piece` with the next records, at most `few`; returns false at the end.
    fn fill(&mut self, piece: &mut Piece<R>, few: usize) -> Result<bool> {
        piece.records.clear();
        piece.sorted = true;
        if self.next == self.records.len() {
            if self.records.capacity() > few {
                // Memory of a large cluster must not become that of a piece.
                self.records = Vec::new();
            }
            match self.load()? {
                Loaded::Nothing => return Ok(false),
                Loaded::Sorted => {}
                Loaded::Unsorted if self.records.len() <= few => {
                    piece.sorted = false;
                    std::mem::swap(&mut piece.records, &mut self.records);
                    return Ok(true);
                }
                Loaded::Unsorted => sort_loaded(&mut self.records, &mut self.scratch)?,
            }
        }
        let rest = &self.records[self.next..];
        let now = &rest[..few.min(rest.len())];
        memory::make_room(&mut piece.records, now.len(), Purpose::SortSpace)?;
        piece.records.extend_from_slice(now);
        self.next += now.len();
        Ok(true)
    }
}

/// Some of the sorted records, which a thread sorts.
struct Piece<R> {
    records: Vec<R>,
    scratch: Vec<R>,
    sorted: bool,
}

impl<R> Default for Piece<R> {
    fn default() -> Self {
        Self { records: Vec::new(), scratch: Vec::new(), sorted: false }
    }
}

/// State of loaded records.
enum Loaded {
    Nothing,
    Sorted,
    Unsorted,
}

/// Sorts records, with memory for as many others.
fn sort_loaded<R: Record>(records: &mut [R], scratch: &mut Vec<R>) -> Result<()> {
    memory::make_room(scratch, records.len().saturating_sub(scratch.len()), Purpose::SortSpace)?;
    sort(records, scratch);
    Ok(())
}

/// Records on disk.
struct Spilled<R: Record> {
    space: Space,
    clusters: Clusters<R>,
    /// Cluster with remaining records.
    cluster: Option<Cluster<R::Key>>,
    /// Cluster that exceeds memory and is sorted separately.
    apart: Option<SortedRecords<R>>,
}

impl<R: Record> Spilled<R> {
    /// Returns the number of records that fit in memory, with a scratch buffer.
    fn fits(&self) -> usize {
        (self.space.bytes / 4 / size_of::<R>()).max(1)
    }

    /// Returns the number of records that are sorted together.
    fn few(&self) -> usize {
        self.fits().min(CLUSTER_BYTES / size_of::<R>())
    }

    /// Loads the next records into `records`, which must be empty.
    fn load(&mut self, records: &mut Vec<R>, scratch: &mut Vec<R>) -> Result<Loaded> {
        self.space.cancellation.check()?;
        let fits = self.fits();
        if let Some(apart) = &mut self.apart {
            if !apart.records.is_empty() || apart.refill()? {
                std::mem::swap(records, &mut apart.records);
                return Ok(Loaded::Sorted);
            }
            self.apart = None;
        }
        let next = self.cluster.take().or_else(|| self.clusters.next(length_from(self.few())));
        let Some(mut cluster) = next else { return Ok(Loaded::Nothing) };
        let one_key = cluster.bounds.min == cluster.bounds.max;
        if !one_key && cluster.left() > length_from(fits) {
            (*records, *scratch) = (Vec::new(), Vec::new());
            self.apart = Some(self.sort_apart(cluster)?);
            return self.load(records, scratch);
        }
        let count = index_from(cluster.left()).min(fits);
        memory::make_room(records, count, Purpose::SortSpace)?;
        self.clusters.take(&mut cluster, length_from(count), |piece| {
            records.extend_from_slice(piece);
            Ok(())
        })?;
        self.cluster = Some(cluster).filter(|cluster| cluster.left() > 0);
        Ok(if one_key { Loaded::Sorted } else { Loaded::Unsorted })
    }

    /// Sorts a cluster within the memory of clusters, by finer digits of its keys.
    fn sort_apart(&mut self, mut cluster: Cluster<R::Key>) -> Result<SortedRecords<R>> {
        let space = Space {
            bytes: (self.space.bytes / 2).max(LEAST_BYTES_APART),
            threads: 1,
            expected: 0,
            ..self.space.clone()
        };
        let mut sorter = ExternalSorter::within(space, Some(cluster.bounds.min));
        self.clusters.take(&mut cluster, u64::MAX, |piece| piece.iter().try_for_each(|record| sorter.push(*record)))?;
        sorter.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::writing::record::{Arc as ListArc, ArcRecord, UniqueKey, WeightedArc};
    use outcrop_types::Error;
    use proptest::prelude::*;

    fn sorter<R: Record>(unique: bool, bytes: u64) -> (tempfile::TempDir, ExternalSorter<R>) {
        let place = tempfile::tempdir().unwrap();
        let folder = Arc::new(SpillFolder::new(place.path()).unwrap());
        let budget = MemoryBudget::new(bytes);
        let sorter = ExternalSorter::new(&folder, bytes, unique, &budget, &Cancellation::new()).unwrap();
        (place, sorter)
    }

    fn drain<R: Record>(mut records: SortedRecords<R>) -> Vec<R> {
        std::iter::from_fn(|| records.next().unwrap()).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]
        #[test]
        fn many_runs_merge_into_one_order(seed in any::<u64>(), count in 0usize..400_000) {
            let (_place, mut sorter) = sorter::<ListArc>(false, 1 << 20);
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

    /// Most of the sorters' memory is used by one key, by keys close to each other, or by runs that share no keys.
    #[test]
    fn keys_of_any_distribution_come_in_order() {
        let keys: [fn(u32) -> (u32, u32); 6] = [
            |number| (if number % 8 == 0 { number } else { 77 }, 5),
            |number| (number / 1000, number.wrapping_mul(2_654_435_761)),
            |number| (u32::MAX - number / 3, number % 7),
            |number| (1 << 31, number.wrapping_mul(2_654_435_761) >> (number % 32)),
            |number| (number.wrapping_mul(2_654_435_761) >> 31, number % 2 * number),
            |number| if number < 300_000 { (5, 3) } else { (number.wrapping_mul(2_654_435_761), 3) },
        ];
        // Bytes, and threads that spill and that sort: with little memory, one thread does everything.
        let resources = [(1 << 20, 1, 0), (1 << 20, 3, 3), (24 << 20, 1, 3), (24 << 20, 4, 1)];
        for (key, (bytes, spilling, sorting)) in keys.iter().flat_map(|key| resources.map(|given| (key, given))) {
            let (_place, sorter) = sorter::<WeightedArc>(false, bytes);
            let mut sorter = sorter.with_threads(spilling, if sorting == 1 { 700_000 } else { 0 });
            let arc = |number| WeightedArc::new(key(number).0, key(number).1, f64::from(number));
            let mut expected: Vec<_> = (0..700_000).map(arc).collect();
            let (one_by_one, together) = expected.split_at(250_000);
            one_by_one.iter().for_each(|arc| sorter.push(*arc).unwrap());
            together.chunks(99_999).for_each(|arcs| sorter.extend(arcs.iter().copied()).unwrap());
            expected.sort_by_key(Record::key);
            let mut sorted = Vec::new();
            let take = |record| {
                sorted.push(record);
                Ok(())
            };
            sorter.finish().unwrap().for_each(sorting, take).unwrap();
            assert!(sorted == expected);
        }
    }

    /// Records are made durable at several points, and the sorter resumes in another one each time.
    #[test]
    fn records_that_were_kept_come_in_the_order_in_which_they_were_taken() {
        let place = tempfile::tempdir().unwrap();
        let budget = MemoryBudget::new(1 << 20);
        let (mut listed, mut kept) = (Vec::new(), None);
        let mut expected = Vec::new();
        for round in 0..6_u32 {
            let folder = Arc::new(SpillFolder::keeping(place.path(), "tag", &listed).unwrap());
            let mut sorter =
                ExternalSorter::<WeightedArc>::new(&folder, 1 << 20, false, &budget, &Cancellation::new()).unwrap();
            sorter = sorter.with_threads(1 + round as usize % 3, 0);
            kept.iter().for_each(|kept| sorter.resume(kept).unwrap());
            for number in 0..[0, 10, 60_000][round as usize % 3] {
                let arc = WeightedArc::new(number % 7, number / 100, f64::from(round * 100_000 + number));
                expected.push(arc);
                sorter.push(arc).unwrap();
            }
            kept = Some(sorter.keep().unwrap());
            listed = folder.to_keep();
            folder.keep().unwrap();
            if round == 5 {
                expected.sort_by_key(Record::key);
                assert_eq!(sorter.len(), length_from(expected.len()));
                assert!(drain(sorter.finish().unwrap()) == expected);
            }
        }
    }

    #[test]
    fn unique_keys_come_once() {
        let (_place, mut sorter) = sorter::<UniqueKey<u64>>(true, 1 << 20);
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
        let (_place, mut sorter) = sorter::<ListArc>(false, 1 << 20);
        sorter.space.cancellation.cancel();
        let result = (0..1_000_000).try_for_each(|v| sorter.push(ListArc::new(v, v, 1.0)));
        assert!(matches!(result, Err(Error::Interrupted)));
    }
}
