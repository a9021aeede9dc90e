//! The external sorter: fills memory, scatters it into groups of keys and spills them on a thread of its own, and sorts
//! group by group at the end. Nothing is merged, and each record is sorted once, in the processor's cache.

use super::clusters::{Cluster, Clusters};
use super::groups::{Scatterer, write_groups};
use super::key::Record;
use super::radix::sort;
use super::runs::{KeptRuns, Run, Runs, RunsWriter, reduce};
use super::spiller::{FullBuffers, Spiller};
use outcrop_io::{SpillFolder, SpillWriter};
use outcrop_types::{Cancellation, MemoryBudget, Purpose, Reservation, Result, index_from, length_from, memory};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A run is read through a buffer of at least this many bytes.
const SMALLEST_RUN_BUFFER: usize = 64 << 10;
/// The least memory that a sorter works in, in bytes.
const LEAST_BYTES: u64 = 1 << 20;
/// The least memory that a cluster is sorted apart in, which only sorters in little memory with many equal digits come
/// to.
const LEAST_BYTES_APART: usize = 256 << 10;
/// Fill one part, scatter another into a third.
const PARTS: usize = 3;
/// The most runs that are read at once: each takes a file descriptor.
const MOST_RUNS: usize = 128;
/// Bytes of records that are sorted together, where more fit in memory: with the scratch, what a processor's cache
/// holds.
const CLUSTER_BYTES: usize = 512 << 10;

/// Takes records in any order and gives them back sorted.
pub struct ExternalSorter<R: Record> {
    space: Space,
    /// True if only one of the records with the same key is kept.
    unique: bool,
    held: Option<Reservation>,
    filling: Vec<R>,
    capacity: usize,
    records: u64,
    /// Least key, where that is known.
    low: Option<R::Key>,
    /// Runs that are durable, and the thread that writes those behind them.
    kept: Vec<Runs>,
    spiller: Option<Spiller<R, Runs>>,
}

/// Records of a sorter that outlive their process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KeptRecords {
    runs: Vec<KeptRuns>,
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
        let (folder, cancellation) = (Arc::clone(folder), cancellation.clone());
        let space = Space { folder, cancellation, bytes: index_from(held.bytes()) };
        Ok(Self { unique, held: Some(held), ..Self::within(space, None) })
    }

    /// A sorter in memory that is reserved.
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
        self.space.cancellation.check()?;
        let spiller = match &mut self.spiller {
            Some(spiller) => spiller,
            vacant => vacant.insert(start(Arc::clone(&self.space.folder), self.unique, self.low)?),
        };
        self.filling = spiller.exchange(std::mem::take(&mut self.filling))?;
        Ok(())
    }

    /// Makes the records that were taken outlive the process.
    ///
    /// # Errors
    /// A run cannot be spilled, or not be made durable; interruption.
    pub fn keep(&mut self) -> Result<KeptRecords> {
        self.spill_all()?;
        let runs = self.kept.iter().map(Runs::keep).collect::<Result<_>>()?;
        Ok(KeptRecords { runs, records: self.records })
    }

    /// Takes records that were kept before any others.
    ///
    /// # Errors
    /// A file is not as it was.
    pub fn resume(&mut self, kept: &KeptRecords) -> Result<()> {
        self.kept = kept.runs.iter().map(|runs| Runs::reopen(&self.space.folder, runs)).collect::<Result<_>>()?;
        self.records = kept.records;
        Ok(())
    }

    /// Spills what is in memory, and ends the file of runs.
    fn spill_all(&mut self) -> Result<()> {
        if !self.filling.is_empty() {
            self.spill()?;
        }
        self.filling = Vec::new();
        let runs = self.spiller.take().map(Spiller::finish).transpose()?;
        self.kept.extend(runs);
        Ok(())
    }

    /// Ends the taking and gives the records back in order.
    ///
    /// # Errors
    /// A run cannot be spilled or read back; interruption.
    pub fn finish(mut self) -> Result<SortedRecords<R>> {
        if self.spiller.is_none() && self.kept.is_empty() {
            let mut scratch = memory::with_room_for(self.filling.len(), Purpose::SortSpace)?;
            sort(&mut self.filling, &mut scratch);
            return Ok(self.sorted(None));
        }
        self.spill_all()?;
        let most = (self.space.bytes / SMALLEST_RUN_BUFFER).clamp(2, MOST_RUNS);
        let runs = std::mem::take(&mut self.kept).iter().flat_map(Runs::each).collect();
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
    /// Writes one run for several.
    fn merge<R: Record>(&self, runs: &[Run], writer: &mut SpillWriter) -> Result<()> {
        let mut clusters = Clusters::<R>::new(runs, self.bytes / 8 * 7)?;
        let mut batch = memory::with_room_for(self.bytes / 8 / size_of::<R>(), Purpose::SortSpace)?;
        let mut groups = Vec::new();
        while let Some(mut cluster) = clusters.next(0) {
            self.cancellation.check()?;
            groups.push(cluster.bounds);
            clusters.take(&mut cluster, u64::MAX, |records| write_batched(records, &mut batch, writer))?;
        }
        writer.write(bytemuck::cast_slice(&batch))?;
        write_groups(&groups, writer)
    }
}

/// Writes `records` once there is a batch of them.
fn write_batched<R: Record>(records: &[R], batch: &mut Vec<R>, writer: &mut SpillWriter) -> Result<()> {
    if batch.len() + records.len() > batch.capacity() {
        writer.write(bytemuck::cast_slice(batch))?;
        batch.clear();
    }
    if records.len() > batch.capacity() {
        return writer.write(bytemuck::cast_slice(records));
    }
    batch.extend_from_slice(records);
    Ok(())
}

/// Starts the thread that scatters and spills full buffers.
fn start<R: Record>(folder: Arc<SpillFolder>, unique: bool, low: Option<R::Key>) -> Result<Spiller<R, Runs>> {
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

/// Records in order.
pub struct SortedRecords<R: Record> {
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
    /// The next record.
    ///
    /// # Errors
    /// A run cannot be read back; interruption.
    #[inline]
    pub fn next(&mut self) -> Result<Option<R>> {
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

    /// Loads the next records; false at the end.
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
    /// A cluster of which records are left.
    cluster: Option<Cluster<R::Key>>,
    /// A cluster that memory does not hold, sorted by itself.
    apart: Option<SortedRecords<R>>,
}

impl<R: Record> Spilled<R> {
    /// Loads the next records into `records`, which is empty; false at the end.
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

    /// Sorts a cluster in the memory that clusters have, by finer digits of its keys.
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

    /// Most of the sorters' memory is taken by one key, by keys close to each other, or by runs that share no keys.
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

    /// Records that are kept here and there, in a sorter that goes on in another each time.
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
