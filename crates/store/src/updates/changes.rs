//! Changes of the lists of one direction, in memory.

use bytemuck::{Pod, Zeroable};
use outcrop_types::{
    Error, MemoryBudget, Purpose, Result, VertexId, VertexValues, index_from, length_from, number_from,
};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Change of a neighbor in a list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Change {
    /// Removal of all copies of the neighbor.
    Removed {
        /// Number of its copies, by which the degree decreases.
        copies: u32,
    },
    /// Addition of one more copy of the neighbor.
    Added {
        /// Weight of the edge; 1 in a store without weights.
        weight: f64,
    },
}

/// Change of the list of a vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeChange {
    /// Vertex of the list.
    pub vertex: VertexId,
    /// Neighbor.
    pub neighbor: VertexId,
    /// Change of the neighbor.
    pub change: Change,
}

impl EdgeChange {
    /// Removes all `copies` of `neighbor` from the list of `vertex`.
    pub const fn removed(vertex: VertexId, neighbor: VertexId, copies: u32) -> Self {
        Self { vertex, neighbor, change: Change::Removed { copies } }
    }

    /// Adds `neighbor` to the list of `vertex`.
    pub const fn added(vertex: VertexId, neighbor: VertexId, weight: f64) -> Self {
        Self { vertex, neighbor, change: Change::Added { weight } }
    }

    /// Hides the changes of `neighbor` in older levels.
    pub(super) const fn reset(vertex: VertexId, neighbor: VertexId) -> Self {
        Self::removed(vertex, neighbor, 0)
    }

    pub(super) const fn key(&self) -> (VertexId, VertexId) {
        (self.vertex, self.neighbor)
    }

    const fn removes(&self) -> bool {
        matches!(self.change, Change::Removed { .. })
    }

    /// Returns true if it only hides the changes of this neighbor in older levels.
    pub(super) const fn is_reset(&self) -> bool {
        matches!(self.change, Change::Removed { copies: 0 })
    }

    /// Returns true if it may follow `before` in the order of vertex and neighbor, with at most one removal per
    /// neighbor, before the additions.
    pub(super) fn may_follow(&self, before: &Self) -> bool {
        if self.removes() { self.key() > before.key() } else { self.key() >= before.key() }
    }
}

/// Number of changes of each kind, which determine the memory of [`EdgeChanges`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChangeCounts {
    /// Number of vertices with changed lists.
    pub(crate) changed: u32,
    /// Number of removed neighbors, not counting multiplicity.
    pub(crate) removed: u32,
    /// Number of added entries.
    pub(crate) added: u32,
}

impl ChangeCounts {
    /// Counts changes that are in the order of their vertices.
    pub(super) fn of(changes: &[EdgeChange]) -> Self {
        let removed = changes.iter().filter(|change| change.removes()).count();
        let changed = changes.chunk_by(|one, other| one.vertex == other.vertex).count();
        Self { changed: number(changed), removed: number(removed), added: number(changes.len() - removed) }
    }

    /// Returns the number of changes.
    pub(super) fn total(self) -> u64 {
        u64::from(self.removed) + u64::from(self.added)
    }

    /// Returns the approximate size of these changes on disk, without weights.
    pub(super) const fn bytes(self) -> u64 {
        16 * self.changed as u64 + 8 * self.removed as u64 + 4 * self.added as u64
    }

    /// Returns true if a graph of `vertices` vertices can have these changes.
    pub(super) fn plausible(self, vertices: u32) -> bool {
        let changes = self.total();
        self.changed <= vertices && u64::from(self.changed) <= changes && (self.changed > 0 || changes == 0)
    }
}

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
    pub(super) const fn of(vertex: VertexId) -> Self {
        Self { vertex, removed: 0, added: 0, removed_arcs: 0 }
    }

    /// Counts a change of the vertex.
    pub(super) const fn count(&mut self, change: Change) {
        match change {
            Change::Removed { copies } => {
                self.removed += 1;
                self.removed_arcs = self.removed_arcs.saturating_add(copies);
            }
            Change::Added { .. } => self.added += 1,
        }
    }

    /// Returns the degree of the vertex, given its `degree` without changes.
    pub(super) const fn degree(self, degree: u32) -> u32 {
        degree.saturating_sub(self.removed_arcs).saturating_add(self.added)
    }
}

/// Ends of the changes of a vertex in the arrays of all changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Ends {
    removed: u32,
    added: u32,
}

