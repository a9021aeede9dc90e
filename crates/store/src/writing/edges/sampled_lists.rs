//! Lists that were drawn from the edges of a build.

/// Whole lists of sources that were drawn by a hash.
pub struct SampledLists {
    /// Vertices of the graph.
    pub vertices: u32,
    /// Entries of all lists of the graph, those that repeat others among them.
    pub entries: u64,
    /// The entries that were drawn, vertex and neighbour by their ranks: ascending, so that lists are one behind the
    /// other.
    pub drawn: Vec<[u32; 2]>,
}
