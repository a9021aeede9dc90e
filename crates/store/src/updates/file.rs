//! File with the changes of one direction (`docs/format/updates.md`).

use super::changes::{EdgeChanges, Ends, VertexChanges};
use super::entry::ChangedLists;
use crate::component::FileEntry;
use crate::component::{Component, ComponentReader, ComponentWriter, PAYLOAD_BYTES, units_for};
use crate::store::Store;
use bytemuck::{Pod, Zeroable};
use outcrop_io::IoChoice;
use outcrop_types::{
    Cancellation, Direction, Error, MemoryBudget, MemoryPlan, Purpose, Result, VertexId, VertexRange, VertexValues,
    WeightType, index_from, length_from, number_from,
};

/// Bytes read or written at once.
const BATCH_BYTES: usize = 16 << 10;

/// Record of a vertex with a changed list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct ChangedVertex {
    /// Vertex.
    pub vertex: VertexId,
    /// Number of neighbors removed from its list, not counting multiplicity.
    pub removed: u32,
    /// Number of added entries.
    pub added: u32,
    /// Number of removed entries.
    pub removed_arcs: u32,
}

impl ChangedVertex {
    /// Returns the degree of the vertex, given its `degree` without changes.
    const fn degree(self, degree: u32) -> u32 {
        degree.saturating_sub(self.removed_arcs).saturating_add(self.added)
    }
}

/// Start of each part of the payload, in units.
struct Parts {
    removed: u64,
    added: u64,
    weights: u64,
    end: u64,
}

impl Parts {
    fn of(lists: &ChangedLists, weights: Option<WeightType>) -> Self {
        let removed = units_for(16 * u64::from(lists.changed));
        let added = removed + units_for(8 * u64::from(lists.removed));
        let weights_begin = added + units_for(4 * u64::from(lists.added));
        let end = weights_begin + units_for(WeightType::bytes_of(weights) * u64::from(lists.added));
        Self { removed, added, weights: weights_begin, end }
    }
}

/// Writes `changes` and returns the entry for the manifest.
///
/// # Errors
///
/// Returns an error if the file cannot be written.
pub(super) fn write(
    changes: &EdgeChanges,
    weights: Option<WeightType>,
    mut writer: ComponentWriter,
) -> Result<FileEntry> {
    let number = |length: usize| number_from(length);
    write_part(
        &mut writer,
        changes.lists().map(|(vertex, list): (VertexId, VertexChanges<'_>)| {
            let (removed_arcs, _) = list.arcs();
            let removed_arcs = number_from(removed_arcs);
            ChangedVertex { vertex, removed: number(list.removed.len()), added: number(list.added.len()), removed_arcs }
        }),
    )?;
    write_part(&mut writer, changes.removed.iter().zip(changes.copies.iter()).map(|(id, copies)| [*id, *copies]))?;
    write_part(&mut writer, changes.added.iter().copied())?;
    if let (Some(kind), Some(weights)) = (weights, &changes.weights) {
        let mut bytes = Vec::with_capacity(BATCH_BYTES);
        for batch in weights.chunks(BATCH_BYTES / size_of::<f64>()) {
            bytes.clear();
            kind.narrow(batch, &mut bytes);
            writer.write(&bytes)?;
        }
        writer.finish_unit()?;
    }
    writer.finish()
}

fn write_part<T: Pod>(writer: &mut ComponentWriter, values: impl Iterator<Item = T>) -> Result<()> {
    let most = BATCH_BYTES / size_of::<T>();
    let mut batch = Vec::with_capacity(most);
    for value in values {
        batch.push(value);
        if batch.len() == most {
            writer.write(bytemuck::cast_slice(&batch))?;
            batch.clear();
        }
    }
    writer.write(bytemuck::cast_slice(&batch))?;
    writer.finish_unit()
}

/// Changes of one direction, on disk.
pub(super) struct ChangesFile {
    component: Component,
    lists: ChangedLists,
    vertices: u32,
    weights: Option<WeightType>,
}

impl ChangesFile {
    /// Opens the changes of the lists of `direction`; returns `None` if the store has none.
    ///
    /// # Errors
    ///
    /// Returns an error if the component is missing or its length differs from that in the manifest.
    pub(super) fn open(store: &Store, direction: Direction, io: IoChoice) -> Result<Option<Self>> {
        let (manifest, direction) = (store.manifest(), store.stored(direction));
        let Some(entry) = &manifest.changes.updates else { return Ok(None) };
        let Some(lists) = entry.lists(direction).copied() else { return Ok(None) };
        let component = store.component(&entry.file_name(direction), io)?;
        let units = Parts::of(&lists, manifest.weights()).end;
        if component.units() != units {
            let message = format!("it has {} units, but its changes need {units}", component.units());
            return Err(Error::corrupt(component.path(), message));
        }
        Ok(Some(Self { component, lists, vertices: manifest.graph.vertices, weights: manifest.weights() }))
    }

