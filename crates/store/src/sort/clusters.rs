//! Reading of runs in clusters: groups of all runs with adjacent keys, whose key ranges no other cluster overlaps.

use super::groups::{Group, read_groups};
use super::key::Record;
use super::packed::Unpacker;
use super::runs::SortedRun;
use outcrop_io::SpillReader;
use outcrop_types::{Error, Purpose, Result, index_from, length_from, memory};
use std::collections::VecDeque;

/// Number of records that are unpacked at once.
const UNPACKED: usize = 1 << 10;

/// Buffered reader of one run, whose space is freed as it is read.
struct RunReader<R: Record> {
    records: Unpacker<R>,
    groups: VecDeque<Group<R::Key>>,
}

impl<R: Record> RunReader<R> {
    /// Opens a run with a buffer of `bytes`, but at least enough for one record.
    fn open(SortedRun { file, place }: &SortedRun, bytes: usize) -> Result<Self> {
        let (groups, end) = read_groups(file, place)?;
        let taken = index_from(SpillReader::MEMORY_BYTES) + groups.len() * size_of::<Group<R::Key>>();
        let file = file.open()?.at(place.start).freeing();
        let records = Unpacker::new(file, end.saturating_sub(place.start), bytes.saturating_sub(taken))?;
        Ok(Self { records, groups })
    }

    /// Passes on the next `records` in pieces, which are unpacked into `unpacked`.
    fn take(
        &mut self,
        mut records: u64,
        unpacked: &mut Vec<R>,
        take: &mut impl FnMut(&[R]) -> Result<()>,
    ) -> Result<()> {
        while records > 0 {
            unpacked.clear();
            let count = self.records.read(UNPACKED.min(index_from(records)), unpacked)?;
            if count == 0 {
                return Err(Error::internal("a sorted run ends within a group"));
            }
            take(unpacked)?;
            records -= length_from(count);
        }
        Ok(())
    }
}

/// Groups of several runs that must be sorted together.
pub(super) struct Cluster<K> {
    /// Minimum and maximum key, and number of records.
    pub(super) bounds: Group<K>,
    /// Number of remaining records of each run.
    left: Vec<u64>,
}

impl<K> Cluster<K> {
    /// Returns the number of remaining records.
    pub(super) fn left(&self) -> u64 {
        self.left.iter().sum()
    }
}

/// Iterator over the clusters of several runs, in ascending order of keys.
pub(super) struct Clusters<R: Record> {
    runs: Vec<RunReader<R>>,
    /// Next cluster, if it is known.
    pending: Option<Cluster<R::Key>>,
    unpacked: Vec<R>,
}

impl<R: Record> Clusters<R> {
    /// Starts to read `runs` with `bytes` of buffers.
    ///
    /// # Errors
    ///
    /// Returns an error if a run cannot be read.
    pub(super) fn new(runs: &[SortedRun], bytes: usize) -> Result<Self> {
        let share = bytes / runs.len().max(1);
        let runs = runs.iter().map(|run| RunReader::open(run, share)).collect::<Result<Vec<_>>>()?;
        Ok(Self { runs, pending: None, unpacked: memory::with_room_for(UNPACKED, Purpose::SortSpace)? })
    }

    /// Returns twice the mean number of records of the smallest possible clusters, if all runs have the same groups.
    pub(super) fn usual_records(&self) -> u64 {
        let groups = |run: &RunReader<R>| run.groups.iter().map(|group| group.records).sum::<u64>();
        let most = self.runs.iter().map(|run| run.groups.len()).max().unwrap_or(0);
        2 * self.runs.iter().map(groups).sum::<u64>() / length_from(most.max(1))
    }

    /// Returns the next cluster: as many groups as fit into `most` records, but at least one. The caller must take its
    /// records before it requests the next cluster.
    pub(super) fn next(&mut self, most: u64) -> Option<Cluster<R::Key>> {
        let mut cluster = self.pending.take().or_else(|| self.smallest())?;
        loop {
            match self.smallest() {
                Some(next) if cluster.bounds.records + next.bounds.records <= most => {
                    cluster.bounds.max = next.bounds.max;
                    cluster.bounds.records += next.bounds.records;
                    cluster.left.iter_mut().zip(next.left).for_each(|(left, more)| *left += more);
                }
                next => {
                    self.pending = next;
                    return Some(cluster);
                }
            }
        }
    }

    /// Returns the minimal set of groups with the smallest keys whose key range overlaps no others.
    fn smallest(&mut self) -> Option<Cluster<R::Key>> {
        let first = self.first()?;
        let bounds = Group { records: 0, ..self.runs[first].groups[0] };
        let mut cluster = Cluster { bounds, left: vec![0; self.runs.len()] };
        while let Some(run) = self.first() {
            let groups = &mut self.runs[run].groups;
            let Some(group) = groups.front().copied().filter(|group| group.min <= cluster.bounds.max) else { break };
            groups.pop_front();
            cluster.bounds.max = cluster.bounds.max.max(group.max);
            cluster.bounds.records += group.records;
            cluster.left[run] += group.records;
        }
        Some(cluster)
    }

    /// Returns the run whose next group starts with the smallest key.
    fn first(&self) -> Option<usize> {
        let fronts = self.runs.iter().enumerate().filter_map(|(run, reader)| Some((reader.groups.front()?.min, run)));
        fronts.min().map(|(_, run)| run)
    }

    /// Passes on at most `most` records of `cluster`, run by run, in input order within each run.
    ///
    /// # Errors
    ///
    /// Returns an error if a run cannot be read or `take` fails.
    pub(super) fn take(
        &mut self,
        cluster: &mut Cluster<R::Key>,
        mut most: u64,
        mut take: impl FnMut(&[R]) -> Result<()>,
    ) -> Result<()> {
        for (run, left) in self.runs.iter_mut().zip(&mut cluster.left) {
            let now = most.min(*left);
            run.take(now, &mut self.unpacked, &mut take)?;
            (*left, most) = (*left - now, most - now);
        }
        Ok(())
    }
}
