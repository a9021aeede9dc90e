//! Reads the files of an index.

use crate::component::{Component, units_for};
use crate::layout::chunked::entry::ChunkedEntry;
use crate::store::Store;
use bytemuck::Pod;
use outcrop_io::IoChoice;
use outcrop_types::{Cancellation, Direction, Error, MemoryBudget, Purpose, Result, VertexValues, length_from};

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

    /// Reads all `count` values of a component.
    pub(super) fn array<T: Pod>(&self, name: fn(Direction) -> String, count: u64) -> Result<VertexValues<T>> {
        let bytes = count.saturating_mul(length_from(size_of::<T>()));
        let component = self.component(name, bytes)?;
        component.values(count, self.budget, Purpose::Index, self.cancellation)
    }
}
