//! Into how many intervals vertices are split, and where.

use outcrop_types::{VertexId, index_from, number_from};

/// The most intervals: a table of all blocks then takes 12 MiB.
pub(crate) const MAX_INTERVALS: u32 = 1024;
/// Arcs that a block is to have at the least, on average: some 40 KiB, and values of edges of 128 KiB. Blocks of half
/// as many take half as long again in all.
const BLOCK_ARCS: u64 = 16_384;

/// Number of intervals that a graph of `arcs` arcs is split into: about as many that a block has 16384 of them.
pub fn intervals_for(arcs: u64) -> u32 {
    let most = u64::from(MAX_INTERVALS);
    u32::try_from((arcs / BLOCK_ARCS).isqrt().clamp(1, most)).unwrap_or(MAX_INTERVALS)
}

/// Chooses where intervals begin, from the degrees of one vertex after the other, so that out- and in-degrees of each
/// add up to about the same. There may be fewer intervals than asked for, as of vertices with many neighbors, but none
/// is empty.
#[derive(Debug)]
pub struct BoundsPicker {
    bounds: Vec<VertexId>,
    vertex: VertexId,
    intervals: u64,
    /// Weight of all vertices.
    total: u64,
    weight: u64,
}

impl BoundsPicker {
    /// Creates a picker of `intervals` intervals for `vertices` vertices; `degrees` is the sum of out- and in-degrees.
    pub fn new(vertices: u32, degrees: u64, intervals: u32) -> Self {
        let intervals = intervals.clamp(1, vertices.max(1));
        Self {
            bounds: Vec::with_capacity(index_from(u64::from(intervals)) + 1),
            vertex: 0,
            intervals: u64::from(intervals),
            // Each vertex weighs one more, so that those without neighbors are split, too.
            total: degrees.saturating_add(u64::from(vertices)),
            weight: 0,
        }
    }

    /// The next vertex, with its out- and in-degree added up.
    #[inline]
    pub fn push(&mut self, degrees: u64) {
        let due = u128::from(self.weight) * u128::from(self.intervals);
        let full = due >= u128::from(self.total) * length_of(&self.bounds);
        if full && u128::from(self.intervals) > length_of(&self.bounds) {
            self.bounds.push(self.vertex);
        }
        self.vertex += 1;
        self.weight += degrees + 1;
    }

    /// Starts of intervals, and at last the number of vertices.
    pub fn finish(mut self) -> Vec<VertexId> {
        if self.bounds.is_empty() {
            self.bounds.push(0);
        }
        self.bounds.push(self.vertex);
        self.bounds
    }
}

fn length_of(bounds: &[VertexId]) -> u128 {
    number_from(bounds.len())
}
