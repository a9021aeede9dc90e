//! Groups of adjacent keys: a run is scattered into groups, not sorted, so that each record is sorted once, when its
//! group is read.

use super::key::{Record, SortKey};
use super::packed::Packer;
use super::radix::scatter;
use outcrop_io::{SpillFile, SpillWriter};
use outcrop_types::{Error, Purpose, Result, index_from, length_from, memory};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Target number of groups; there are at most about three times as many.
const MOST_GROUPS: usize = 1 << 10;
/// Target number of records per group, if that yields enough groups.
const GROUP_RECORDS: usize = 1 << 11;
const LEAST_GROUPS: usize = 1 << 6;
/// Bits of a digit after the leading one: less than the bits of the number of records, within limits.
const BITS_FEWER: u32 = 4;
const FEWEST_BITS: u32 = 4;
const MOST_BITS: u32 = 8;
/// Minimum number of consecutive digits without records that ends a group.
const GAP_DIGITS: usize = 16;
/// Other groups are computed for a run if the share of its largest group exceeds the initial one by this factor, or
/// this share, in 65,536ths. They replace the shared ones if they divide that group.
const UNBALANCED: usize = 4;
const LARGE_SHARE: usize = 1 << 13;

/// Returns the usual number of groups of so many records.
pub(crate) fn most_groups(records: u64) -> u64 {
    (records / length_from(GROUP_RECORDS)).clamp(length_from(LEAST_GROUPS), length_from(MOST_GROUPS))
}

/// Contiguous records of a run: all records with keys from `min` to `max`, in input order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group<K> {
    pub(super) min: K,
    pub(super) max: K,
    pub(super) records: u64,
}

/// Monotonic map from keys to groups. A digit is the length of a key above the lowest one and its leading bits, so that
/// small keys have more digits: those of hubs, if vertices are ordered by degree.
pub(super) struct Grouping<K> {
    low: K,
    /// Number of bits of a digit after the leading one.
    bits: u32,
    /// Group of each digit.
    groups: Vec<u16>,
    /// Initial share of the largest group among the records, in 65,536ths.
    heaviest: usize,
}

impl<K: SortKey> Grouping<K> {
    /// Creates groups of about equal size for `all` keys like those of `records`, none of which is less than `low`. A
    /// digit with more records than the target forms its own group.
    fn new<R: Record<Key = K>>(records: &[R], low: K, all: usize) -> Self {
        let bits = records.len().max(1).ilog2().saturating_sub(BITS_FEWER).clamp(FEWEST_BITS, MOST_BITS);
        // All keys have digits, also those greater than these: only so does every group that is sorted apart shrink.
        let digits = (8 * size_of::<K>() + 1 - bits as usize) << bits;
        let mut grouping = Self { low, bits, groups: vec![0; digits], heaviest: 0 };
        let mut counts = vec![0_usize; digits];
        records.iter().for_each(|record| counts[grouping.digit(record.key())] += 1);
        let most = records.len() / (all / GROUP_RECORDS).clamp(LEAST_GROUPS, MOST_GROUPS);
        let (mut group, mut filled, mut empty) = (0, 0, 0);
        for (digit, count) in counts.into_iter().enumerate() {
            // A group across a gap would overlap with the groups of other runs in that gap.
            let apart = filled > 0 && count > 0 && empty >= GAP_DIGITS;
            if digit > 0 && (filled + count > most || apart) {
                (group, filled) = (group + 1, 0);
            }
            empty = if count == 0 { empty + 1 } else { 0 };
            filled += count;
            grouping.groups[digit] = group;
            grouping.heaviest = grouping.heaviest.max(share(filled, records.len()));
        }
        grouping
    }

    #[inline]
    fn digit(&self, key: K) -> usize {
        let above = key.above(self.low);
        let shift = above.length().saturating_sub(self.bits + 1);
        ((shift as usize) << self.bits) + above.shifted(shift)
    }

