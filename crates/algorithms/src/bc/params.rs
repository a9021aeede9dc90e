//! Parameters of the computation, and the refusal that all searches share.

use outcrop_types::{Error, VertexId, number_from};

/// Parameters of the computation.
#[derive(Clone, Copy, Debug)]
pub struct BcParams<'p> {
    /// The sources, each once; `None` for all vertices.
    pub sources: Option<&'p [VertexId]>,
    /// True to divide by the number of pairs.
    pub normalized: bool,
    /// True if edges have a direction.
    pub directed: bool,
    /// Number of sources that are searched from at once, 1 to [`super::MOST_AT_ONCE`].
    pub batch: u32,
}

impl BcParams<'_> {
    /// Number of sources in a graph of `vertices` vertices.
    pub(super) fn count(&self, vertices: u32) -> u32 {
        self.sources.map_or(vertices, |sources| number_from(sources.len()))
    }

    /// The source of this number.
    pub(super) fn source(&self, number: u32) -> VertexId {
        self.sources.map_or(number, |sources| sources[number as usize])
    }
}

/// The refusal of numbers of paths that cannot be counted.
pub(super) fn too_many_paths() -> Error {
    Error::Usage("too many shortest paths between two vertices: their number exceeds 1.8e308".to_owned())
}
