//! Reads the files of an index.

use crate::component::{Component, ComponentReader, PAYLOAD_BYTES, units_for};
use crate::layout::chunked::entry::ChunkedEntry;
use crate::store::Store;
use bytemuck::Pod;
use outcrop_io::IoChoice;
use outcrop_types::{
    Cancellation, Direction, Error, MemoryBudget, Purpose, Result, VertexValues, index_from, length_from,
};
use std::ops::Range;

/// Buffers for reading parts of one component, in bytes; those of all components of an index fit in those of a reader.
pub(super) const PART_BUFFERS: usize = 64 << 10;

/// Array of which only parts are read.
pub(super) struct Parts<T> {
    pub(super) values: VertexValues<T>,
    pub(super) reader: ComponentReader,
}

impl<T: Pod> Parts<T> {
    /// Reads the values of all `ranges`, which end within the array.
    pub(super) fn read(&mut self, ranges: &[Range<u64>]) -> Result<()> {
        let (count, bytes) = (length_from(self.values.len()), length_from(size_of::<T>()));
        if let Some(beyond) = ranges.iter().find(|range| range.end > count) {
            let message = format!("it has no values {} to {}", beyond.start, beyond.end);
            return Err(Error::corrupt(self.reader.path(), message));
        }
        let values: &mut [u8] = bytemuck::cast_slice_mut(&mut self.values);
        let ranges = ranges.iter().map(|range| range.start * bytes..range.end * bytes);
        self.reader.for_each_unit_with(ranges, |number, payload| {
            // Default: a unit after the values is not read.
            let rest = values.get_mut(index_from(number) * PAYLOAD_BYTES..).unwrap_or_default();
            let length = rest.len().min(payload.len());
            rest[..length].copy_from_slice(&payload[..length]);
            Ok(())
        })
    }

    /// Returns the values of `range`; none if it ends after the array.
    pub(super) fn values(&self, range: &Range<u64>) -> &[T] {
        // Default: as documented.
        self.values.get(index_from(range.start)..index_from(range.end)).unwrap_or_default()
    }
}

/// Context of loading an index.
pub(super) struct Loader<'l> {
    pub(super) store: &'l Store,
    pub(super) entry: &'l ChunkedEntry,
    pub(super) io: IoChoice,
    pub(super) budget: &'l MemoryBudget,
    pub(super) cancellation: &'l Cancellation,
}

impl Loader<'_> {
    /// Loads the component named by `name` for the direction, which has `bytes` bytes of payload.
    pub(super) fn component(&self, name: fn(Direction) -> String, bytes: u64) -> Result<Component> {
        let component = self.store.component(&name(self.entry.direction), self.io)?;
        let units = units_for(bytes);
        if component.units() == units {
            return Ok(component);
        }
        let message = format!("it has {} units, but the manifest lists {units}", component.units());
        Err(Error::corrupt(component.path(), message))
    }

    /// Opens an array of `count` values of a component, none of which are read yet.
    pub(super) fn parts<T: Pod>(&self, name: fn(Direction) -> String, count: u64) -> Result<Parts<T>> {
        let component = self.component(name, count.saturating_mul(length_from(size_of::<T>())))?;
        let values = VertexValues::zeroes(self.budget, Purpose::Index, index_from(count))?;
        Ok(Parts { values, reader: component.reader_of(PART_BUFFERS)? })
    }

    /// Reads all `count` values of a component.
    pub(super) fn array<T: Pod>(&self, name: fn(Direction) -> String, count: u64) -> Result<VertexValues<T>> {
        let bytes = count.saturating_mul(length_from(size_of::<T>()));
        let component = self.component(name, bytes)?;
        component.values(count, self.budget, Purpose::Index, self.cancellation)
    }
}