    fn damaged(&self) -> Error {
        Error::corrupt(self.component.path(), "checksums are valid but its changes are malformed")
    }

    /// Calls `take` with each vertex whose list changes, in ascending order; reads with [`Component::READER_BYTES`],
    /// which the caller reserves.
    ///
    /// # Errors
    ///
    /// Returns an error if the file is damaged or cannot be read, or if the run is interrupted.
    pub(super) fn for_each(&self, cancellation: &Cancellation, mut take: impl FnMut(ChangedVertex)) -> Result<()> {
        let mut next = 0;
        let mut reader = self.component.reader()?;
        read_part(&mut reader, 0, self.lists.changed, cancellation, |changed: ChangedVertex| {
            if changed.vertex < next || changed.vertex >= self.vertices {
                return Err(self.damaged());
            }
            next = changed.vertex + 1;
            take(changed);
            Ok(())
        })
    }

    /// Loads all changes; reads like [`ChangesFile::for_each`].
    ///
    /// # Errors
    ///
    /// Returns an error if the budget is too small, if the file is damaged or cannot be read, or if the run is
    /// interrupted.
    pub(super) fn load(&self, budget: &MemoryBudget, cancellation: &Cancellation) -> Result<EdgeChanges> {
        let parts = Parts::of(&self.lists, self.weights);
        let mut changes = EdgeChanges::empty(self.vertices, self.weights.is_some(), self.lists.counts(), budget)?;
        let (mut sums, mut removed_arcs) = ((0_u64, 0_u64), 0_u64);
        let mut place = 0;
        self.for_each(cancellation, |changed| {
            sums = (sums.0 + u64::from(changed.removed), sums.1 + u64::from(changed.added));
            removed_arcs += u64::from(changed.removed_arcs);
            // Default: sums that do not fit are those of a damaged file, which is refused below.
            let end = |sum: u64| u32::try_from(sum).unwrap_or(u32::MAX);
            if let Some(ends) = changes.ends.get_mut(place) {
                *ends = Ends { removed: end(sums.0), added: end(sums.1) };
            }
            place += 1;
            changes.mark(changed.vertex);
        })?;
        let mut reader = self.component.reader()?;
        let mut pairs = changes.removed.iter_mut().zip(changes.copies.iter_mut());
        read_part(&mut reader, parts.removed, self.lists.removed, cancellation, |[id, copies]: [u32; 2]| {
            pairs.next().into_iter().for_each(|slots| (*slots.0, *slots.1) = (id, copies));
            Ok(())
        })?;
        fill(&mut reader, parts.added, &mut changes.added, cancellation)?;
        if let (Some(kind), Some(weights)) = (self.weights, &mut changes.weights) {
            fill_weights(&mut reader, parts.weights, kind, weights, cancellation)?;
        }
        changes.count();
        let counts = (u64::from(self.lists.removed), u64::from(self.lists.added));
        let right = sums == counts && removed_arcs == self.lists.removed_arcs && changes.arcs().0 == removed_arcs;
        if right && changes.are_right() { Ok(changes) } else { Err(self.damaged()) }
    }
}

fn fill<T: Pod>(reader: &mut ComponentReader, unit: u64, into: &mut [T], cancellation: &Cancellation) -> Result<()> {
    let count = number_from(into.len());
    let mut slots = into.iter_mut();
    read_part(reader, unit, count, cancellation, |value| {
        slots.next().into_iter().for_each(|slot| *slot = value);
        Ok(())
    })
}

/// Fills `into` with weights that are stored as type `kind`.
fn fill_weights(
    reader: &mut ComponentReader,
    unit: u64,
    kind: WeightType,
    into: &mut [f64],
    cancellation: &Cancellation,
) -> Result<()> {
    let (mut bytes, mut weights) = (Vec::new(), Vec::new());
    let mut position = unit * length_from(PAYLOAD_BYTES);
    for slots in into.chunks_mut(BATCH_BYTES / size_of::<f64>()) {
        cancellation.check()?;
        bytes.resize(index_from(kind.bytes_for(slots.len())), 0);
        reader.read_at(position, &mut bytes)?;
        position += length_from(bytes.len());
        weights.clear();
        kind.widen(&bytes, &mut weights);
        slots.iter_mut().zip(&weights).for_each(|(slot, weight)| *slot = *weight);
    }
    Ok(())
}