/// Changes of the lists of one direction: 8 bytes per removed neighbor, 4 per added one (12 with weights), 8 per
/// changed vertex, and 3/16 of a byte per vertex of the graph.
#[derive(Debug)]
pub struct EdgeChanges {
    /// Bit set of vertices with changes, and the number of set bits before each word.
    marks: VertexValues<u64>,
    before: VertexValues<u32>,
    ends: VertexValues<Ends>,
    removed: VertexValues<VertexId>,
    copies: VertexValues<u32>,
    added: VertexValues<VertexId>,
    weights: Option<VertexValues<f64>>,
    removed_arcs: u64,
}

/// Changes of one list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VertexChanges<'c> {
    /// Removed neighbors, ascending and distinct.
    pub removed: &'c [VertexId],
    /// Number of copies of each of them.
    pub copies: &'c [u32],
    /// Added neighbors, ascending, with multiplicity.
    pub added: &'c [VertexId],
    /// Weight of each added neighbor, in a store with weights.
    pub weights: Option<&'c [f64]>,
}

impl<'c> VertexChanges<'c> {
    /// Iterates over the changes by neighbor, a removal before additions.
    pub(super) fn changes(self, vertex: VertexId) -> impl Iterator<Item = EdgeChange> + 'c {
        let mut removed = self.removed.iter().zip(self.copies).peekable();
        let mut added = self.added.iter().enumerate().peekable();
        std::iter::from_fn(move || {
            let until = added.peek().map_or(VertexId::MAX, |(_, neighbor)| **neighbor);
            if let Some((neighbor, copies)) = removed.next_if(|(neighbor, _)| **neighbor <= until) {
                return Some(EdgeChange::removed(vertex, *neighbor, *copies));
            }
            let (place, neighbor) = added.next()?;
            let weight = self.weights.and_then(|weights| weights.get(place)).copied().unwrap_or(1.0);
            Some(EdgeChange::added(vertex, *neighbor, weight))
        })
    }

    /// Returns the changes of one neighbor.
    pub(super) fn of_neighbor(self, neighbor: VertexId) -> Self {
        let range =
            |ids: &[VertexId]| ids.partition_point(|id| *id < neighbor)..ids.partition_point(|id| *id <= neighbor);
        let (removed, added) = (range(self.removed), range(self.added));
        Self {
            removed: &self.removed[removed.clone()],
            copies: &self.copies[removed],
            added: &self.added[added.clone()],
            weights: self.weights.map(|weights| &weights[added]),
        }
    }

    /// Returns the number of changes.
    pub(super) fn len(self) -> usize {
        self.removed.len() + self.added.len()
    }
}

impl EdgeChanges {
    /// Returns the memory of the changes of a graph of `vertices` vertices, in bytes.
    pub(crate) const fn bytes(vertices: u32, weighted: bool, counts: ChangeCounts) -> u64 {
        let words = vertices.div_ceil(u64::BITS) as u64;
        let entry = if weighted { 12 } else { 4 };
        12 * words + 8 * counts.changed as u64 + 8 * counts.removed as u64 + entry * counts.added as u64
    }

    /// Combines consecutive `changes`: the removal of a neighbor also removes its earlier additions, while later
    /// additions stay. Changes of different neighbors may be in any order.
    ///
    /// # Errors
    ///
    /// Returns an error if a vertex does not exist, if there are more than 2^32 changes, or if the budget cannot hold
    /// them.
    pub fn new(vertices: u32, weighted: bool, mut changes: Vec<EdgeChange>, budget: &MemoryBudget) -> Result<Self> {
        changes.sort_by_key(EdgeChange::key);
        let left = settle(&mut changes);
        changes.truncate(left);
        let exists = |change: &EdgeChange| change.vertex < vertices && change.neighbor < vertices;
        if !changes.iter().all(exists) || u32::try_from(changes.len()).is_err() {
            return Err(Error::Usage(
                "changes of edges between vertices that do not exist, or more than 2^32".to_owned(),
            ));
        }
        let mut built = ChangesBuilder::new(vertices, weighted, ChangeCounts::of(&changes), budget)?;
        changes.iter().for_each(|change| built.push(change));
        built.finish().ok_or_else(|| Error::internal("changes were counted wrongly"))
    }

    /// Creates an empty value with room for the given numbers of changes.
    fn empty(vertices: u32, weighted: bool, counts: ChangeCounts, budget: &MemoryBudget) -> Result<Self> {
        let words = index_from(u64::from(vertices.div_ceil(u64::BITS)));
        let (removed, added) = (index_from(u64::from(counts.removed)), index_from(u64::from(counts.added)));
        let changed = index_from(u64::from(counts.changed));
        let numbers = |length| VertexValues::new(budget, Purpose::Updates, length, |_| 0_u32);
        let weights = weighted.then(|| VertexValues::new(budget, Purpose::Updates, added, |_| 0.0));
        Ok(Self {
            marks: VertexValues::new(budget, Purpose::Updates, words, |_| 0)?,
            before: numbers(words)?,
            ends: VertexValues::new(budget, Purpose::Updates, changed, |_| Ends::default())?,
            removed: numbers(removed)?,
            copies: numbers(removed)?,
            added: numbers(added)?,
            weights: weights.transpose()?,
            removed_arcs: 0,
        })
    }

