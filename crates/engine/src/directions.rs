//! Directions of edges that a program goes along.

use outcrop_types::Direction;

/// Edges that a program goes along, or lists that it sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Directions {
    /// Outgoing edges, each as often as the graph has it.
    Out,
    /// Incoming edges.
    In,
    /// Edges in both directions, as if the graph were undirected; there, the one list that a vertex has.
    Both,
}

impl Directions {
    /// The lists that hold these edges; one where both are the same.
    pub const fn lists(self, undirected: bool) -> &'static [Direction] {
        match (self, undirected) {
            (Self::Out, _) | (Self::Both, true) => &[Direction::Out],
            (Self::In, _) => &[Direction::In],
            (Self::Both, false) => &[Direction::Out, Direction::In],
        }
    }

    /// The same edges seen from their other ends.
    #[must_use]
    pub const fn reversed(self) -> Self {
        match self {
            Self::Out => Self::In,
            Self::In => Self::Out,
            Self::Both => Self::Both,
        }
    }
}
