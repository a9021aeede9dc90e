//! Vertex values in parts that threads change at the same time.

use super::array::{VertexArray, read};
use super::element::Plain;
use crate::checkpoint::State;
use outcrop_io::ValueFile;
use outcrop_types::{Result, VertexId, VertexRange};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Vertex values in parts, which threads access at the same time.
pub enum ArrayParts<'v, V> {
    /// A slice for each part, with its first vertex.
    Memory(Vec<(VertexId, Mutex<&'v mut [V]>)>),
    /// A file, of which any range is a part.
    Disk(&'v ValueFile<V>),
}

impl<'v, V: Plain> ArrayParts<'v, V> {
    /// `values` in parts that begin at `bounds`.
    pub fn new(values: &'v mut VertexArray<V>, bounds: &[VertexId]) -> Self {
        let values = match values {
            VertexArray::Disk(file) => return Self::Disk(file),
            VertexArray::Memory(values) => values,
        };
        let mut rest: &mut [V] = values;
        let mut parts = Vec::with_capacity(bounds.len());
        for range in bounds.windows(2) {
            let (part, behind) = rest.split_at_mut((range[1] - range[0]) as usize);
            parts.push((range[0], Mutex::new(part)));
            rest = behind;
        }
        Self::Memory(parts)
    }

    /// Calls `work` with the values of the part `range`, which it may change. `held` is room for values on disk.
    pub fn change<T>(
        &self,
        range: VertexRange,
        held: &mut Vec<V>,
        work: impl FnOnce(&mut [V]) -> Result<T>,
    ) -> Result<T> {
        match self {
            _ if range.is_empty() => work(&mut []),
            Self::Memory(parts) => work(&mut lock(part_of(parts, range))),
            Self::Disk(file) => {
                read(file, range, held)?;
                let done = work(held)?;
                file.write(u64::from(range.start), held)?;
                Ok(done)
            }
        }
    }

    /// Shows all values.
    pub fn visit(&self, state: &mut State<'_>) -> Result<()> {
        match self {
            Self::Memory(parts) => parts.iter().try_for_each(|(_, part)| state.values(&mut lock(part))),
            Self::Disk(file) => state.file(file),
        }
    }

    /// Calls `work` with the values of the part `range`.
    pub fn look<T>(&self, range: VertexRange, held: &mut Vec<V>, work: impl FnOnce(&[V]) -> Result<T>) -> Result<T> {
        match self {
            _ if range.is_empty() => work(&[]),
            Self::Memory(parts) => work(&lock(part_of(parts, range))),
            Self::Disk(file) => {
                read(file, range, held)?;
                work(held)
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the part `range`; of several that start at the same vertex, all except the last are empty.
fn part_of<T>(parts: &[(VertexId, T)], range: VertexRange) -> &T {
    let behind = parts.partition_point(|(first, _)| *first <= range.start);
    &parts[behind.saturating_sub(1)].1
}
