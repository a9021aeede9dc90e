//! Locality-optimized construction of the subgraph of an interval (LOSC, Algorithm 1, sections 3.2 and 3.3).
//!
//! The position of each list follows from the degrees of the interval's vertices. One sweep over the interval's shard
//! then appends each piece of a list as soon as it has arrived, while others are being loaded. A list is visited by one
//! worker and in order: writes are sequential, workers own disjoint vertices, and there are no locks.

use crate::atomic_lists::AtomicLists;
use crate::degrees::Degrees;
use outcrop_store::access::{Adjacency, FoldLists, Neighbors};
use outcrop_types::{Error, Result, VertexId, VertexRange};
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Concatenated lists of consecutive vertices in one direction: LOSC's in-edge or out-edge arrays.
#[derive(Debug, Default)]
pub struct IntervalLists {
    range: VertexRange,
    /// Start of each list, and the end of the last.
    offsets: Vec<u32>,
    ids: Vec<VertexId>,
    weights: Option<Vec<f64>>,
}

impl IntervalLists {
    /// Maximum number of entries of an interval.
    pub const MAX_ENTRIES: u64 = u32::MAX as u64;

    /// Returns the memory of the lists of `vertices` vertices with `entries` entries in total, in bytes; the owner
    /// reserves it.
    pub const fn bytes(vertices: u64, entries: u64, weighted: bool) -> u64 {
        (vertices + 1) * 4 + entries * if weighted { 12 } else { 4 }
    }

    /// Loads the lists of the vertices of `range` for which `wants` holds; those of others are empty. Weights are
    /// stored if `weighted`, and are 1 if the store has none.
    ///
    /// # Errors
    ///
    /// Returns an error if a read fails or the data is damaged, if the length of a list differs from its degree, or if
    /// the run is interrupted, or [`Error::Internal`] if there are more than [`IntervalLists::MAX_ENTRIES`].
    pub fn construct(
        lists: &dyn Adjacency,
        degrees: &mut dyn Degrees,
        range: VertexRange,
        weighted: bool,
        wants: &(dyn Fn(VertexId) -> bool + Sync),
    ) -> Result<Self> {
        let offsets = offsets(degrees, range, wants)?;
        let entries = offsets.last().map_or(0, |end| *end as usize);
        let cells = AtomicLists::new(entries, weighted);
        let copy =
            CopyLists { start: range.start, offsets: &offsets, cells: &cells, wants, differs: AtomicBool::new(false) };
        lists.sweep(range, &copy)?;
        if copy.differs.into_inner() {
            return Err(degrees.differ());
        }
        Ok(Self::from_cells(range, offsets, cells))
    }

    /// The lists of `range`, one behind the other as `offsets` say.
    pub fn from_cells(range: VertexRange, offsets: Vec<u32>, cells: AtomicLists) -> Self {
        let (ids, weights) = cells.into_plain();
        Self { range, offsets, ids, weights }
    }

    /// Returns the vertices of these lists.
    pub const fn range(&self) -> VertexRange {
        self.range
    }

    /// Returns the start of each list among all entries, and the end of the last.
    pub fn offsets(&self) -> &[u32] {
        &self.offsets
    }

    /// Returns true if there are weights.
    pub const fn weighted(&self) -> bool {
        self.weights.is_some()
    }

    /// Returns the number of entries of all lists.
    pub const fn entries(&self) -> usize {
        self.ids.len()
    }

    /// Returns the list of `vertex`, which must be in the interval.
    #[inline]
    pub fn list(&self, vertex: VertexId) -> Neighbors<'_> {
        let places = self.places(vertex);
        self.stretch(places.start, places.end)
    }

    /// Returns the positions of the entries of `vertex` among all.
    #[inline]
    pub fn places(&self, vertex: VertexId) -> Range<usize> {
        let position = (vertex - self.range.start) as usize;
        self.offsets[position] as usize..self.offsets[position + 1] as usize
    }

    /// Returns the entries from `begin` to `end`, which must be of one list.
    #[inline]
    pub fn stretch(&self, begin: usize, end: usize) -> Neighbors<'_> {
        Neighbors::new(&self.ids[begin..end], self.weights.as_ref().map(|weights| &weights[begin..end]))
    }
}

/// Returns the start of the list of each vertex of `range`, and the end of the last.
fn offsets(degrees: &mut dyn Degrees, range: VertexRange, wants: impl Fn(VertexId) -> bool) -> Result<Vec<u32>> {
    let mut offsets = Vec::with_capacity(range.len() + 1);
    degrees.read(range, &mut offsets)?;
    let mut entries = 0;
    for (vertex, place) in range.iter().zip(&mut offsets) {
        let degree = if wants(vertex) { *place } else { 0 };
        *place = within_u32(entries)?;
        entries += u64::from(degree);
    }
    offsets.push(within_u32(entries)?);
    Ok(offsets)
}

fn within_u32(entries: u64) -> Result<u32> {
    u32::try_from(entries)
        .map_err(|_| Error::internal(format!("an interval has more than {} list entries", IntervalLists::MAX_ENTRIES)))
}

/// Fold that copies pieces of lists to their positions.
struct CopyLists<'c> {
    start: VertexId,
    offsets: &'c [u32],
    cells: &'c AtomicLists,
    /// Dynamic dispatch, since otherwise the list readers would be compiled once per program.
    wants: &'c (dyn Fn(VertexId) -> bool + Sync),
    differs: AtomicBool,
}

impl CopyLists<'_> {
    const fn position(&self, vertex: VertexId) -> usize {
        (vertex - self.start) as usize
    }
}

impl FoldLists for CopyLists<'_> {
    /// Position of the next piece.
    type Fold = usize;

    fn wants(&self, vertex: VertexId) -> bool {
        (self.wants)(vertex)
    }

    fn begin(&self, vertex: VertexId) -> usize {
        self.offsets[self.position(vertex)] as usize
    }

    #[inline]
    fn neighbors(&self, vertex: VertexId, place: &mut usize, piece: Neighbors<'_>) -> ControlFlow<()> {
        let end = *place + piece.len();
        if end > self.offsets[self.position(vertex) + 1] as usize {
            self.differs.store(true, Relaxed);
            return ControlFlow::Break(());
        }
        self.cells.put(*place..end, piece);
        *place = end;
        ControlFlow::Continue(())
    }

    fn end(&self, vertex: VertexId, place: usize) {
        if place != self.offsets[self.position(vertex) + 1] as usize {
            self.differs.store(true, Relaxed);
        }
    }
}
