//! Sorting of some arcs of a store by a position and the rank of their neighbor, for queries.

use super::ranked_arcs::{RankedArcs, Records};
use crate::component::PAYLOAD_BYTES;
use crate::original_ids::RankReader;
use crate::sort::ExternalSorter;
use crate::store::Store;
use crate::work_context::WorkContext;
use crate::writing::record::{Arc as PlainArc, ArcRecord, WeightedArc};
use outcrop_io::{IoChoice, SpillFolder};
use outcrop_types::{Error, MemoryPlan, Purpose, Result, VertexId, VertexRange, index_from};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

/// Maximum number of vertices whose ranks are read at once.
const LONGEST_STRETCH: u32 = 1 << 15;
/// Number of ranks per unit of their component.
const UNIT_RANKS: u32 = PAYLOAD_BYTES as u32 / 4;
/// Number of ranks that are looked up together.
const LOOKED_UP_AT_ONCE: usize = 1 << 12;

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
    pub spill: &'g Arc<SpillFolder>,
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
        let GatherSettings { spill, share, work, .. } = *settings;
        let (budget, cancellation) = (work.budget, work.cancellation());
        Ok(match settings.weighted {
            true => Self::Weighted(ExternalSorter::new(spill, share, false, budget, cancellation)?),
            false => Self::Plain(ExternalSorter::new(spill, share, false, budget, cancellation)?),
        })
    }

    #[inline]
    fn push(&mut self, first: u32, second: u32, weight: f64) -> Result<()> {
        match self {
            Self::Plain(sorter) => sorter.push(ArcRecord::new(first, second, weight)),
            Self::Weighted(sorter) => sorter.push(ArcRecord::new(first, second, weight)),
        }
    }

    /// Takes arcs in ascending order of their neighbors, and adds them with the ranks of these.
    fn push_ranked(
        &mut self,
        arcs: &mut Vec<(VertexId, u32, f64)>,
        ranks: &mut RankStretch,
        ascending: bool,
    ) -> Result<()> {
        ranks.prefetch(arcs.iter().map(|(neighbor, ..)| *neighbor))?;
        arcs.drain(..).try_for_each(|(neighbor, place, weight)| match ranks.of(neighbor)? {
            rank if ascending && place > rank => Ok(()),
            rank => self.push(place, rank, weight),
        })
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
    /// Returns the memory of a gatherer of arcs of `store` whose sorters have `share` bytes each.
    pub fn memory(store: &Store, share: u64) -> MemoryPlan {
        let share = share.max(ExternalSorter::<PlainArc>::LEAST_BYTES);
        let reader = RankReader::memory(store.manifest());
        MemoryPlan::new().with(Purpose::SortSpace, 2 * share).with(Purpose::IoBuffers, reader)
    }

    /// Creates a gatherer without arcs.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget cannot hold a sorter.
    pub fn new(settings: GatherSettings<'g>) -> Result<Self> {
        let original = settings.store.manifest().is_in_rank_order();
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
        let mut some = Vec::new();
        while let Some(arc) = arcs.next_arc()? {
            some.push(arc);
            if some.len() == LOOKED_UP_AT_ONCE {
                ranked.push_ranked(&mut some, &mut ranks, self.settings.ascending)?;
            }
        }
        ranked.push_ranked(&mut some, &mut ranks, self.settings.ascending)?;
        drop(arcs);
        ranked.finish()
    }
}

/// Looks up the ranks of ascending vertices.
///
/// # Errors
///
/// Returns an error if ranks are damaged or cannot be read.
pub fn look_up_ranks(store: &Store, io: IoChoice, members: &mut [(VertexId, u32)]) -> Result<()> {
    let Some(reader) = RankReader::open(store, io)? else {
        members.iter_mut().for_each(|(vertex, rank)| *rank = *vertex);
        return Ok(());
    };
    let mut ranks = RankStretch::new(reader, store.manifest().graph.vertices);
    for some in members.chunks_mut(LOOKED_UP_AT_ONCE) {
        ranks.prefetch(some.iter().map(|(vertex, _)| *vertex))?;
        some.iter_mut().try_for_each(|(vertex, rank)| ranks.of(*vertex).map(|found| *rank = found))?;
    }
    Ok(())
}

/// Reader of the ranks of vertices in ascending order, which reads longer ranges if they are close together.
struct RankStretch {
    reader: RankReader,
    vertices: u32,
    ranks: Vec<u32>,
    range: VertexRange,
    /// True if ranks were prefetched: then only those of the same unit are read with them.
    prefetched: bool,
}

impl RankStretch {
    /// Creates a reader for a store of `vertices` vertices.
    const fn new(reader: RankReader, vertices: u32) -> Self {
        Self { reader, vertices, ranks: Vec::new(), range: VertexRange::new(0, 0), prefetched: false }
    }

    /// Reads the ranks of the ascending `vertices`, many at once, if the store keeps them in memory.
    ///
    /// # Errors
    ///
    /// Returns an error if ranks are damaged or cannot be read.
    fn prefetch(&mut self, vertices: impl Iterator<Item = VertexId>) -> Result<()> {
        self.prefetched = self.reader.prefetch(vertices)?;
        Ok(())
    }

    /// Returns the rank of `vertex`.
    ///
    /// # Errors
    ///
    /// Returns an error if ranks are damaged or cannot be read.
    #[inline]
    fn of(&mut self, vertex: VertexId) -> Result<u32> {
        if !self.range.contains(vertex) {
            self.load(vertex)?;
        }
        let place = index_from(u64::from(vertex - self.range.start));
        self.ranks.get(place).copied().ok_or_else(|| Error::internal("a vertex has no rank"))
    }

    #[cold]
    fn load(&mut self, vertex: VertexId) -> Result<()> {
        let (last, near) = (self.range.end - self.range.start, vertex.wrapping_sub(self.range.end));
        let length = match near < last && !self.prefetched {
            true => (2 * last).min(LONGEST_STRETCH),
            false => UNIT_RANKS - vertex % UNIT_RANKS,
        };
        self.range = VertexRange::new(vertex, vertex.saturating_add(length).min(self.vertices));
        self.reader.read(self.range, &mut self.ranks)
    }
}
