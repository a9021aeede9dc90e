//! Values of vertices, interval by interval, in memory or on disk.

use crate::gas::shards::lock;
use crate::interval::Storage;
use crate::messages::Plain;
use outcrop_io::ValueFile;
use outcrop_types::{Result, VertexId, VertexRange};
use std::sync::Mutex;

/// Values of vertices. Threads look at those of different intervals at the same time.
pub(in crate::gas) enum VertexFiles<'v, V> {
    /// A slice for each interval, with its first vertex.
    Memory(Vec<(VertexId, Mutex<&'v mut [V]>)>),
    Disk(&'v ValueFile<V>),
}

impl<'v, V: Plain> VertexFiles<'v, V> {
    /// `values` in intervals that begin at `bounds`.
    pub(in crate::gas) fn new(values: &'v mut Storage<V>, bounds: &[VertexId]) -> Self {
        let values = match values {
            Storage::Disk(file) => return Self::Disk(file),
            Storage::Memory(values) => values,
        };
        let mut rest: &mut [V] = values;
        let mut intervals = Vec::with_capacity(bounds.len());
        for range in bounds.windows(2) {
            let (interval, behind) = rest.split_at_mut((range[1] - range[0]) as usize);
            intervals.push((range[0], Mutex::new(interval)));
            rest = behind;
        }
        Self::Memory(intervals)
    }

    /// Calls `work` with the values of the interval `range`, which it may change. `held` is room for values on disk.
    pub(in crate::gas) fn change<T>(
        &self,
        range: VertexRange,
        held: &mut Vec<V>,
        work: impl FnOnce(&mut [V]) -> Result<T>,
    ) -> Result<T> {
        match self {
            _ if range.is_empty() => work(&mut []),
            Self::Memory(intervals) => work(&mut lock(interval_of(intervals, range))),
            Self::Disk(file) => {
                read(file, range, held)?;
                let done = work(held)?;
                file.write(u64::from(range.start), held)?;
                Ok(done)
            }
        }
    }

    /// Calls `work` with the values of the interval `range`.
    pub(in crate::gas) fn look<T>(
        &self,
        range: VertexRange,
        held: &mut Vec<V>,
        work: impl FnOnce(&[V]) -> Result<T>,
    ) -> Result<T> {
        match self {
            _ if range.is_empty() => work(&[]),
            Self::Memory(intervals) => work(&lock(interval_of(intervals, range))),
            Self::Disk(file) => {
                read(file, range, held)?;
                work(held)
            }
        }
    }
}

fn read<V: Plain>(file: &ValueFile<V>, range: VertexRange, held: &mut Vec<V>) -> Result<()> {
    held.resize(range.len(), V::zeroed());
    file.read(u64::from(range.start), held)
}

/// The interval `range`; of several that begin at the same vertex all but the last are empty.
fn interval_of<T>(intervals: &[(VertexId, T)], range: VertexRange) -> &T {
    let behind = intervals.partition_point(|(first, _)| *first <= range.start);
    &intervals[behind.saturating_sub(1)].1
}