    fn mark(&mut self, vertex: VertexId) {
        let (word, bit) = place_of(vertex);
        if let Some(word) = self.marks.get_mut(word) {
            *word |= bit;
        }
    }

    /// Counts the bits before each word, and the removed arcs.
    fn count(&mut self) {
        let mut sum = 0;
        for (before, word) in self.before.iter_mut().zip(self.marks.iter()) {
            *before = sum;
            sum += word.count_ones();
        }
        self.removed_arcs = self.copies.iter().map(|copies| u64::from(*copies)).sum();
    }

    /// Returns the counts of the changes.
    pub(crate) fn counts(&self) -> ChangeCounts {
        ChangeCounts {
            changed: number(self.ends.len()),
            removed: number(self.removed.len()),
            added: number(self.added.len()),
        }
    }

    /// Returns the numbers of removed and added list entries.
    pub(crate) fn arcs(&self) -> (u64, u64) {
        (self.removed_arcs, length_from(self.added.len()))
    }

    /// Returns the number of list entries, given the number `written` in the files of the lists.
    pub(crate) fn arcs_of(&self, written: u64) -> u64 {
        let (removed, added) = self.arcs();
        written.saturating_sub(removed) + added
    }

    /// Returns true if the list of `vertex` changed.
    #[inline]
    pub(super) fn marked(&self, vertex: VertexId) -> bool {
        let (place, bit) = place_of(vertex);
        self.marks.get(place).is_some_and(|word| word & bit != 0)
    }

    /// Returns the vertices of the 64 from `first` on, a multiple of 64, whose lists changed.
    pub(super) fn marks_from(&self, first: VertexId) -> u64 {
        // Default: beyond the last vertex, nothing changed.
        self.marks.get(place_of(first).0).copied().unwrap_or(0)
    }

    /// Returns the changes of the list of `vertex`, if there are any.
    #[inline]
    pub fn of(&self, vertex: VertexId) -> Option<VertexChanges<'_>> {
        let (place, bit) = place_of(vertex);
        let word = *self.marks.get(place)?;
        if word & bit == 0 {
            return None;
        }
        let before = u64::from(*self.before.get(place)?) + u64::from((word & (bit - 1)).count_ones());
        self.at(index_from(before))
    }

    /// Returns the changes of the vertex at this position among those with changes.
    fn at(&self, place: usize) -> Option<VertexChanges<'_>> {
        let end = *self.ends.get(place)?;
        // Default: the first ones start at 0.
        let start = place.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or_default();
        let removed = range(start.removed, end.removed);
        let added = range(start.added, end.added);
        Some(VertexChanges {
            removed: self.removed.get(removed.clone())?,
            copies: self.copies.get(removed)?,
            added: self.added.get(added.clone())?,
            weights: match &self.weights {
                None => None,
                Some(weights) => Some(weights.get(added)?),
            },
        })
    }
}

/// Builder of changes that arrive in the order of vertex and neighbor, none of which reverts another.
pub(super) struct ChangesBuilder {
    changes: EdgeChanges,
    vertex: Option<VertexId>,
    lists: usize,
    ends: Ends,
}

impl ChangesBuilder {
    /// Creates a builder with room for exactly these numbers of changes.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget cannot hold them.
    pub(super) fn new(vertices: u32, weighted: bool, counts: ChangeCounts, budget: &MemoryBudget) -> Result<Self> {
        let changes = EdgeChanges::empty(vertices, weighted, counts, budget)?;
        Ok(Self { changes, vertex: None, lists: 0, ends: Ends::default() })
    }

    pub(super) fn push(&mut self, EdgeChange { vertex, neighbor, change }: &EdgeChange) {
        let (changes, ends) = (&mut self.changes, &mut self.ends);
        if self.vertex.replace(*vertex) != Some(*vertex) {
            self.lists += 1;
            changes.mark(*vertex);
        }
        match change {
            Change::Removed { copies } => {
                put(&mut changes.removed, index_from(ends.removed.into()), *neighbor);
                put(&mut changes.copies, index_from(ends.removed.into()), *copies);
                ends.removed = ends.removed.saturating_add(1);
            }
            Change::Added { weight } => {
                let place = index_from(ends.added.into());
                put(&mut changes.added, place, *neighbor);
                changes.weights.iter_mut().for_each(|weights| put(weights, place, *weight));
                ends.added = ends.added.saturating_add(1);
            }
        }
        put(&mut changes.ends, self.lists - 1, *ends);
    }