/// Calls `take` with each of `count` values that start at `unit`.
fn read_part<T: Pod>(
    reader: &mut ComponentReader,
    unit: u64,
    count: u32,
    cancellation: &Cancellation,
    mut take: impl FnMut(T) -> Result<()>,
) -> Result<()> {
    let most = length_from(BATCH_BYTES / size_of::<T>());
    let (mut batch, mut done, count) = (Vec::new(), 0, u64::from(count));
    while done < count {
        cancellation.check()?;
        batch.resize(index_from(most.min(count - done)), T::zeroed());
        let position = unit * length_from(PAYLOAD_BYTES) + done * length_from(size_of::<T>());
        reader.read_at(position, bytemuck::cast_slice_mut(&mut batch))?;
        batch.iter().try_for_each(|value| take(*value))?;
        done += length_from(batch.len());
    }
    Ok(())
}

/// Returns the memory for the changes of the lists of `direction`: the changes, and the part that a reader of degrees
/// uses.
pub(crate) fn updates_memory(store: &Store, direction: Direction) -> MemoryPlan {
    let manifest = store.manifest();
    let lists = manifest.changes.updates.as_ref().and_then(|entry| entry.lists(store.stored(direction)));
    lists.map_or_else(MemoryPlan::new, |lists| {
        let changes = EdgeChanges::bytes(manifest.graph.vertices, manifest.graph.weighted, lists.counts());
        MemoryPlan::new().with(Purpose::Updates, changes + ChangedDegrees::bytes(lists))
    })
}

/// Returns the memory of a reader of the degrees of `direction` for their changes.
pub fn degrees_memory(store: &Store, direction: Direction) -> MemoryPlan {
    let lists = store.manifest().changes.updates.as_ref().and_then(|entry| entry.lists(store.stored(direction)));
    let bytes = lists.map(ChangedDegrees::bytes);
    bytes.map_or_else(MemoryPlan::new, |bytes| MemoryPlan::new().with(Purpose::Updates, bytes))
}

/// Loads the changes of the lists of `direction`, if there are any; reads with [`Component::READER_BYTES`], which the
/// caller reserves.
///
/// # Errors
///
/// Returns an error if the budget is too small, if the file is damaged or cannot be read, or if the run is interrupted.
pub(crate) fn load_changes(
    store: &Store,
    direction: Direction,
    io: IoChoice,
    budget: &MemoryBudget,
    cancellation: &Cancellation,
) -> Result<Option<EdgeChanges>> {
    let file = ChangesFile::open(store, direction, io)?;
    file.map(|file| file.load(budget, cancellation)).transpose().map_err(|error| error.hinting(Some(MERGE_HINT)))
}

/// Advice if changes do not fit in memory.
pub const MERGE_HINT: &str = "`outcrop update STORE --merge` merges pending updates, which then need no memory";

/// Changes of degrees, in memory: 16 bytes per vertex with a changed list.
pub(crate) struct ChangedDegrees(VertexValues<ChangedVertex>);

impl ChangedDegrees {
    fn bytes(lists: &ChangedLists) -> u64 {
        VertexValues::<ChangedVertex>::bytes(u64::from(lists.changed))
    }

    /// Loads the changed degrees of `direction`; returns `None` if there are none.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`load_changes`].
    pub(crate) fn load(
        store: &Store,
        direction: Direction,
        io: IoChoice,
        budget: &MemoryBudget,
    ) -> Result<Option<Self>> {
        let Some(file) = ChangesFile::open(store, direction, io)? else { return Ok(None) };
        let length = index_from(u64::from(file.lists.changed));
        let mut held = VertexValues::new(budget, Purpose::Updates, length, |_| ChangedVertex::default())?;
        let mut slots = held.iter_mut();
        file.for_each(&Cancellation::new(), |changed| slots.next().into_iter().for_each(|slot| *slot = changed))?;
        Ok(Some(Self(held)))
    }

    /// Updates `degrees`, which are those of the vertices of `range`.
    pub(crate) fn apply(&self, range: VertexRange, degrees: &mut [u32]) {
        let first = self.0.partition_point(|changed| changed.vertex < range.start);
        let rest = &self.0[first..];
        for changed in rest.iter().take_while(|changed| changed.vertex < range.end) {
            change(changed, range.start, degrees);
        }
    }
}

/// Updates the degrees of all vertices; reads with [`Component::READER_BYTES`], which the caller reserves.
///
/// # Errors
///
/// Returns an error if the file is damaged or cannot be read, or if the run is interrupted.
pub(crate) fn change_degrees(
    store: &Store,
    direction: Direction,
    io: IoChoice,
    degrees: &mut [u32],
    cancellation: &Cancellation,
) -> Result<()> {
    let Some(file) = ChangesFile::open(store, direction, io)? else { return Ok(()) };
    file.for_each(cancellation, |changed| change(&changed, 0, degrees))
}

fn change(changed: &ChangedVertex, first: VertexId, degrees: &mut [u32]) {
    if let Some(degree) = degrees.get_mut(index_from(u64::from(changed.vertex - first))) {
        *degree = changed.degree(*degree);
    }
}
