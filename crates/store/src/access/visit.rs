//! Batches of lists on their way from a layout to a visitor, through a pointer.
//!
//! What crosses the seam is not a list but a batch of lists that stays in the cache of the core, as rows do in a
//! vectorised database engine (Boncz, Zukowski, Nes: MonetDB/X100, CIDR 2005). Readers are compiled once, and the loop
//! over a batch once a visitor.

use super::neighbours::Neighbours;
use outcrop_types::{Result, VertexId};
use std::ops::ControlFlow;

/// Some lists, decoded: list `i` belongs to `vertices[i]` and has the entries from `offsets[i]` up to but not with
/// `offsets[i + 1]`. Empty lists come too.
#[derive(Clone, Copy, Debug)]
pub struct ListBatch<'b> {
    pub(super) vertices: &'b [VertexId],
    pub(super) offsets: &'b [u32],
    pub(super) ids: &'b [VertexId],
    pub(super) weights: Option<&'b [f64]>,
    pub(super) continues: bool,
    pub(super) goes_on: bool,
}

impl<'b> ListBatch<'b> {
    /// True if the last list goes on in the next batch.
    #[inline]
    pub const fn goes_on(&self) -> bool {
        self.goes_on
    }

    /// Number of lists, or pieces of lists.
    #[inline]
    pub const fn len(&self) -> usize {
        self.vertices.len()
    }

    /// True if there is no list.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.vertices.is_empty()
    }

    /// Each list, with its vertex.
    #[inline]
    pub fn lists(&self) -> impl ExactSizeIterator<Item = (VertexId, Neighbours<'b>)> + use<'b> {
        let Self { vertices, offsets, ids, weights, .. } = *self;
        // Default: a batch without lists may have no offsets.
        let ends = offsets.get(1..).unwrap_or_default();
        vertices.iter().zip(offsets.iter().zip(ends)).map(move |(vertex, (start, end))| {
            let places = *start as usize..*end as usize;
            let weights = weights.map(|weights| &weights[places.clone()]);
            (*vertex, Neighbours::new(&ids[places], weights))
        })
    }
}

/// The first neighbours of 64 vertices; of those whose first neighbour is not shown, anything.
pub type FirstNeighbours = [VertexId; 64];

/// A visitor of the lists that are read. Lists of one select or sweep come to several workers at the same time, the
/// pieces of one list one after the other to the same worker, with nothing between them.
pub trait Visit: Sync {
    /// True if [`Visit::filter`] may clear anything, so that a sweep had better ask before it reads.
    fn selective(&self) -> bool {
        false
    }

    /// Clears the vertices whose lists a sweep need not bring: bit `i` of the words is vertex `first + i`. Asked over
    /// blocks of vertices, before anything of them is read. The answer may be stale when a list arrives.
    fn filter(&self, first: VertexId, wanted: &mut [u64]) {
        _ = (first, wanted);
    }

    /// True if lists are often left after their first entries, so that these are worth decoding alone.
    fn stops_early(&self) -> bool {
        false
    }

    /// True if [`Visit::peek`] may settle lists, so that a sweep had better show their first neighbours before it reads
    /// them.
    fn peeks(&self) -> bool {
        false
    }

    /// Looks at the first neighbours of lists before these are read, weights aside: bit `i` of `wanted` is vertex
    /// `first + i`, whose first neighbour is `neighbours[i]`. Returns the vertices whose lists are still wanted. Empty
    /// lists are neither shown nor read then.
    fn peek(&self, first: VertexId, wanted: u64, neighbours: &FirstNeighbours) -> u64 {
        _ = (first, neighbours);
        wanted
    }

    /// True if weights are looked at: else lists come without them, which saves widening them.
    fn reads_weights(&self) -> bool {
        true
    }

    /// Creates the visitor of one worker. It may keep state from one piece of a list to the next.
    fn worker(&self) -> Box<dyn VisitBatch + '_>;
}

/// Visitor of one worker, made by a [`Visit`].
pub trait VisitBatch {
    /// Takes a batch. `Break` skips the rest of the list that goes on, nothing else, and closes it.
    ///
    /// # Errors
    /// Those of the visitor, which end the select or sweep.
    fn lists(&mut self, batch: &ListBatch<'_>) -> Result<ControlFlow<()>>;

    /// Ends the work: there was the last batch.
    ///
    /// # Errors
    /// As for [`VisitBatch::lists`].
    fn finish(&mut self) -> Result<()> {
        Ok(())
    }
}
