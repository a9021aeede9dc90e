//! Reads the files of an index.

use crate::component::{Component, ComponentReader, units_for};
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
    /// Reads the values of `range`.
    pub(super) fn read(&mut self, range: Range<u64>) -> Result<&[T]> {
        let place = index_from(range.start)..index_from(range.end);
        let part = self.values.get_mut(place).ok_or_else(|| {
            Error::corrupt(self.reader.path(), format!("it has no values {} to {}", range.start, range.end))
        })?;
        self.reader.read_at(range.start * length_from(size_of::<T>()), bytemuck::cast_slice_mut(part))?;
        Ok(part)
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
