//! Parameters of the computation, and an error shared by all searches.

use outcrop_types::{Error, VertexId, number_from};

/// Parameters of the computation.
#[derive(Clone, Copy, Debug)]
pub struct BcParams<'p> {
    /// Distinct sources; `None` for all vertices.
    pub sources: Option<&'p [VertexId]>,
    /// True to divide by the number of pairs.
    pub normalized: bool,
    /// True if edges are directed.
    pub directed: bool,
    /// Number of sources per batch, 1 to [`super::MOST_AT_ONCE`].
    pub batch: u32,
}

impl BcParams<'_> {
    /// Returns the number of sources in a graph of `vertices` vertices.
    pub(super) fn count(&self, vertices: u32) -> u32 {
        self.sources.map_or(vertices, |sources| number_from(sources.len()))
    }

    /// Returns the source with this number.
    pub(super) fn source(&self, number: u32) -> VertexId {
        self.sources.map_or(number, |sources| sources[number as usize])
    }
}

/// Returns the error for path counts that overflow.
pub(super) fn too_many_paths() -> Error {
    Error::Usage("too many shortest paths between two vertices: their number exceeds 1.8e308".to_owned())
}
