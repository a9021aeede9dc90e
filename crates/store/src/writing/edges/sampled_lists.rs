//! Lists sampled from the edges of a build.

/// Whole lists of sources sampled by a hash.
pub struct SampledLists {
    /// Number of vertices of the graph.
    pub vertices: u32,
    /// Number of entries of all lists of the graph, including duplicates.
    pub entries: u64,
    /// Sampled entries as vertex and neighbor ranks, in ascending order, so that lists are contiguous.
    pub drawn: Vec<[u32; 2]>,
}
