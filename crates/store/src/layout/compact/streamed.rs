//! Index that is read on demand, one window of vertices at a time.

use super::directory::{REGION_VERTICES, RegionStart, regions, regions_of, vertices_of};
use super::index::IndexReader;
use crate::access::Reads;
use crate::component::{PAYLOAD_BYTES, UNIT_BYTES};
use crate::layout::paged_lists::{ListIndex, WindowedIndex};
use outcrop_types::{
    Cancellation, Error, MemoryBudget, Result, VertexId, VertexRange, VertexValues, index_from, length_from,
};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Size of sequential reads, in bytes.
const REQUEST_BYTES: u64 = 256 << 10;

/// The directory in memory, and one window of the index.
pub(super) struct StreamedIndex {
    starts: VertexValues<RegionStart>,
    vertices: u32,
    /// Regions per window.
    regions: u32,
    loaded: Mutex<Loaded>,
    cancellation: Cancellation,
}

/// Last window read.
struct Loaded {
    reader: IndexReader,
    index: ListIndex,
}

/// Returns the number of vertices of a window with at least `window` vertices, as far as the graph has as many.
pub(super) fn window_vertices(window: u32, vertices: u32) -> u32 {
    let regions = window.clamp(1, vertices.max(1)).div_ceil(REGION_VERTICES);
    regions.saturating_mul(REGION_VERTICES)
}

impl StreamedIndex {
    /// Creates the index with windows of at least `window` vertices.
    ///
    /// # Errors
    /// Returns an error if the budget is too small.
    pub(super) fn new(
        reader: IndexReader,
        starts: VertexValues<RegionStart>,
        vertices: u32,
        window: u32,
        budget: &MemoryBudget,
        cancellation: &Cancellation,
    ) -> Result<Self> {
        let window = window_vertices(window, vertices);
        let index = ListIndex::with_room(window, budget)?;
        Ok(Self {
            starts,
            vertices,
            regions: window / REGION_VERTICES,
            loaded: Mutex::new(Loaded { reader, index }),
            cancellation: cancellation.clone(),
        })
    }

    fn start(&self, region: u32) -> RegionStart {
        self.starts[index_from(region.into())]
    }
}

impl WindowedIndex for StreamedIndex {
    fn stopped_by(&mut self, cancellation: &Cancellation) {
        self.cancellation = cancellation.clone();
    }

    fn vertices(&self) -> u32 {
        self.vertices
    }

    fn window(&self, range: VertexRange) -> VertexRange {
        let wanted = regions_of(range);
        vertices_of(wanted.start..wanted.end.min(wanted.start.saturating_add(self.regions)), self.vertices)
    }

    fn reads(&self, window: VertexRange) -> Reads {
        // If another thread holds the lock, it is reading another window.
        if self.loaded.try_lock().is_ok_and(|loaded| loaded.index.range() == window) {
            return Reads::default();
        }
        let regions = regions_of(window);
        let (start, end) = (self.start(regions.start).index, self.start(regions.end).index);
        let payload = length_from(PAYLOAD_BYTES);
        let bytes = (end.div_ceil(payload) - start / payload) * length_from(UNIT_BYTES);
        Reads { bytes, requests: bytes.div_ceil(REQUEST_BYTES) }
    }

    fn neighborhood(&self, vertex: VertexId) -> (VertexRange, Range<u64>) {
        let region = (vertex / REGION_VERTICES).min(regions(self.vertices).saturating_sub(1));
        let positions = self.start(region).lists..self.start(region + 1).lists;
        (vertices_of(region..region + 1, self.vertices), positions)
    }

    fn with(&self, window: VertexRange, work: &mut dyn FnMut(&ListIndex) -> Result<()>) -> Result<()> {
        let regions = regions_of(window);
        let starts = self.starts.get(index_from(regions.start.into())..=index_from(regions.end.into()));
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        let Loaded { reader, index } = &mut *loaded;
        if index.range() != window {
            let starts =
                starts.ok_or_else(|| Error::internal("a window of the index has regions that do not exist"))?;
            let filled = reader.fill(regions.start, starts, index, &self.cancellation);
            if filled.is_err() {
                // The next call must not take an incomplete window for the one that it needs.
                index.restart(VertexRange::new(0, 0));
            }
            filled?;
        }
        work(index)
    }
}
