//! How many entries each list has: a component that every layout shares.

use crate::component::{Component, units_for};
use crate::store::Store;
use outcrop_io::IoChoice;
use outcrop_types::{Cancellation, Direction, Error, MemoryBudget, Purpose, Result, VertexValues};

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
