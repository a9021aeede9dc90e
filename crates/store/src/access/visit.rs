//! Batches of lists, passed from a layout to a visitor through dynamic dispatch.
//!
//! The interface passes batches of lists that fit in the core's cache, as vectorized database engines pass batches of
//! rows (Boncz, Zukowski, Nes: MonetDB/X100, CIDR 2005). Readers are compiled once, and the loop over a batch is
//! compiled once per visitor.

use super::neighbors::Neighbors;
use outcrop_types::{Result, VertexId};
use std::ops::{ControlFlow, Range};

/// Batch of decoded lists: list `i` belongs to `vertices[i]` and has the entries `places[i]`. Empty lists are included.
#[derive(Clone, Copy, Debug)]
pub struct ListBatch<'b> {
    pub(crate) vertices: &'b [VertexId],
    pub(crate) places: &'b [Range<usize>],
    pub(crate) ids: &'b [VertexId],
    pub(crate) weights: Option<&'b [f64]>,
    pub(crate) continues: bool,
    pub(crate) continues_after: bool,
}

impl<'b> ListBatch<'b> {
    /// Returns true if the last list continues in the next batch.
    #[inline]
    pub(crate) const fn continues_after(&self) -> bool {
        self.continues_after
    }

    /// Returns the number of lists or pieces of lists.
    #[inline]
    pub(crate) const fn len(&self) -> usize {
        self.vertices.len()
    }

    /// Returns the lists at these positions.
    pub(crate) fn part(&self, lists: Range<usize>) -> Self {
        Self {
            vertices: &self.vertices[lists.clone()],
            places: &self.places[lists.clone()],
            continues: self.continues && lists.start == 0,
            continues_after: self.continues_after && lists.end == self.vertices.len(),
            ..*self
        }
    }

    /// Returns the number of entries.
    pub(crate) fn entries(&self) -> usize {
        self.places.iter().map(Range::len).sum()
    }

    /// Returns each list with its vertex.
    #[inline]
    pub fn lists(&self) -> impl ExactSizeIterator<Item = (VertexId, Neighbors<'b>)> + use<'b> {
        let Self { vertices, places, ids, weights, .. } = *self;
        vertices.iter().zip(places).map(move |(vertex, places)| {
            let weights = weights.map(|weights| &weights[places.clone()]);
            (*vertex, Neighbors::new(&ids[places.clone()], weights))
        })
    }
}

/// First neighbors of 64 vertices; entries of vertices that are not shown are arbitrary.
pub type FirstNeighbors = [VertexId; 64];

/// Visitor of lists. Several workers visit the lists of a select or sweep concurrently; the pieces of one list arrive
/// in order at the same worker, with no other list in between.
pub trait Visit: Sync {
    /// Returns true if [`Visit::filter`] may clear bits, so that a sweep should call it before it reads.
    fn selective(&self) -> bool {
        false
    }

    /// Clears the vertices whose lists a sweep may skip: bit `i` of the words is vertex `first + i`. Called for blocks
    /// of vertices before any of their data is read. The answer may be outdated when a list arrives.
    fn filter(&self, first: VertexId, wanted: &mut [u64]) {
        _ = (first, wanted);
    }

    /// Returns true if visitors often skip a list after its first entries, so that it pays to decode these separately.
    fn stops_early(&self) -> bool {
        false
    }

    /// Returns true if [`Visit::peek`] may complete lists, so that a sweep should show first neighbors before it reads.
    fn peeks(&self) -> bool {
        false
    }

    /// Processes the first neighbors of lists, without weights, before the lists are read: bit `i` of `wanted` is
    /// vertex `first + i`, whose first neighbor is `neighbors[i]`. Returns the vertices whose lists are still
    /// requested. With peeking, empty lists are neither shown nor visited, except those of [`Visit::changed`].
    fn peek(&self, first: VertexId, wanted: u64, neighbors: &FirstNeighbors) -> u64 {
        _ = (first, neighbors);
        wanted
    }

    /// Returns the vertices of the 64 from `first` on, a multiple of 64, whose lists arrive changed: they are visited
    /// even if they are empty on disk.
    fn changed(&self, first: VertexId) -> u64 {
        _ = first;
        0
    }

    /// Returns true if the visitor reads weights. Otherwise lists arrive without them, which saves widening them.
    fn reads_weights(&self) -> bool {
        true
    }

    /// Creates the visitor of one worker, which may keep state between the pieces of a list.
    fn worker(&self) -> Box<dyn VisitBatch + '_>;
}

/// Visitor of one worker, created by a [`Visit`].
pub trait VisitBatch {
    /// Processes a batch. `Break` skips the rest of the list that continues in the next batch, and closes that list; it
    /// has no other effect.
    ///
    /// # Errors
    ///
    /// Returns the errors of the visitor, which end the select or sweep.
    fn lists(&mut self, batch: &ListBatch<'_>) -> Result<ControlFlow<()>>;

    /// Finishes after the last batch.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`VisitBatch::lists`].
    fn finish(&mut self) -> Result<()> {
        Ok(())
    }
}
