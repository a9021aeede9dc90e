//! External sorter: fills memory, scatters the records into groups of keys and spills them on a separate thread, and
//! finally sorts group by group. There is no merge phase: each record is sorted once, in the processor's cache.

use super::clusters::{Cluster, Clusters};
use super::groups::{Scatterer, write_groups};
use super::key::Record;
use super::packed::Packer;
use super::radix::sort;
use super::runs::{DurableRuns, RunsWriter, SortedRun, SortedRuns, reduce};
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
/// Number of buffers: one is filled, a second is scattered into a third.
const PARTS: usize = 3;
/// Maximum number of runs read at once: each needs a file descriptor.
const MOST_RUNS: usize = 128;
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
    capacity: usize,
    records: u64,
    /// Minimum key, if known.
    low: Option<R::Key>,
    /// Durable runs, and the thread that writes the current ones.
    kept: Vec<SortedRuns>,
    spiller: Option<Spiller<R, SortedRuns>>,
}

/// Durable records of a sorter, which survive the process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct DurableRecords {
    runs: Vec<DurableRuns>,
    records: u64,
}

/// Resources of a sorter.
#[derive(Clone)]
struct Space {
    folder: Arc<SpillFolder>,
    cancellation: Cancellation,
    bytes: usize,
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
        let space = Space { folder, cancellation, bytes: index_from(held.bytes()) };
        Ok(Self { unique, held: Some(held), ..Self::within(space, None) })
    }

    /// Creates a sorter in reserved memory.
    fn within(space: Space, low: Option<R::Key>) -> Self {
        let capacity = (space.bytes / PARTS / size_of::<R>()).max(1);
        Self {
            space,
            unique: false,
            held: None,
            filling: Vec::new(),
            capacity,
            records: 0,
            low,
            kept: Vec::new(),
            spiller: None,
        }
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

    /// Doubles the capacity, up to its share of the memory.
    #[cold]
    fn grow(&mut self) -> Result<()> {
        let (now, least) = (self.filling.len(), 1 << 10);
        memory::make_room(&mut self.filling, (2 * now).max(least).min(self.capacity) - now, Purpose::SortSpace)
    }

    fn spill(&mut self) -> Result<()> {
        self.space.cancellation.check()?;
        let spiller = match &mut self.spiller {
            Some(spiller) => spiller,
            vacant => vacant.insert(start(Arc::clone(&self.space.folder), self.unique, self.low)?),
        };
        self.filling = spiller.exchange(std::mem::take(&mut self.filling))?;
        Ok(())
    }

    /// Makes the records durable.
    ///
    /// # Errors
    ///
    /// Returns an error if a run cannot be spilled or made durable, or if the work is interrupted.
    pub(crate) fn keep(&mut self) -> Result<DurableRecords> {
        self.spill_all()?;
        let runs = self.kept.iter().map(SortedRuns::keep).collect::<Result<_>>()?;
        Ok(DurableRecords { runs, records: self.records })
    }

    /// Restores durable records, before any others are added.
    ///
    /// # Errors
    ///
    /// Returns an error if a file has changed.
    pub(crate) fn resume(&mut self, kept: &DurableRecords) -> Result<()> {
        self.kept = kept.runs.iter().map(|runs| SortedRuns::reopen(&self.space.folder, runs)).collect::<Result<_>>()?;
        self.records = kept.records;
        Ok(())
    }

    /// Spills the records in memory, and completes the file of runs.
    fn spill_all(&mut self) -> Result<()> {
        if !self.filling.is_empty() {
            self.spill()?;
        }
        self.filling = Vec::new();
        let runs = self.spiller.take().map(Spiller::finish).transpose()?;
        self.kept.extend(runs);
        Ok(())
    }

    /// Finishes and returns the records in order.
    ///
    /// # Errors
    ///
    /// Returns an error if a run cannot be spilled or read back, or if the work is interrupted.
    pub(crate) fn finish(mut self) -> Result<SortedRecords<R>> {
        if self.spiller.is_none() && self.kept.is_empty() {
            let mut scratch = memory::with_room_for(self.filling.len(), Purpose::SortSpace)?;
            sort(&mut self.filling, &mut scratch);
            return Ok(self.sorted(None));
        }
        self.spill_all()?;
        let most = (self.space.bytes / SMALLEST_RUN_BUFFER).clamp(2, MOST_RUNS);
        let runs = std::mem::take(&mut self.kept).iter().flat_map(SortedRuns::each).collect();
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

/// Starts the thread that scatters and spills full buffers.
fn start<R: Record>(folder: Arc<SpillFolder>, unique: bool, low: Option<R::Key>) -> Result<Spiller<R, SortedRuns>> {
    Spiller::start(move |buffers: FullBuffers<R>| {
        let (mut runs, mut scatterer) = (RunsWriter::create(&folder)?, Scatterer::new(low));
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
        self.next = 0;
        self.records.clear();
        self.spilled.as_mut().map_or(Ok(false), |spilled| spilled.load(&mut self.records, &mut self.scratch))
    }
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
    /// Loads the next records into `records`, which must be empty; returns false at the end.
    fn load(&mut self, records: &mut Vec<R>, scratch: &mut Vec<R>) -> Result<bool> {
        self.space.cancellation.check()?;
        if let Some(apart) = &mut self.apart {
            if !apart.records.is_empty() || apart.refill()? {
                std::mem::swap(records, &mut apart.records);
                return Ok(true);
            }
            self.apart = None;
        }
        let fits = (self.space.bytes / 4 / size_of::<R>()).max(1);
        let few = fits.min(CLUSTER_BYTES / size_of::<R>());
        let next = self.cluster.take().or_else(|| self.clusters.next(length_from(few)));
        let Some(mut cluster) = next else { return Ok(false) };
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
        if !one_key {
            memory::make_room(scratch, count.saturating_sub(scratch.len()), Purpose::SortSpace)?;
            sort(records, scratch);
        }
        self.cluster = Some(cluster).filter(|cluster| cluster.left() > 0);
        Ok(true)
    }

    /// Sorts a cluster within the memory of clusters, by finer digits of its keys.
    fn sort_apart(&mut self, mut cluster: Cluster<R::Key>) -> Result<SortedRecords<R>> {
        let space = Space { bytes: (self.space.bytes / 2).max(LEAST_BYTES_APART), ..self.space.clone() };
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

    /// Most of the sorters' memory is used by one key, by keys close to each other, or by runs that share no keys.
    #[test]
    fn keys_of_any_distribution_come_in_order() {
        let keys: [fn(u32) -> (u32, u32); 5] = [
            |number| (if number % 8 == 0 { number } else { 77 }, 5),
            |number| (number / 1000, number.wrapping_mul(2_654_435_761)),
            |number| (u32::MAX - number / 3, number % 7),
            |number| (1 << 31, number.wrapping_mul(2_654_435_761) >> (number % 32)),
            |number| (number.wrapping_mul(2_654_435_761) >> 31, number % 2 * number),
        ];
        for key in keys {
            let (_place, mut sorter) = sorter::<WeightedArc>(false);
            let arc = |number| WeightedArc::new(key(number).0, key(number).1, f64::from(number));
            let mut expected: Vec<_> = (0..700_000).map(arc).collect();
            expected.iter().for_each(|arc| sorter.push(*arc).unwrap());
            expected.sort_by_key(Record::key);
            assert!(drain(sorter.finish().unwrap()) == expected);
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
        sorter.space.cancellation.cancel();
        let result = (0..1_000_000).try_for_each(|v| sorter.push(ListArc::new(v, v, 1.0)));
        assert!(matches!(result, Err(Error::Interrupted)));
    }
}