    /// Returns the changes; `None` if their numbers are not the expected ones.
    pub(super) fn finish(mut self) -> Option<EdgeChanges> {
        let Ends { removed, added } = self.ends;
        let expected = self.changes.counts();
        self.changes.count();
        (ChangeCounts { changed: number(self.lists), removed, added } == expected).then_some(self.changes)
    }
}

/// Reduces the changes of each neighbor, in order, to the removal with the most copies and the additions after the last
/// removal; returns the remaining number of changes.
fn settle(changes: &mut [EdgeChange]) -> usize {
    let (mut left, mut start) = (0, 0);
    while let Some(first) = changes.get(start).copied() {
        let rest = &changes[start..];
        let group = rest.iter().take_while(|change| change.key() == first.key()).count();
        let same = &rest[..group];
        let removal = |change: &EdgeChange| matches!(change.change, Change::Removed { .. });
        let behind = same.iter().rposition(removal).map(|place| start + place + 1);
        let copies = same.iter().filter_map(|change| match change.change {
            Change::Removed { copies } => Some(copies),
            Change::Added { .. } => None,
        });
        if let Some(copies) = copies.max() {
            put(changes, left, EdgeChange::removed(first.vertex, first.neighbor, copies));
            left += 1;
        }
        let kept = behind.unwrap_or(start)..start + group;
        start = kept.end;
        let count = kept.len();
        changes.copy_within(kept, left);
        left += count;
    }
    left
}

fn put<T>(values: &mut [T], place: usize, value: T) {
    if let Some(slot) = values.get_mut(place) {
        *slot = value;
    }
}

#[inline]
fn place_of(vertex: VertexId) -> (usize, u64) {
    (index_from(u64::from(vertex / u64::BITS)), 1 << (vertex % u64::BITS))
}

fn range(start: u32, end: u32) -> Range<usize> {
    index_from(u64::from(start))..index_from(u64::from(end))
}

fn number(length: usize) -> u32 {
    number_from(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changes(all: &[EdgeChange]) -> EdgeChanges {
        EdgeChanges::new(200, true, all.to_vec(), &MemoryBudget::new(1 << 20)).unwrap()
    }

    #[test]
    fn what_comes_later_counts() {
        let one = changes(&[
            EdgeChange::added(7, 3, 1.0),
            EdgeChange::removed(7, 3, 2),
            EdgeChange::added(7, 3, 5.0),
            EdgeChange::removed(190, 0, 1),
            EdgeChange::added(7, 1, 4.0),
        ]);
        let found = one.of(7).unwrap();
        assert_eq!((found.removed, found.copies, found.added), (&[3][..], &[2][..], &[1, 3][..]));
        assert_eq!(found.weights, Some(&[4.0, 5.0][..]));
        assert_eq!((one.of(6), one.of(64), one.of(1000)), (None, None, None));
        assert_eq!(one.of(190).unwrap().removed, [0]);
        assert_eq!(one.arcs(), (3, 2));
        let keys: Vec<_> = found.changes(7).map(|change| change.key()).collect();
        assert_eq!(keys, [(7, 1), (7, 3), (7, 3)]);
    }

    #[test]
    fn memory_is_what_is_said_and_vertices_must_exist() {
        for weighted in [false, true] {
            let budget = MemoryBudget::new(1 << 20);
            let all = vec![EdgeChange::added(9, 3, 1.0), EdgeChange::removed(5, 3, 2), EdgeChange::added(9, 4, 1.0)];
            let held = EdgeChanges::new(1000, weighted, all, &budget).unwrap();
            let counts = ChangeCounts { changed: 2, removed: 1, added: 2 };
            assert_eq!(held.counts(), counts);
            assert_eq!(budget.limit() - budget.available(), EdgeChanges::bytes(1000, weighted, counts));
        }
        let budget = MemoryBudget::new(1 << 20);
        for hostile in [EdgeChange::added(10, 0, 1.0), EdgeChange::removed(0, 10, 1)] {
            assert!(matches!(EdgeChanges::new(10, false, vec![hostile], &budget), Err(Error::Usage(_))));
        }
        let small = EdgeChanges::new(1 << 20, false, vec![EdgeChange::added(1, 2, 1.0)], &MemoryBudget::new(1000));
        assert!(matches!(small, Err(Error::BudgetTooSmall { .. })));
    }
}