    /// Scatters `from` into `into`; returns the end of each group.
    fn scatter<R: Record<Key = K>>(&self, from: &[R], into: &mut [R]) -> Vec<usize> {
        let groups = self.groups.last().map_or(0, |last| usize::from(*last) + 1);
        scatter(from, into, groups, |record| usize::from(self.groups[self.digit(record.key())]))
    }
}

/// Returns the share of `some` in `all`, in 65,536ths.
fn share(some: usize, all: usize) -> usize {
    (some << 16) / all.max(1)
}

impl<K: SortKey> Group<K> {
    fn of<R: Record<Key = K>>(records: &[R]) -> Option<Self> {
        let first = records.first()?.key();
        let bounds = |(min, max): (K, K), record: &R| (min.min(record.key()), max.max(record.key()));
        let (min, max) = records.iter().fold((first, first), bounds);
        Some(Self { min, max, records: length_from(records.len()) })
    }
}

/// Groups that the runs of a sorter share while their distributions are similar, whichever thread writes them: groups
/// of other ranges would overlap, and could not be read by themselves.
pub(super) struct SharedGrouping<K> {
    low: K,
    /// Number of records of all runs together, or of a full run if that is unknown.
    records: usize,
    /// True if the groups are fixed and keys are not less than `low`, so that recursive sorting terminates.
    fixed: bool,
    current: Mutex<Option<Arc<Grouping<K>>>>,
}

impl<K: SortKey> SharedGrouping<K> {
    /// Creates groups for keys from `low` on, or for all keys, of so many `records`.
    pub(super) fn new(low: Option<K>, records: usize) -> Self {
        let (low, fixed) = (low.unwrap_or(K::ZERO), low.is_some());
        Self { low, records, fixed, current: Mutex::new(None) }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Arc<Grouping<K>>>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Scatters `from` into `into`; returns the end of each group.
    fn scatter<R: Record<Key = K>>(&self, from: &[R], into: &mut [R]) -> Vec<usize> {
        let grouping =
            Arc::clone(self.lock().get_or_insert_with(|| Arc::new(Grouping::new(from, self.low, self.records))));
        let ends = grouping.scatter(from, into);
        let lengths = ends.iter().scan(0, |start, end| Some(end - std::mem::replace(start, *end)));
        let heaviest = share(lengths.max().unwrap_or(0), from.len());
        if self.fixed || heaviest <= (UNBALANCED * grouping.heaviest).min(LARGE_SHARE) {
            return ends;
        }
        // Nearly sorted input: each run has its own key ranges.
        let grouping = Arc::new(Grouping::new(from, self.low, self.records));
        if grouping.heaviest > heaviest / 2 {
            return ends;
        }
        *self.lock() = Some(Arc::clone(&grouping));
        grouping.scatter(from, into)
    }
}

/// Writer of runs in groups.
pub(super) struct Scatterer<R: Record> {
    grouping: Arc<SharedGrouping<R::Key>>,
    scratch: Vec<R>,
    packer: Packer<R>,
}

impl<R: Record> Scatterer<R> {
    pub(super) fn new(grouping: Arc<SharedGrouping<R::Key>>) -> Self {
        Self { grouping, scratch: Vec::new(), packer: Packer::new() }
    }

    /// Returns memory for the records of a run, with arbitrary content.
    pub(super) fn scratch(&mut self) -> &mut Vec<R> {
        &mut self.scratch
    }

