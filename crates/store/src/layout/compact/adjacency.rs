//! Opens one direction of the `compact` layout.

use super::directory::directory_bytes;
use super::format::{ListBytes, shards_name};
use super::index::IndexReader;
use super::pages::Part;
use super::settings::IndexResidence;
use super::streamed::{StreamedIndex, window_vertices};
use crate::access::Workers;
use crate::component::{Component, UNIT_BYTES, units_for};
use crate::layout::compact::entry::CompactEntry;
use crate::layout::options::{ListOptions, WrapDevice};
use crate::layout::paged_lists::{Index, ListIndex, Opened, PagedLists, buffers_of};
use crate::read::buffered_slots;
use crate::store::Store;
use outcrop_io::{PageCache, Utilization};
use outcrop_types::{Direction, Error, MemoryBudget, MemoryPlan, Purpose, Result, WeightType, length_from};

/// Lists of one direction of a store's `compact` layout, open for reading.
pub(crate) type CompactLists = PagedLists<ListBytes>;

/// Returns the memory held while the lists are open, apart from the index and the page cache, in bytes.
fn held_bytes(weights: Option<WeightType>, workers: &Workers, residence: IndexResidence) -> u64 {
    let parts = length_from(buffered_slots(workers).len()) * Part::memory(weights);
    let reader = match residence {
        IndexResidence::Resident => 0,
        IndexResidence::Streamed { .. } => IndexReader::MEMORY_BYTES,
    };
    buffers_of(workers) + parts + reader
}

impl CompactLists {
    /// Returns the memory for opening one direction with `vertices` vertices, except for the page cache. After
    /// opening, the memory for reading degrees ([`crate::layout::DegreeReader`]) is released.
    pub(crate) fn memory(
        vertices: u32,
        weights: Option<WeightType>,
        workers: &Workers,
        residence: IndexResidence,
    ) -> MemoryPlan {
        let index = match residence {
            IndexResidence::Resident => ListIndex::bytes(vertices),
            IndexResidence::Streamed { window } => {
                ListIndex::bytes(window_vertices(window, vertices)) + directory_bytes(vertices)
            }
        };
        let buffers = held_bytes(weights, workers, residence) + DEGREE_READER_BYTES;
        MemoryPlan::new().with(Purpose::Index, index).with(Purpose::IoBuffers, buffers)
    }

    /// Returns the page cache size for all lists of one direction, in bytes.
    pub(crate) fn cache_bytes_for_all(store: &Store, direction: Direction, utilization: Utilization) -> u64 {
        let entry = store.manifest().compact(direction);
        entry.map_or(0, |entry| PageCache::bytes_for(units_for(entry.list_bytes), UNIT_BYTES, utilization))
    }

    /// Opens the lists of `direction`.
    ///
    /// # Errors
    /// Returns an error if the store has no such lists, if they are damaged, or if the budget is too small.
    pub(crate) fn open(
        store: &Store,
        direction: Direction,
        options: &ListOptions,
        budget: &MemoryBudget,
        workers: &Workers,
        wrap: WrapDevice<'_>,
    ) -> Result<Self> {
        let manifest = store.manifest();
        let entry = manifest
            .compact(direction)
            .ok_or_else(|| Error::corrupt(store.folder(), format!("it has no {}-lists", direction.name())))?;
        let lists = store.component(&shards_name(entry.direction), options.io)?.through(wrap);
        if lists.units() != units_for(entry.list_bytes) {
            let message = format!("it has {} units, but {} bytes are listed", lists.units(), entry.list_bytes);
            return Err(Error::corrupt(lists.path(), message));
        }
        let held = held_bytes(manifest.weights(), workers, options.index);
        let mut buffers = budget.reserve(held + DEGREE_READER_BYTES, Purpose::IoBuffers)?;
        let index = open_index(store, entry, options, budget, workers)?;
        buffers.shrink_to(held);
        let format = ListBytes { codec: entry.codec, weights: manifest.weights(), vertices: manifest.graph.vertices };
        let opened = Opened { lists, format, index, arcs: entry.arcs, positions: entry.list_bytes, buffers };
        Self::assemble(opened, options, budget, workers)
    }
}

fn open_index(
    store: &Store,
    entry: &CompactEntry,
    options: &ListOptions,
    budget: &MemoryBudget,
    workers: &Workers,
) -> Result<Index> {
    let (vertices, cancellation) = (store.manifest().graph.vertices, workers.cancellation());
    let mut reader = IndexReader::open(store, entry, options.io)?;
    let IndexResidence::Streamed { window } = options.index else {
        let mut index = ListIndex::with_room(vertices, budget)?;
        let mut directory = reader.directory().reader()?;
        let arcs = reader.fill_all(&mut directory, &mut index, cancellation)?;
        return match arcs == entry.arcs {
            true => Ok(Index::Resident(index)),
            false => Err(Error::corrupt(
                store.folder(),
                format!("its degrees sum to {arcs}, but the manifest lists {}", entry.arcs),
            )),
        };
    };
    let starts = reader.directory().load(budget, cancellation)?;
    let index = StreamedIndex::new(reader, starts, vertices, window, budget, cancellation)?;
    Ok(Index::Streamed(Box::new(index)))
}

/// Memory of the readers of the directory and of the index in a degree reader, in bytes.
pub(crate) const DEGREE_READER_BYTES: u64 = Component::READER_BYTES + IndexReader::MEMORY_BYTES;
