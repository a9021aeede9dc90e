//! Number and bounds of the vertex intervals.

use outcrop_types::{VertexId, index_from, number_from};

/// Maximum number of intervals: the table of all blocks then takes 12 MiB.
pub(crate) const MAX_INTERVALS: u32 = 1024;
/// Minimum mean number of arcs per block: about 40 KiB, and 128 KiB of edge values. Blocks of half this size take half
/// as long again in total.
const BLOCK_ARCS: u64 = 16_384;

/// Returns the number of intervals of a graph with `arcs` arcs, for about 16384 arcs per block.
pub fn intervals_for(arcs: u64) -> u32 {
    let most = u64::from(MAX_INTERVALS);
    u32::try_from((arcs / BLOCK_ARCS).isqrt().clamp(1, most)).unwrap_or(MAX_INTERVALS)
}

/// Selects the bounds of intervals from the degrees of consecutive vertices, so that the sums of out- and in-degrees
/// are about equal. There may be fewer intervals than requested, for example with high-degree vertices, but none is
/// empty.
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
            // Each vertex adds 1 to the weight, so that vertices without neighbors are also split.
            total: degrees.saturating_add(u64::from(vertices)),
            weight: 0,
        }
    }

    /// Adds the next vertex, with the sum of its out- and in-degree.
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

    /// Returns the starts of the intervals, followed by the number of vertices.
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