    /// Writes a run of `records`.
    pub(super) fn write(&mut self, records: &[R], writer: &mut SpillWriter) -> Result<()> {
        let more = records.len().saturating_sub(self.scratch.len());
        memory::make_room(&mut self.scratch, more, Purpose::SortSpace)?;
        self.scratch.resize(records.len(), R::zeroed());
        let (mut groups, mut start) = (Vec::new(), 0);
        for end in self.grouping.scatter(records, &mut self.scratch) {
            let group = &self.scratch[std::mem::replace(&mut start, end)..end];
            groups.extend(Group::of(group));
            self.packer.write(group, writer)?;
        }
        self.packer.flush(writer)?;
        write_groups(&groups, writer)
    }
}

/// Ends a run with its groups: bounds, numbers of records, and the number of groups.
pub(super) fn write_groups<K: SortKey>(groups: &[Group<K>], writer: &mut SpillWriter) -> Result<()> {
    let bounds: Vec<K> = groups.iter().flat_map(|group| [group.min, group.max]).collect();
    let records: Vec<u64> = groups.iter().map(|group| group.records).collect();
    writer.write(bytemuck::cast_slice(&bounds))?;
    writer.write(bytemuck::cast_slice(&records))?;
    writer.write(&length_from(groups.len()).to_le_bytes())
}

/// Reads the groups of a run; returns also the end of its records.
pub(super) fn read_groups<K: SortKey>(file: &SpillFile, run: &Range<u64>) -> Result<(VecDeque<Group<K>>, u64)> {
    let mut count = [0; 8];
    let end = run.end.saturating_sub(8);
    file.share().at(end).read_exact(&mut count)?;
    let group = 2 * length_from(size_of::<K>()) + 8;
    let count = u64::from_le_bytes(count);
    let start = count.checked_mul(group).and_then(|bytes| end.checked_sub(bytes)).filter(|start| *start >= run.start);
    let start = start.ok_or_else(|| Error::internal("a sorted run has more groups than bytes"))?;
    let mut bounds = memory::filled(2 * index_from(count), Purpose::SortSpace, |_| K::ZERO)?;
    let mut records = memory::filled(index_from(count), Purpose::SortSpace, |_| 0_u64)?;
    let mut reader = file.share().at(start);
    reader.read_exact(bytemuck::cast_slice_mut(&mut bounds))?;
    reader.read_exact(bytemuck::cast_slice_mut(&mut records))?;
    let groups = bounds.as_chunks().0.iter().zip(records);
    Ok((groups.map(|([min, max], records)| Group { min: *min, max: *max, records }).collect(), start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::writing::record::{Arc as ListArc, ArcRecord};

    /// Returns the share of the records of the largest cluster of overlapping groups, in percent.
    fn largest_cluster(runs: &[Vec<ListArc>]) -> u64 {
        let grouping = SharedGrouping::new(None, 100_000);
        let mut groups = Vec::new();
        for run in runs {
            let mut scattered = vec![ListArc::new(0, 0, 1.0); run.len()];
            let ends = grouping.scatter(run, &mut scattered);
            let starts = std::iter::once(0).chain(ends.iter().copied());
            groups.extend(starts.zip(&ends).filter_map(|(start, end)| Group::of(&scattered[start..*end])));
        }
        groups.sort_unstable_by_key(|group| group.min);
        let (mut end, mut records, mut largest) = (0, 0, 0);
        for group in &groups {
            records = if group.min > end { group.records } else { records + group.records };
            (end, largest) = (end.max(group.max), largest.max(records));
        }
        100 * largest / groups.iter().map(|group| group.records).sum::<u64>()
    }

    /// Runs of sorted parts of the keys, as workers read them from consecutive and from distant places.
    #[test]
    fn groups_of_nearly_sorted_runs_overlap_little() {
        let arc = |number: u32| ListArc::new(number / 16, number.wrapping_mul(2_654_435_761), 1.0);
        let (runs, length) = (40, 50_000);
        for workers in [1, 2, 4] {
            let part = runs * length / workers;
            let next = |number: u32| arc(number % workers * part + number / workers);
            let runs: Vec<Vec<ListArc>> =
                (0..runs).map(|run| (run * length..(run + 1) * length).map(next).collect()).collect();
            // The shortest keys come first, as those of hubs, or last.
            let reversed: Vec<_> = runs.iter().rev().cloned().collect();
            for runs in [runs, reversed] {
                let largest = largest_cluster(&runs);
                assert!(largest <= 10, "{workers} workers: {largest}% of the records are in one cluster");
            }
        }
    }
}
