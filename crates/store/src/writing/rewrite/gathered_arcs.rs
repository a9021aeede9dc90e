//! Some arcs of a store in ascending order of a place and of the rank of their neighbour: what queries take of lists.

use super::ranked_arcs::{RankedArcs, Records};
use crate::manifest::Order;
use crate::original_ids::RankReader;
use crate::owned::spill_folder;
use crate::sort::ExternalSorter;
use crate::store::Store;
use crate::writing::record::{Arc as PlainArc, ArcRecord, WeightedArc};
use outcrop_io::{Disk, IoChoice};
use outcrop_types::{
    Cancellation, Error, MemoryBudget, MemoryPlan, Purpose, Result, VertexId, VertexRange, index_from,
};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Vertices whose ranks are read at once: where few are asked for, and at the most.
const SHORTEST_STRETCH: u32 = 1 << 10;
const LONGEST_STRETCH: u32 = 1 << 15;

/// Sorter of arcs that selects bring in any order. Where the order of the store is not the original, it first sorts
/// them by neighbour, and reads the ranks of neighbours in the order of the disk: no table of all ranks is held.
pub struct ArcGatherer<'g> {
    settings: GatherSettings<'g>,
    /// True if vertices are their own ranks.
    original: bool,
    taken: Mutex<(Sorter, Result<()>)>,
}

/// Settings of a gatherer.
#[derive(Clone, Copy)]
pub struct GatherSettings<'g> {
    /// The store.
    pub store: &'g Store,
    /// The way to read.
    pub io: IoChoice,
    /// Folder of sorted runs.
    pub temporary: &'g Path,
    /// True if arcs keep their weights.
    pub weighted: bool,
    /// True to leave out arcs whose place is above the rank of their neighbour.
    pub ascending: bool,
    /// Memory of each of two sorters, in bytes.
    pub share: u64,
    /// Memory that the sorters take theirs of.
    pub budget: &'g MemoryBudget,
    /// The flag that stops the work.
    pub cancellation: &'g Cancellation,
}

enum Sorter {
    Plain(ExternalSorter<PlainArc>),
    Weighted(ExternalSorter<WeightedArc>),
}

impl Sorter {
    fn new(settings: &GatherSettings<'_>) -> Result<Self> {
        let GatherSettings { temporary, share, budget, cancellation, .. } = *settings;
        let spill = spill_folder(&Disk, temporary)?;
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
    /// Memory of a gatherer whose sorters have `share` bytes each.
    pub fn memory(share: u64) -> MemoryPlan {
        let share = share.max(ExternalSorter::<PlainArc>::LEAST_BYTES);
        MemoryPlan::new().with(Purpose::SortSpace, 2 * share).with(Purpose::IoBuffers, RankReader::MEMORY_BYTES)
    }

    /// A gatherer without arcs.
    ///
    /// # Errors
    /// A budget that does not hold a sorter; a folder that cannot be written to.
    pub fn new(settings: GatherSettings<'g>) -> Result<Self> {
        let original = settings.store.manifest().order == Order::Original;
        Ok(Self { original, taken: Mutex::new((Sorter::new(&settings)?, Ok(()))), settings })
    }

    /// Takes arcs from `place` to neighbours, with weights; equal arcs keep their order. `Break` where no more are
    /// taken.
    pub fn push(&self, place: u32, mut arcs: impl Iterator<Item = (VertexId, f64)>) -> ControlFlow<()> {
        let mut guard = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let (sorter, outcome) = &mut *guard;
        if outcome.is_ok() {
            *outcome = arcs.try_for_each(|(neighbour, weight)| match self.original {
                false => sorter.push(neighbour, place, weight),
                true if self.settings.ascending && place > neighbour => Ok(()),
                true => sorter.push(place, neighbour, weight),
            });
        }
        if outcome.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    /// The arcs, with ranks of neighbours in place of vertices.
    ///
    /// # Errors
    /// The first error of taking; failures of reading and writing; damaged ranks; interruption.
    pub fn finish(self) -> Result<RankedArcs> {
        let (sorter, outcome) = self.taken.into_inner().unwrap_or_else(PoisonError::into_inner);
        outcome?;
        let Some(reader) = RankReader::open(self.settings.store, self.settings.io)? else { return sorter.finish() };
        let mut ranks = RankStretch::new(reader, self.settings.store.manifest().vertices);
        let mut ranked = Sorter::new(&self.settings)?;
        let mut arcs = sorter.finish()?;
        while let Some((neighbour, place, weight)) = arcs.next_arc()? {
            let rank = ranks.of(neighbour)?;
            if !self.settings.ascending || place <= rank {
                ranked.push(place, rank, weight)?;
            }
        }
        drop(arcs);
        ranked.finish()
    }
}

/// Ranks of vertices that are asked for in ascending order: in longer stretches where they lie close.
pub struct RankStretch {
    reader: RankReader,
    vertices: u32,
    ranks: Vec<u32>,
    range: VertexRange,
}

impl RankStretch {
    /// Ranks of a store with so many `vertices`.
    pub const fn new(reader: RankReader, vertices: u32) -> Self {
        Self { reader, vertices, ranks: Vec::new(), range: VertexRange::new(0, 0) }
    }

    /// The rank of `vertex`.
    ///
    /// # Errors
    /// Ranks are damaged or cannot be read.
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
