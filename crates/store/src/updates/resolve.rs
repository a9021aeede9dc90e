//! Resolution of an update to exact changes: which edges exist, and their multiplicity.

use super::changes::{EdgeChange, EdgeChanges};
use super::counts::UpdateCounts;
use crate::access::{FoldLists, Neighbors};
use crate::manifest::{Dedup, Manifest};
use outcrop_types::{
    Error, Location, Result, VertexId, VertexValues, WeightType, index_from, number_from, short_number,
};
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// List entry named by an update, ordered by vertex and neighbor, then by position in the update.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct NamedArc {
    pub(super) vertex: VertexId,
    pub(super) neighbor: VertexId,
    /// Weight of an addition; NaN for a removal.
    pub(super) weight: f64,
}

impl NamedArc {
    pub(super) const fn key(&self) -> (VertexId, VertexId) {
        (self.vertex, self.neighbor)
    }

    const fn removes(&self) -> bool {
        self.weight.is_nan()
    }
}

/// Copies of a named list entry in the file of lists: their number, and the bits of the first weight.
#[derive(Debug, Default)]
pub(super) struct FoundCopies {
    copies: AtomicU32,
    weight: AtomicU64,
}

/// Visitor that looks up the named entries, counting each at the first of its positions.
pub(super) struct LookUp<'l> {
    pub(super) named: &'l [NamedArc],
    pub(super) found: &'l [FoundCopies],
}

