//! Sorting of the arcs of a store by the original IDs of their ends, or by internal IDs.

use super::each_arc::EachArc;
use crate::access::Adjacency;
use crate::layout::compact::IndexResidence;
use crate::layout::{ListOptions, StoredLists};
use crate::original_ids::{ranks, ranks_memory};
use crate::owned::spill_folder_when_needed;
use crate::sort::{ExternalSorter, SortedRecords};
use crate::store::Store;
use crate::work_context::WorkContext;
use crate::writing::preflight;
use crate::writing::record::{Arc as PlainArc, ArcRecord, WeightedArc};
use outcrop_types::{
    Direction, MemoryPlan, Phase, ProgressUnit, Purpose, Result, VertexId, VertexRange, index_from, length_from,
};
use std::path::Path;

/// Selection of arcs and their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArcOrder {
    /// Each edge once, by source and target; an undirected edge starts at the end with the smaller rank.
    Edges,
    /// Every list entry, by vertex and neighbor.
    Lists,
    /// Every list entry of the other direction.
    Reverse,
}

impl ArcOrder {
    #[inline]
    const fn place(self, source: u32, target: u32, directed: bool) -> Option<(u32, u32)> {
        match self {
            Self::Edges if !directed && source > target => None,
            Self::Edges | Self::Lists => Some((source, target)),
            Self::Reverse => Some((target, source)),
        }
    }
}

/// Sorter of the arcs of a store, including updates, by the ranks or internal IDs of their ends. It reads only
/// out-lists.
pub struct ArcRanker<'r> {
    /// Store.
    pub store: &'r Store,
    /// Folder for spill files.
    pub temporary: &'r Path,
    /// True if arcs keep their weights.
    pub weighted: bool,
    /// True to replace vertices with their ranks.
    pub ranked: bool,
    /// Resources; sorted arcs hold half of the memory that is free.
    pub work: WorkContext<'r>,
}

impl ArcRanker<'_> {
    /// Returns the minimum memory of a sort.
    pub fn memory(&self) -> MemoryPlan {
        StoredLists::memory(self.store, Direction::Out, self.work.workers, IndexResidence::STREAMED)
            .with(Purpose::SortSpace, 2 * ExternalSorter::<PlainArc>::LEAST_BYTES)
            .with(Purpose::IdMap, if self.ranked { ranks_memory(self.store.manifest()) } else { 0 })
    }

    /// Reads all lists and sorts their arcs.
    ///
    /// # Errors
    ///
    /// Returns an error if the store is damaged, if the budget or disk is too small, if reading or writing fails, or if
    /// the run is interrupted.
    pub fn sort(&self, order: ArcOrder) -> Result<RankedArcs> {
        if self.weighted {
            let (records, count) = self.sort_records(order)?;
            return Ok(RankedArcs { records: Records::Weighted(records), count });
        }
        let (records, count) = self.sort_records(order)?;
        Ok(RankedArcs { records: Records::Plain(records), count })
    }

    fn sort_records<A: ArcRecord>(&self, order: ArcOrder) -> Result<(SortedRecords<A>, u64)> {
        let (manifest, folder) = (self.store.manifest(), self.temporary);
        let WorkContext { storage, io, budget, workers, observer } = self.work;
        // Default: a store without lists has no arcs.
        let total = manifest.arcs(Direction::Out).unwrap_or(0);
        observer.phase(&Phase { name: "reading lists", unit: ProgressUnit::Edges, total: Some(total) });
        let ranks = if self.ranked { ranks(self.store, io, budget, workers.cancellation())? } else { None };
        let rank = |vertex: VertexId| ranks.as_ref().map_or(vertex, |ranks| ranks[index_from(u64::from(vertex))]);
        let once = ListOptions::once(io);
        let lists = StoredLists::open(self.store, Direction::Out, &once, budget, workers)?;
        let share = budget.available() / 2;
        if total * length_from(size_of::<A>()) > share / 3 {
            preflight::require(storage, folder, total * length_from(size_of::<A>()))?;
        }
        let spill = spill_folder_when_needed(storage, folder)?;
        let mut sorter = ExternalSorter::<A>::new(&spill, share, false, budget, workers.cancellation())?;
        let arcs = EachArc::new(|vertex, neighbor, weight| {
            match order.place(rank(vertex), rank(neighbor), manifest.graph.directed) {
                Some((first, second)) => sorter.push(A::new(first, second, weight)),
                None => Ok(()),
            }
        });
        lists.sweep(VertexRange::new(0, manifest.graph.vertices), &arcs)?;
        arcs.finish()?;
        let count = sorter.len();
        Ok((sorter.finish()?, count))
    }
}

/// Arcs in ascending order of the ranks (or internal IDs) of their ends.
pub struct RankedArcs {
    pub(super) records: Records,
    pub(super) count: u64,
}

pub(super) enum Records {
    Plain(SortedRecords<PlainArc>),
    Weighted(SortedRecords<WeightedArc>),
}

impl RankedArcs {
    /// Returns the number of sorted arcs.
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Returns the next arc: the ranks (or internal IDs) of its ends, and its weight (1 if there are no weights).
    ///
    /// # Errors
    ///
    /// Returns an error if a sorted run cannot be read back.
    #[inline]
    pub fn next_arc(&mut self) -> Result<Option<(u32, u32, f64)>> {
        Ok(match &mut self.records {
            Records::Plain(records) => records.next()?.map(ArcRecord::parts),
            Records::Weighted(records) => records.next()?.map(ArcRecord::parts),
        })
    }
}
