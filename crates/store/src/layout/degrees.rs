//! Number of entries per list: a separate component, except in `compact`, whose index contains it.

use super::compact::{DEGREE_READER_BYTES, IndexReader, ListSize};
use crate::component::{Component, ComponentReader, units_for};
use crate::layout::compact::CompactEntry;
use crate::store::Store;
use crate::updates::{ChangedDegrees, change_degrees};
use outcrop_io::IoChoice;
use outcrop_types::{
    Cancellation, Direction, Error, MemoryBudget, MemoryPlan, Purpose, Result, VertexRange, VertexValues, index_from,
};

/// Returns the name of the component with the degrees of `direction`: one `u32` per vertex.
pub(crate) fn degrees_name(direction: Direction) -> String {
    format!("{}.degrees", direction.name())
}

/// Loads all degrees of `direction`, 4 bytes per vertex, without opening its lists.
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
    if let Some(entry) = entry_with_degrees(store, direction) {
        return compact_degrees(store, entry, io, budget, cancellation);
    }
    let component = store.component(&degrees_name(store.stored(direction)), io)?;
    let _buffers = budget.reserve(Component::READER_BYTES, Purpose::IoBuffers)?;
    let (vertices, listed) = (store.manifest().graph.vertices, store.manifest().listed_vertices());
    require_length(&component, listed)?;
    let mut degrees = VertexValues::zeroes(budget, Purpose::Degrees, index_from(u64::from(vertices)))?;
    component.fill(&mut degrees[..index_from(u64::from(listed))], cancellation)?;
    change_degrees(store, direction, io, &mut degrees, cancellation)?;
    Ok(degrees)
}

/// Returns the memory of [`degrees`]: the degrees, and the read buffers.
pub fn all_degrees_memory(store: &Store, direction: Direction) -> MemoryPlan {
    let buffers = match entry_with_degrees(store, direction) {
        Some(_) => DegreeReader::MEMORY_BYTES,
        None => Component::READER_BYTES,
    };
    let degrees = VertexValues::<u32>::bytes(store.manifest().graph.vertices.into());
    MemoryPlan::new().with(Purpose::Degrees, degrees).with(Purpose::IoBuffers, buffers)
}

/// Returns the entry of the `compact` layout, which provides the degrees if there is no other layout.
fn entry_with_degrees(store: &Store, direction: Direction) -> Option<&CompactEntry> {
    let manifest = store.manifest();
    manifest.compact(direction).filter(|entry| manifest.file(&degrees_name(entry.direction)).is_none())
}

fn compact_degrees(
    store: &Store,
    entry: &CompactEntry,
    io: IoChoice,
    budget: &MemoryBudget,
    cancellation: &Cancellation,
) -> Result<VertexValues<u32>> {
    let (vertices, listed) = (store.manifest().graph.vertices, store.manifest().listed_vertices());
    let _buffers = budget.reserve(DegreeReader::MEMORY_BYTES, Purpose::IoBuffers)?;
    let mut degrees = VertexValues::new(budget, Purpose::Degrees, index_from(vertices.into()), |_| 0)?;
    let mut reader = IndexReader::open(&store.as_written(), entry, io)?;
    let mut directory = reader.directory().reader()?;
    let mut slots = degrees.iter_mut();
    reader.for_each_in(&mut directory, VertexRange::new(0, listed), cancellation, |_, size| {
        if let Some(slot) = slots.next() {
            *slot = size.degree;
        }
    })?;
    drop((reader, directory));
    change_degrees(store, entry.direction, io, &mut degrees, cancellation)?;
    Ok(degrees)
}

/// Reads the degrees of ranges of vertices, for operations that do not cache all degrees.
pub struct DegreeReader {
    source: Source,
    /// Number of vertices with a list in the files; others have only changes.
    listed: u32,
    changes: Option<ChangedDegrees>,
}

enum Source {
    /// Component with one `u32` per vertex.
    Plain(ComponentReader),
    /// Index of the `compact` layout, and its directory.
    Index(IndexReader, ComponentReader),
}

impl DegreeReader {
    /// Memory of a reader in bytes, which its owner must reserve. The reader itself reserves memory for list changes
    /// ([`crate::updates::degrees_memory`]).
    pub const MEMORY_BYTES: u64 = DEGREE_READER_BYTES;

    /// Opens the degrees of `direction`.
    ///
    /// # Errors
    /// Returns an error if the component is missing or differs from the manifest in length, or if the budget is too
    /// small for the list changes.
    pub fn open(store: &Store, direction: Direction, io: IoChoice, budget: &MemoryBudget) -> Result<Self> {
        let changes = ChangedDegrees::load(store, direction, io, budget)?;
        let source = match entry_with_degrees(store, direction) {
            None => Source::Plain(store.component(&degrees_name(store.stored(direction)), io)?.reader()?),
            Some(entry) => {
                let index = IndexReader::open(&store.as_written(), entry, io)?;
                let directory = index.directory().reader()?;
                Source::Index(index, directory)
            }
        };
        Ok(Self { source, listed: store.manifest().listed_vertices(), changes })
    }

    /// Replaces `into` with the degrees of the vertices of `range`.
    ///
    /// # Errors
    /// Returns an error if the component is damaged, too short or cannot be read.
    pub fn read(&mut self, range: VertexRange, into: &mut Vec<u32>) -> Result<()> {
        into.clear();
        let listed = VertexRange::new(range.start.min(self.listed), range.end.min(self.listed));
        match &mut self.source {
            _ if listed.is_empty() => {}
            Source::Plain(reader) => {
                into.resize(listed.len(), 0);
                reader.read_at(u64::from(listed.start) * 4, bytemuck::cast_slice_mut(into))?;
            }
            Source::Index(index, directory) => {
                let take = |vertex, size: ListSize| {
                    if listed.contains(vertex) {
                        into.push(size.degree);
                    }
                };
                index.for_each_in(directory, listed, &Cancellation::new(), take)?;
            }
        }
        into.resize(range.len(), 0);
        self.changes.iter().for_each(|changes| changes.apply(range, into));
        Ok(())
    }

    /// Returns the error for lists whose lengths differ from their degrees.
    pub fn differ(&self) -> Error {
        let path = match &self.source {
            Source::Plain(reader) => reader.path(),
            Source::Index(index, _) => index.path(),
        };
        Error::corrupt(path, "its degrees differ from the lengths of the lists")
    }
}

/// Reads one `u32` per vertex. The caller reserves memory for the read buffers.
///
/// # Errors
/// Returns an error if the budget is too small, or if the component is damaged or too short.
pub(super) fn load_degrees(
    component: &Component,
    vertices: u32,
    budget: &MemoryBudget,
    purpose: Purpose,
    cancellation: &Cancellation,
) -> Result<VertexValues<u32>> {
    require_length(component, vertices)?;
    component.values(u64::from(vertices), budget, purpose, cancellation)
}

/// # Errors
/// Returns an error if the component does not have the length of `vertices` degrees.
fn require_length(component: &Component, vertices: u32) -> Result<()> {
    let units = units_for(u64::from(vertices) * 4);
    if units == component.units() {
        return Ok(());
    }
    let message = format!("it has {} units, but {vertices} degrees need {units}", component.units());
    Err(Error::corrupt(component.path(), message))
}