impl FoldLists for LookUp<'_> {
    /// Positions of the named entries of the list.
    type Fold = Range<usize>;

    fn begin(&self, vertex: VertexId) -> Range<usize> {
        let before = |end: u64| self.named.partition_point(|arc| u64::from(arc.vertex) < end);
        before(vertex.into())..before(u64::from(vertex) + 1)
    }

    fn neighbors(&self, _: VertexId, places: &mut Range<usize>, piece: Neighbors<'_>) -> ControlFlow<()> {
        let (Some(first), Some(last)) = (piece.ids().first(), piece.ids().last()) else {
            return ControlFlow::Continue(());
        };
        let named = &self.named[places.clone()];
        let passed = named.partition_point(|arc| arc.neighbor < *first);
        let here = named.partition_point(|arc| arc.neighbor <= *last);
        let mut before = None;
        for place in places.start + passed..places.start + here {
            let (Some(arc), Some(found)) = (self.named.get(place), self.found.get(place)) else { break };
            // Duplicate names are looked up once.
            if before.replace(arc.neighbor) != Some(arc.neighbor) {
                found.count(arc.neighbor, piece);
            }
        }
        places.start += passed;
        if places.start >= places.end { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn end(&self, _: VertexId, _: Range<usize>) {}
}

impl FoundCopies {
    fn count(&self, neighbor: VertexId, piece: Neighbors<'_>) {
        let start = piece.ids().partition_point(|id| *id < neighbor);
        let copies = piece.ids()[start..].iter().take_while(|id| **id == neighbor).count();
        let weight = piece.weights().and_then(|weights| weights.get(start)).copied().unwrap_or(1.0);
        let copies = number_from(copies);
        if copies > 0 && self.copies.fetch_add(copies, Relaxed) == 0 {
            self.weight.store(weight.to_bits(), Relaxed);
        }
    }
}

/// List entry, in the file and with its changes.
struct Entry {
    /// Number of copies in the file, and the first weight there.
    written: (u32, f64),
    removed: bool,
    added: Vec<f64>,
}

impl Entry {
    fn new(found: &FoundCopies, before: &[EdgeChange]) -> Self {
        use super::Change::{Added, Removed};
        let written = (found.copies.load(Relaxed), f64::from_bits(found.weight.load(Relaxed)));
        let removed = before.iter().any(|change| matches!(change.change, Removed { .. }));
        let added = before.iter().filter_map(|change| match change.change {
            Added { weight } => Some(weight),
            Removed { .. } => None,
        });
        Self { written, removed, added: added.collect() }
    }

    /// Returns the current number of copies.
    fn copies(&self) -> u64 {
        let written = if self.removed { 0 } else { self.written.0 };
        u64::from(written) + outcrop_types::length_from(self.added.len())
    }

    fn weight(&self) -> f64 {
        if self.removed || self.written.0 == 0 { self.added.first().copied().unwrap_or(1.0) } else { self.written.1 }
    }

    fn remove(&mut self) {
        self.removed = self.written.0 > 0;
        self.added.clear();
    }

    /// Drops a change that restores the written state.
    fn settle(&mut self, weighted: bool) {
        let (copies, weight) = self.written;
        let same = if weighted {
            copies == 1 && self.added.as_slice() == [weight]
        } else {
            self.added.len() == index_from(copies.into())
        };
        if self.removed && same {
            self.removed = false;
            self.added.clear();
        }
    }
}

/// Rules for adding edges that already exist.
pub(super) struct Rules {
    pub(super) dedup: Dedup,
    pub(super) weights: Option<WeightType>,
    pub(super) directed: bool,
}

impl Rules {
    pub(super) fn of(manifest: &Manifest) -> Self {
        Self { dedup: manifest.rules.dedup, weights: manifest.weights(), directed: manifest.graph.directed }
    }

    /// Passes the new changes of the `named` entries to `take`, given the existing changes `before`, which they
    /// replace. Counts the difference in edges, each at its first end.
    pub(super) fn change(
        &self,
        named: &[NamedArc],
        found: &VertexValues<FoundCopies>,
        before: Option<&EdgeChanges>,
        counts: &mut UpdateCounts,
        take: &mut impl FnMut(EdgeChange),
    ) -> Result<()> {
        let mut place = 0;
        for arcs in named.chunk_by(|one, other| one.key() == other.key()) {
            let Some((first, found)) = arcs.first().zip(found.get(place)) else { break };
            place += arcs.len();
            let (vertex, neighbor) = first.key();
            let old = before.and_then(|before| before.of(vertex)).map(|list| list.of_neighbor(neighbor));
            let own: Vec<EdgeChange> = old.into_iter().flat_map(|old| old.changes(vertex)).collect();
            let mut entry = Entry::new(found, &own);
            let mut one = UpdateCounts::default();
            self.apply(&mut entry, arcs, &mut one)?;
            if self.directed || vertex <= neighbor {
                counts.add(&one);
            }
            entry.settle(self.weights.is_some());
            if entry.removed {
                take(EdgeChange::removed(vertex, neighbor, entry.written.0));
            } else if entry.added.is_empty() && !own.is_empty() {
                take(EdgeChange::reset(vertex, neighbor));
            }
            entry.added.iter().for_each(|weight| take(EdgeChange::added(vertex, neighbor, *weight)));
        }
        Ok(())
    }

    /// Applies the removals and then the additions of one entry.
    fn apply(&self, entry: &mut Entry, arcs: &[NamedArc], counts: &mut UpdateCounts) -> Result<()> {
        if arcs.iter().any(NamedArc::removes) {
            match entry.copies() {
                0 => counts.absent += 1,
                copies => counts.removed += copies,
            }
            entry.remove();
        }
        arcs.iter().filter(|arc| !arc.removes()).try_for_each(|arc| self.add(entry, arc.weight, counts))
    }

    fn add(&self, entry: &mut Entry, weight: f64, counts: &mut UpdateCounts) -> Result<()> {
        if self.dedup == Dedup::Keep || entry.copies() == 0 {
            entry.added.push(weight);
            counts.added += 1;
            return Ok(());
        }
        counts.present += 1;
        let now = entry.weight();
        let combined = match self.dedup {
            Dedup::Keep | Dedup::First => now,
            Dedup::Sum => now + weight,
            Dedup::Min => now.min(weight),
            Dedup::Max => now.max(weight),
        };
        let kind = self.weights.unwrap_or(WeightType::F64);
        let combined = kind.kept(combined).ok_or_else(|| unrepresentable_weight(combined, kind))?;
        if self.weights.is_some() && combined.to_bits() != now.to_bits() {
            counts.reweighted += 1;
            entry.remove();
            entry.added.push(combined);
        }
        Ok(())
    }
}

/// Returns the error for a weight that the store's weight type cannot represent.
#[cold]
pub(super) fn unrepresentable_weight(weight: f64, kind: WeightType) -> Error {
    let name = kind.name();
    let message = format!(
        "the weight {} does not fit the weight type {name} of the store; change the type with `outcrop convert \
         --weight-type f64`",
        short_number(weight)
    );
    Error::bad_input(Location::file("the input"), message)
}
