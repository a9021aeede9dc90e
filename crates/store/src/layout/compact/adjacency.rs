//! Opens one direction of the `compact` layout.

use super::directory::directory_bytes;
use super::format::{ListBytes, shards_name};
use super::index::IndexReader;
use super::rows::Part;
use super::streamed::{StreamedIndex, window_vertices};
use crate::access::Workers;
use crate::component::{Component, UNIT_BYTES, units_for};
use crate::layout::compact::entry::CompactEntry;
use crate::layout::rows::{Index, Opened, Reading, RowAdjacency, RowIndex, buffered_workers, buffers_of};
use crate::selection::StaticLists;
use crate::store::Store;
use crate::updates;
use outcrop_io::{Device, IoChoice, MergePolicy, PageCache, Utilisation};
use outcrop_types::{Direction, Error, MemoryBudget, MemoryPlan, Purpose, Result, WeightType, length_from};
use std::sync::Arc;

/// Place of the index while lists are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IndexResidence {
    /// In memory: 4.25 bytes a vertex.
    #[default]
    Resident,
    /// On disk. Each select and sweep reads it a window of vertices after the other, 4.25 bytes for each of these; what a select costs is
    /// then estimated.
    Streamed {
        /// Vertices of a window at the least, rounded up to a multiple of 4096.
        window: u32,
    },
}

impl IndexResidence {
    /// Streamed in windows of 2^17 vertices, which take half a megabyte.
    pub const STREAMED: Self = Self::Streamed { window: 1 << 17 };
}

/// Options for opening the layout.
#[derive(Clone, Debug)]
pub struct CompactOptions {
    /// The way to read.
    pub io: IoChoice,
    /// Memory of the page cache of this direction, its table included, in bytes.
    pub cache_bytes: u64,
    /// Account of the parts of cached pages that are looked at.
    pub utilisation: Utilisation,
    /// Rule for merging neighbouring requests.
    pub merge: MergePolicy,
    /// Place of the index.
    pub index: IndexResidence,
}

/// One direction of a store's `compact` layout, open for reading.
pub type CompactAdjacency = RowAdjacency<ListBytes>;

/// Bytes held as long as the lists are open, besides the index and the page cache.
fn held_bytes(weights: Option<WeightType>, workers: &Workers, residence: IndexResidence) -> u64 {
    let parts = length_from(buffered_workers(workers)) * Part::memory(weights);
    let reader = match residence {
        IndexResidence::Resident => 0,
        IndexResidence::Streamed { .. } => IndexReader::MEMORY_BYTES,
    };
    buffers_of(workers) + parts + reader
}

impl CompactAdjacency {
    /// Memory that opening `direction` takes from the budget, but for the page cache. Once it is open, what reading degrees takes
    /// ([`crate::layout::DegreeReader`]) is free again.
    pub fn memory(store: &Store, direction: Direction, workers: &Workers, residence: IndexResidence) -> MemoryPlan {
        let manifest = store.manifest();
        let index = match residence {
            IndexResidence::Resident => RowIndex::bytes(manifest.vertices),
            IndexResidence::Streamed { window } => {
                RowIndex::bytes(window_vertices(window, manifest.vertices)) + directory_bytes(manifest.vertices)
            }
        };
        let buffers = held_bytes(manifest.weights(), workers, residence) + DEGREE_READER_BYTES;
        MemoryPlan::new()
            .with(Purpose::Index, index)
            .with(Purpose::IoBuffers, buffers)
            .and(&updates::memory(store, direction))
    }

    /// Memory for holding all lists of one direction in the page cache, in bytes.
    pub fn cache_bytes_for_all(store: &Store, direction: Direction, utilisation: Utilisation) -> u64 {
        let entry = store.manifest().compact(direction);
        entry.map_or(0, |entry| PageCache::bytes_for(units_for(entry.list_bytes), UNIT_BYTES, utilisation))
    }

    /// Opens the lists of `direction`.
    ///
    /// # Errors
    /// The store has none or they are damaged; the budget is too small.
    pub fn open(
        store: &Store,
        direction: Direction,
        options: &CompactOptions,
        budget: &MemoryBudget,
        workers: &Workers,
    ) -> Result<Self> {
        Self::open_through(store, direction, options, budget, workers, |device| device)
    }

    /// [`CompactAdjacency::open`] with something between the lists and their device: for tests of devices that fail or count.
    ///
    /// # Errors
    /// As for [`CompactAdjacency::open`].
    #[doc(hidden)]
    pub fn open_through(
        store: &Store,
        direction: Direction,
        options: &CompactOptions,
        budget: &MemoryBudget,
        workers: &Workers,
        wrap: impl FnOnce(Arc<dyn Device>) -> Arc<dyn Device>,
    ) -> Result<Self> {
        let manifest = store.manifest();
        let entry = manifest
            .compact(direction)
            .ok_or_else(|| Error::corrupt(store.folder(), format!("it has no {} lists", direction.name())))?;
        let lists = store.component(&shards_name(entry.direction), options.io)?.through(wrap);
        if lists.units() != units_for(entry.list_bytes) {
            let message = format!("it has {} units where {} bytes are listed", lists.units(), entry.list_bytes);
            return Err(Error::corrupt(lists.path(), message));
        }
        let held = held_bytes(manifest.weights(), workers, options.index);
        let mut buffers = budget.reserve(held + DEGREE_READER_BYTES, Purpose::IoBuffers)?;
        let index = open_index(store, entry, options, budget, workers)?;
        let changes = updates::load(store, direction, options.io, budget, workers.cancellation())?;
        buffers.shrink_to(held);
        let format = ListBytes { codec: entry.codec, weights: manifest.weights(), vertices: manifest.vertices };
        let CompactOptions { cache_bytes, utilisation, merge, .. } = *options;
        let opened = Opened { lists, format, index, arcs: entry.arcs, positions: entry.list_bytes, changes, buffers };
        Self::assemble(opened, Reading { cache_bytes, utilisation, merge }, budget, workers)
    }

    /// From now on the lists that are in `statics` come from there.
    ///
    /// # Errors
    /// The index cannot be read; interruption.
    pub fn use_static(&mut self, statics: StaticLists) -> Result<()> {
        self.hold(statics)
    }
}

fn open_index(
    store: &Store,
    entry: &CompactEntry,
    options: &CompactOptions,
    budget: &MemoryBudget,
    workers: &Workers,
) -> Result<Index> {
    let (vertices, cancellation) = (store.manifest().vertices, workers.cancellation());
    let mut reader = IndexReader::open(store, entry, options.io)?;
    let IndexResidence::Streamed { window } = options.index else {
        let mut index = RowIndex::with_room(vertices, budget)?;
        let mut directory = reader.directory().reader()?;
        let arcs = reader.fill_all(&mut directory, &mut index, cancellation)?;
        return match arcs == entry.arcs {
            true => Ok(Index::Resident(index)),
            false => Err(Error::corrupt(
                store.folder(),
                format!("its degrees add up to {arcs} where the manifest lists {}", entry.arcs),
            )),
        };
    };
    let starts = reader.directory().load(budget, cancellation)?;
    let index = StreamedIndex::new(reader, starts, (vertices, window), budget, cancellation)?;
    Ok(Index::Streamed(Box::new(index)))
}

/// Readers of the directory and of the index: what [`DegreeReader`] has.
pub const DEGREE_READER_BYTES: u64 = Component::READER_BYTES + IndexReader::MEMORY_BYTES;
