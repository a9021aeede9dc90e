//! Batches of lists: their vertices, and the arrays that are returned.

use super::super::degrees::read_some;
use crate::lists::KeptRanks;
use outcrop_store::layout::DegreeReader;
use outcrop_types::{Result, VertexId, VertexRange, VertexSet};

/// Number of consecutive vertices whose degrees are read at once: at first, because long lists soon fill a batch, and
/// at most.
const FIRST_DEGREES: u32 = 1 << 10;
const DEGREES: u32 = 1 << 14;
/// Memory for reading degrees, in bytes: vertices with their positions, and their degrees.
pub(super) const DEGREES_BYTES: u64 = DEGREES as u64 * (8 + 4);

/// Batch of lists: list `i` belongs to the vertex with rank `vertices[i]` and has the entries
/// `offsets[i]..offsets[i + 1]`.
pub struct ListArrays {
    /// Ranks of the vertices, which are their row numbers in results.
    pub vertices: Vec<u32>,
    /// Start of each list, and the end of the last one.
    pub offsets: Vec<u64>,
    /// Ranks of the neighbors, in the order of the store.
    pub neighbors: Vec<u32>,
    /// Weights of the edges, if requested.
    pub weights: Option<Vec<f64>>,
}

/// Neighbors of the lists of a batch, and their weights if requested.
pub(super) type Entries = (Vec<u32>, Option<Vec<f64>>);

/// Vertices of a batch, ascending, and the starts of their lists in its arrays.
pub(super) struct Members {
    pub(super) vertices: Vec<VertexId>,
    pub(super) offsets: Vec<u64>,
}

impl Members {
    /// Returns the first members of `set` (default: of all vertices) within `rest` with at most the given number of
    /// lists and of entries, but at least one list, unless there are none.
    ///
    /// # Errors
    ///
    /// Returns an error if degrees are damaged or cannot be read.
    pub(super) fn first(
        set: Option<&VertexSet>,
        rest: VertexRange,
        most: (u32, u32),
        degrees: &mut DegreeReader,
    ) -> Result<Self> {
        let mut batch = Self { vertices: Vec::new(), offsets: vec![0] };
        let (mut start, mut count, mut full) = (rest.start, FIRST_DEGREES, false);
        while start < rest.end && !full {
            let stretch = VertexRange::new(start, start.saturating_add(count).min(rest.end));
            count = DEGREES.min(2 * count);
            let some = members_in(set, stretch);
            read_some(degrees, &some, |place, degree| {
                full = full || !batch.push(some[place as usize].0, degree, most);
            })?;
            start = stretch.end;
        }
        Ok(batch)
    }

    /// Returns the first `most` members of `set` within `rest`.
    pub(super) fn some_of(set: &VertexSet, rest: VertexRange, most: u32) -> Vec<VertexId> {
        let mut some = Vec::new();
        match set {
            VertexSet::Dense { bits, .. } => some.extend(bits.iter_range(rest).take(most as usize)),
            VertexSet::Sparse { .. } => {
                let places = set.positions_in(rest);
                let end = places.end.min(places.start.saturating_add(most));
                set.for_each_in(VertexRange::new(places.start, end), |vertex| some.push(vertex));
            }
        }
        some
    }

    /// Adds a list of `degree` entries, unless that would make a batch with others of too many lists or entries.
    fn push(&mut self, vertex: VertexId, degree: u32, most: (u32, u32)) -> bool {
        let entries = self.entries() + u64::from(degree);
        let fits = entries <= u64::from(most.1) && self.vertices.len() < most.0 as usize;
        if !fits && !self.vertices.is_empty() {
            return false;
        }
        self.vertices.push(vertex);
        self.offsets.push(entries);
        true
    }

    /// Returns the number of entries of all lists.
    pub(super) fn entries(&self) -> u64 {
        self.offsets.last().map_or(0, |end| *end)
    }

    /// Returns the range from the first vertex to the last one.
    pub(super) fn range(&self) -> VertexRange {
        let bounds = self.vertices.first().zip(self.vertices.last());
        bounds.map_or(VertexRange::new(0, 0), |(first, last)| VertexRange::new(*first, last + 1))
    }

    /// Returns the arrays with ranks in place of vertices.
    pub(super) fn with(self, ranks: Option<&KeptRanks>, arrays: Entries) -> ListArrays {
        let (neighbors, weights) = arrays;
        let mut vertices = self.vertices;
        ranks.iter().for_each(|ranks| vertices.iter_mut().for_each(|vertex| *vertex = ranks.rank(*vertex)));
        ListArrays { vertices, offsets: self.offsets, neighbors, weights }
    }
}

/// Returns the members of `set` (default: all vertices) in `stretch`, with their positions.
fn members_in(set: Option<&VertexSet>, stretch: VertexRange) -> Vec<(VertexId, u32)> {
    let Some(set) = set else { return stretch.iter().zip(0..).collect() };
    let mut members = Vec::new();
    set.for_each_in(set.positions_in(stretch), |vertex| members.push((vertex, members.len() as u32)));
    members
}
