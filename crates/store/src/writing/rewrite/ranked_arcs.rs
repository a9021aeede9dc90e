//! Sorting of the arcs of a store by the original IDs of their ends, or by internal IDs.

use super::each_arc::EachArc;
use crate::access::Adjacency;
use crate::check::SoundLists;
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
    /// Each edge once, by source and target; an undirected edge starts at the end with the smaller rank, and comes from
    /// the list of that end, or of the other end if that list is lost.
    Edges,
    /// Every list entry, by vertex and neighbor.
    Lists,
    /// Every list entry of the other direction.
    Reverse,
}

impl ArcOrder {
    #[inline]
    fn place(self, source: u32, target: u32, directed: bool, other_is_lost: bool) -> Option<(u32, u32)> {
        match self {
            Self::Edges if !directed && source > target => other_is_lost.then_some((target, source)),
            Self::Edges | Self::Lists => Some((source, target)),
            Self::Reverse => Some((target, source)),
        }
    }
}

/// Sorter of the arcs of a store, including updates, by the ranks or internal IDs of their ends. It reads only
/// out-lists, except for the edges of damaged ones.
pub struct ArcRanker<'r> {
    /// Store.
    pub store: &'r Store,
    /// Folder for spill files.
    pub temporary: &'r Path,
    /// True if arcs keep their weights.
    pub weighted: bool,
    /// True to replace vertices with their ranks.
    pub ranked: bool,
    /// True to reserve memory for [`SoundLists`].
    pub salvages: bool,
    /// Resources; sorted arcs hold half of the memory that is free.
    pub work: WorkContext<'r>,
}

impl ArcRanker<'_> {
    /// Returns the minimum memory of a sort.
    pub fn memory(&self) -> MemoryPlan {
        self.lists_memory()
            .with(Purpose::SortSpace, 2 * ExternalSorter::<PlainArc>::LEAST_BYTES)
            .with(Purpose::IdMap, if self.ranked { ranks_memory(self.store.manifest()) } else { 0 })
            .with(Purpose::Frontier, if self.salvages { SoundLists::memory(self.store) } else { 0 })
    }

    /// Returns the memory of the lists that are open together.
    fn lists_memory(&self) -> MemoryPlan {
        let lists = |direction| StoredLists::memory(self.store, direction, self.work.workers, IndexResidence::STREAMED);
        if !self.salvages {
            return lists(Direction::Out);
        }
        let members = SoundLists::members_memory(self.store);
        lists(Direction::Out).or(lists(Direction::In)).with(Purpose::Frontier, members)
    }

    /// Reads all lists, or only `sound` ones of a damaged store, and sorts their arcs.
    ///
    /// # Errors
    ///
    /// Returns an error if the store is damaged, if the budget or disk is too small, if reading or writing fails, or if
    /// the run is interrupted.
    pub fn sort(&self, order: ArcOrder, sound: &[SoundLists]) -> Result<RankedArcs> {
        if self.weighted {
            let (records, count) = self.sort_records(order, sound)?;
            return Ok(RankedArcs { records: Records::Weighted(records), count });
        }
        let (records, count) = self.sort_records(order, sound)?;
        Ok(RankedArcs { records: Records::Plain(records), count })
    }

    fn sort_records<A: ArcRecord>(&self, order: ArcOrder, sound: &[SoundLists]) -> Result<(SortedRecords<A>, u64)> {
        let (manifest, folder) = (self.store.manifest(), self.temporary);
        let WorkContext { storage, io, budget, workers, observer } = self.work;
        // Default: a store without lists has no arcs.
        let total = manifest.arcs(Direction::Out).unwrap_or(0);
        observer.phase(&Phase { name: "reading lists", unit: ProgressUnit::Edges, total: Some(total) });
        let ranks = if self.ranked { ranks(self.store, io, budget, workers.cancellation())? } else { None };
        let rank = |vertex: VertexId| ranks.as_ref().map_or(vertex, |ranks| ranks[index_from(u64::from(vertex))]);
        let share = budget.available().saturating_sub(self.lists_memory().total()) / 2;
        if total * length_from(size_of::<A>()) > share / 3 {
            preflight::require(storage, folder, total * length_from(size_of::<A>()))?;
        }
        let spill = spill_folder_when_needed(storage, folder)?;
        let mut sorter = ExternalSorter::<A>::new(&spill, share, false, budget, workers.cancellation())?;
        let is_lost = |vertex| sound.first().is_some_and(|out| !out.vertices.contains(vertex));
        for (place, direction) in (0..sound.len().max(1)).zip([Direction::Out, Direction::In]) {
            let push = |vertex, neighbor, weight| {
                let (reverse, other_is_lost) = (direction == Direction::In, is_lost(neighbor));
                let (source, target) = if reverse { (neighbor, vertex) } else { (vertex, neighbor) };
                // The edges of sound out-lists are known.
                let new = !reverse || other_is_lost;
                match order.place(rank(source), rank(target), manifest.graph.directed, other_is_lost) {
                    Some((first, second)) if new => sorter.push(A::new(first, second, weight)),
                    _ => Ok(()),
                }
            };
            self.read(direction, sound.get(place), push)?;
        }
        let count = sorter.len();
        Ok((sorter.finish()?, count))
    }

    /// Passes the entries of all lists of `direction`, or only of `sound` ones, to `push`.
    fn read(
        &self,
        direction: Direction,
        sound: Option<&SoundLists>,
        push: impl FnMut(VertexId, VertexId, f64) -> Result<()> + Send,
    ) -> Result<()> {
        let WorkContext { io, budget, workers, .. } = self.work;
        let arcs = EachArc::of(sound.map(|lists| &lists.vertices), push);
        match sound {
            Some(lists) => lists.visit(self.store, self.work, &arcs)?,
            None => StoredLists::open(self.store, direction, &ListOptions::once(io), budget, workers)?
                .sweep(VertexRange::new(0, self.store.manifest().graph.vertices), &arcs)?,
        }
        arcs.finish()
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
