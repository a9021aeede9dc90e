//! Sorting of some arcs of a store by a position and the rank of their neighbor, for queries.

use super::ranked_arcs::{RankedArcs, Records};
use crate::manifest::Order;
use crate::original_ids::RankReader;
use crate::owned::spill_folder_when_needed;
use crate::sort::ExternalSorter;
use crate::store::Store;
use crate::work_context::WorkContext;
use crate::writing::record::{Arc as PlainArc, ArcRecord, WeightedArc};
use outcrop_types::{Error, MemoryPlan, Purpose, Result, VertexId, VertexRange, index_from};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Number of vertices whose ranks are read at once: the minimum, for sparse requests, and the maximum.
const SHORTEST_STRETCH: u32 = 1 << 10;
const LONGEST_STRETCH: u32 = 1 << 15;

/// Sorter of arcs that selects deliver in any order. If the vertex order is not the original one, it first sorts arcs
/// by neighbor and reads the ranks of neighbors in disk order, so it needs no table of all ranks.
pub struct ArcGatherer<'g> {
    settings: GatherSettings<'g>,
    /// True if vertices are their own ranks.
    original: bool,
    taken: Mutex<(Sorter, Result<()>)>,
}

/// Settings of a gatherer.
#[derive(Clone, Copy)]
pub struct GatherSettings<'g> {
    /// Store.
    pub store: &'g Store,
    /// Folder for spill files.
    pub temporary: &'g Path,
    /// True if arcs keep their weights.
    pub weighted: bool,
    /// True to drop arcs whose position exceeds the rank of their neighbor.
    pub ascending: bool,
    /// Memory of each of two sorters, in bytes.
    pub share: u64,
    /// Resources.
    pub work: WorkContext<'g>,
}

enum Sorter {
    Plain(ExternalSorter<PlainArc>),
    Weighted(ExternalSorter<WeightedArc>),
}

impl Sorter {
    fn new(settings: &GatherSettings<'_>) -> Result<Self> {
        let GatherSettings { temporary, share, work, .. } = *settings;
        let (budget, cancellation) = (work.budget, work.cancellation());
        let spill = spill_folder_when_needed(work.storage, temporary)?;
        Ok(match settings.weighted {
            true => Self::Weighted(ExternalSorter::new(&spill, share, false, budget, cancellation)?),
            false => Self::Plain(ExternalSorter::new(&spill, share, false, budget, cancellation)?),
        })
    }

    #[inline]
    fn push(&mut self, first: u32, second: u32, weight: f64) -> Result<()> {
        match self {
            Self::Plain(sorter) => sorter.push(ArcRecord::new(first, second, weight)),
            Self::Weighted(sorter) => sorter.push(ArcRecord::new(first, second, weight)),
        }
    }

    fn finish(self) -> Result<RankedArcs> {
        let count = match &self {
            Self::Plain(sorter) => sorter.len(),
            Self::Weighted(sorter) => sorter.len(),
        };
        let records = match self {
            Self::Plain(sorter) => Records::Plain(sorter.finish()?),
            Self::Weighted(sorter) => Records::Weighted(sorter.finish()?),
        };
        Ok(RankedArcs { records, count })
    }
}

impl<'g> ArcGatherer<'g> {
    /// Returns the memory of a gatherer whose sorters have `share` bytes each.
    pub fn memory(share: u64) -> MemoryPlan {
        let share = share.max(ExternalSorter::<PlainArc>::LEAST_BYTES);
        MemoryPlan::new().with(Purpose::SortSpace, 2 * share).with(Purpose::IoBuffers, RankReader::MEMORY_BYTES)
    }

    /// Creates a gatherer without arcs.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget cannot hold a sorter or the folder is not writable.
    pub fn new(settings: GatherSettings<'g>) -> Result<Self> {
        let original = settings.store.manifest().numbering.order == Order::Original;
        Ok(Self { original, taken: Mutex::new((Sorter::new(&settings)?, Ok(()))), settings })
    }

    /// Adds arcs from `place` to neighbors, with weights; equal arcs keep their order. Returns `Break` if no more are
    /// accepted.
    pub fn push(&self, place: u32, mut arcs: impl Iterator<Item = (VertexId, f64)>) -> ControlFlow<()> {
        let mut guard = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let (sorter, outcome) = &mut *guard;
        if outcome.is_ok() {
            *outcome = arcs.try_for_each(|(neighbor, weight)| match self.original {
                false => sorter.push(neighbor, place, weight),
                true if self.settings.ascending && place > neighbor => Ok(()),
                true => sorter.push(place, neighbor, weight),
            });
        }
        if outcome.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    /// Returns the arcs, with ranks of neighbors instead of vertices.
    ///
    /// # Errors
    ///
    /// Returns the first error of adding arcs, or an error if reading or writing fails, if ranks are damaged, or if the
    /// run is interrupted.
    pub fn finish(self) -> Result<RankedArcs> {
        let (sorter, outcome) = self.taken.into_inner().unwrap_or_else(PoisonError::into_inner);
        outcome?;
        let Some(reader) = RankReader::open(self.settings.store, self.settings.work.io)? else {
            return sorter.finish();
        };
        let mut ranks = RankStretch::new(reader, self.settings.store.manifest().graph.vertices);
        let mut ranked = Sorter::new(&self.settings)?;
        let mut arcs = sorter.finish()?;
        while let Some((neighbor, place, weight)) = arcs.next_arc()? {
            let rank = ranks.of(neighbor)?;
            if !self.settings.ascending || place <= rank {
                ranked.push(place, rank, weight)?;
            }
        }
        drop(arcs);
        ranked.finish()
    }
}

/// Reader of the ranks of vertices in ascending order, which reads longer ranges if they are close together.
pub struct RankStretch {
    reader: RankReader,
    vertices: u32,
    ranks: Vec<u32>,
    range: VertexRange,
}

impl RankStretch {
    /// Creates a reader for a store of `vertices` vertices.
    pub const fn new(reader: RankReader, vertices: u32) -> Self {
        Self { reader, vertices, ranks: Vec::new(), range: VertexRange::new(0, 0) }
    }

    /// Returns the rank of `vertex`.
    ///
    /// # Errors
    ///
    /// Returns an error if ranks are damaged or cannot be read.
    #[inline]
    pub fn of(&mut self, vertex: VertexId) -> Result<u32> {
        if !self.range.contains(vertex) {
            self.load(vertex)?;
        }
        let place = index_from(u64::from(vertex - self.range.start));
        self.ranks.get(place).copied().ok_or_else(|| Error::internal("a vertex has no rank"))
    }

    #[cold]
    fn load(&mut self, vertex: VertexId) -> Result<()> {
        let (last, near) = (self.range.end - self.range.start, vertex.wrapping_sub(self.range.end));
        let length = if near < last { (2 * last).min(LONGEST_STRETCH) } else { SHORTEST_STRETCH };
        self.range = VertexRange::new(vertex, vertex.saturating_add(length).min(self.vertices));
        self.reader.read(self.range, &mut self.ranks)
    }
}
