//! Directions of edges that a program follows.

use outcrop_types::Direction;

/// Edges that a program follows, or lists that it sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Directions {
    /// Outgoing edges, with the multiplicity of the graph.
    Out,
    /// Incoming edges.
    In,
    /// Edges in both directions, as if the graph were undirected; in an undirected graph, the single list of a vertex.
    Both,
}

impl Directions {
    /// Returns the directions of the lists that contain these edges; a single one if both are the same.
    pub const fn lists(self, undirected: bool) -> &'static [Direction] {
        match (self, undirected) {
            (Self::Out, _) | (Self::Both, true) => &[Direction::Out],
            (Self::In, _) => &[Direction::In],
            (Self::Both, false) => &[Direction::Out, Direction::In],
        }
    }

    /// Returns the same edges seen from their other ends.
    #[must_use]
    pub const fn reversed(self) -> Self {
        match self {
            Self::Out => Self::In,
            Self::In => Self::Out,
            Self::Both => Self::Both,
        }
    }
}
