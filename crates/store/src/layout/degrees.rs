//! How many entries each list has: a component that every layout shares.

use crate::component::{Component, ComponentReader, units_for};
use crate::store::Store;
use outcrop_io::IoChoice;
use outcrop_types::{
    Cancellation, Direction, Error, MemoryBudget, Purpose, Result, VertexRange, VertexValues, index_from,
};

/// The component with the degrees of `direction`: one u32 a vertex.
pub fn degrees_name(direction: Direction) -> String {
    format!("{}.degrees", direction.name())
}

/// All degrees of `direction`, 4 bytes a vertex, without opening its lists.
///
/// # Errors
/// The budget is too small, or the component is missing or damaged.
pub fn degrees(
    store: &Store,
    direction: Direction,
    io: IoChoice,
    budget: &MemoryBudget,
    cancellation: &Cancellation,
) -> Result<VertexValues<u32>> {
    let component = store.component(&degrees_name(store.stored(direction)), io)?;
    let _buffers = budget.reserve(Component::READER_BYTES, Purpose::IoBuffers)?;
    load_degrees(&component, store.manifest().vertices, budget, Purpose::Degrees, cancellation)
}

/// Reads the degrees of stretches of vertices, for work that does not hold those of all.
pub struct DegreeReader {
    reader: ComponentReader,
}

impl DegreeReader {
    /// Memory of a reader, in bytes; its owner pays for it.
    pub const MEMORY_BYTES: u64 = Component::READER_BYTES;

    /// The degrees of `direction`.
    ///
    /// # Errors
    /// The component is missing or has another length than the manifest says.
    pub fn open(store: &Store, direction: Direction, io: IoChoice) -> Result<Self> {
        let reader = store.component(&degrees_name(store.stored(direction)), io)?.reader()?;
        Ok(Self { reader })
    }

    /// Replaces `into` by the degrees of the vertices of `range`.
    ///
    /// # Errors
    /// The component is damaged, too short or cannot be read.
    pub fn read(&mut self, range: VertexRange, into: &mut Vec<u32>) -> Result<()> {
        into.clear();
        into.resize(index_from(u64::from(range.end - range.start)), 0);
        self.reader.read_at(u64::from(range.start) * 4, bytemuck::cast_slice_mut(into))
    }

    /// The error where lists do not have the lengths that are kept here.
    pub fn differ(&self) -> Error {
        Error::corrupt(self.reader.path(), "lists of the store have other lengths than it says")
    }
}

/// Reads one u32 a vertex; the reader's buffers are paid for by the caller.
///
/// # Errors
/// The budget is too small, or the component is damaged or too short.
pub(super) fn load_degrees(
    component: &Component,
    vertices: u32,
    budget: &MemoryBudget,
    purpose: Purpose,
    cancellation: &Cancellation,
) -> Result<VertexValues<u32>> {
    let units = units_for(u64::from(vertices) * 4);
    if units != component.units() {
        let message = format!("it has {} units where {vertices} degrees need {units}", component.units());
        return Err(Error::corrupt(component.path(), message));
    }
    component.values(u64::from(vertices), budget, purpose, cancellation)
}
