//! Groups of adjacent keys: a run is scattered into groups, not sorted, so that each record is sorted once, when its
//! group is read.

use super::key::{Record, SortKey};
use super::packed::Packer;
use super::radix::scatter;
use outcrop_io::{SpillFile, SpillWriter};
use outcrop_types::{Error, Purpose, Result, index_from, length_from, memory};
use std::collections::VecDeque;
use std::ops::Range;

/// Target number of groups per run; there are at most about twice as many.
const MOST_GROUPS: usize = 1 << 10;
/// Target number of records per group, if that yields enough groups.
const GROUP_RECORDS: usize = 1 << 11;
const LEAST_GROUPS: usize = 1 << 6;
/// The groups are recomputed if the share of the largest group exceeds its initial share by this factor.
const UNBALANCED: usize = 4;

/// Returns the usual number of groups of a run of so many records.
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

/// Monotonic map from keys to groups, over as many values of the highest digit as there are records, but at most
/// 65,536.
pub(super) struct Grouping<K> {
    low: K,
    shift: u32,
    /// Group of each value of the digit.
    groups: Vec<u16>,
    /// Initial share of the largest group among the records, in 65,536ths.
    heaviest: usize,
}

impl<K: SortKey> Grouping<K> {
    /// Creates groups of about equal size for keys like those of `records`, none of which is less than `low`. A value
    /// of the digit with more records than the target forms its own group.
    fn new<R: Record<Key = K>>(records: &[R], low: K) -> Self {
        let high = records.iter().map(R::key).max().unwrap_or(low);
        let bits = records.len().max(1).ilog2().clamp(8, 16);
        let shift = high.above(low).length().saturating_sub(bits);
        let mut grouping = Self { low, shift, groups: vec![0; 1 << bits], heaviest: 0 };
        let mut counts = vec![0_usize; 1 << bits];
        records.iter().for_each(|record| counts[grouping.digit(record.key())] += 1);
        let most = records.len() / (records.len() / GROUP_RECORDS).clamp(LEAST_GROUPS, MOST_GROUPS);
        let (mut group, mut filled) = (0, 0);
        for (digit, count) in counts.into_iter().enumerate() {
            if digit > 0 && filled + count > most {
                (group, filled) = (group + 1, 0);
            }
            filled += count;
            grouping.groups[digit] = group;
            grouping.heaviest = grouping.heaviest.max(share(filled, records.len()));
        }
        grouping
    }

    #[inline]
    fn digit(&self, key: K) -> usize {
        key.above(self.low).shifted(self.shift).min(self.groups.len() - 1)
    }

    /// Scatters `from` into `into`; returns the nonempty groups.
    fn scatter<R: Record<Key = K>>(&self, from: &[R], into: &mut [R]) -> Vec<Group<K>> {
        let groups = self.groups.last().map_or(0, |last| usize::from(*last) + 1);
        let ends = scatter(from, into, groups, |record| usize::from(self.groups[self.digit(record.key())]));
        let mut start = 0;
        let groups = ends.into_iter().filter_map(|end| Group::of(&into[std::mem::replace(&mut start, end)..end]));
        groups.collect()
    }
}

/// Returns the share of `some` in `all`, in 65,536ths.
fn share(some: usize, all: usize) -> usize {
    (some << 16) / all.max(1)
}

impl<K: SortKey> Group<K> {
    fn of<R: Record<Key = K>>(records: &[R]) -> Option<Self> {
        let keys = || records.iter().map(R::key);
        Some(Self { min: keys().min()?, max: keys().max()?, records: length_from(records.len()) })
    }
}

/// Writer of runs that share their groups while their distributions are similar.
pub(super) struct Scatterer<R: Record> {
    low: R::Key,
    /// True if the groups are fixed and keys are not less than `low`, so that recursive sorting terminates.
    fixed: bool,
    grouping: Option<Grouping<R::Key>>,
    scratch: Vec<R>,
    packer: Packer<R>,
}

impl<R: Record> Scatterer<R> {
    /// Creates a writer with groups for keys from `low` on, or for all keys.
    pub(super) fn new(low: Option<R::Key>) -> Self {
        let (low, fixed) = (low.unwrap_or(R::Key::ZERO), low.is_some());
        Self { low, fixed, grouping: None, scratch: Vec::new(), packer: Packer::new() }
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
        let grouping = self.grouping.get_or_insert_with(|| Grouping::new(records, self.low));
        let mut groups = grouping.scatter(records, &mut self.scratch);
        let heaviest = groups.iter().map(|group| group.records).max().map_or(0, index_from);
        if !self.fixed && share(heaviest, records.len()) > UNBALANCED * grouping.heaviest {
            // Nearly sorted input: each run has its own key range.
            *grouping = Grouping::new(records, self.low);
            groups = grouping.scatter(records, &mut self.scratch);
        }
        let mut rest = &self.scratch[..];
        for group in &groups {
            let (now, later) = rest.split_at(index_from(group.records));
            self.packer.write(now, writer)?;
            rest = later;
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
