//! Which of several ways an algorithm goes.

use outcrop_algorithms::{Algorithm, wcc};

/// A way to compute the same result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Shortest paths: nearest buckets first.
    Delta,
    /// Shortest paths: all that has changed, in each round.
    BellmanFord,
    /// Components: by a sample of the edges, and then what the sample has not joined.
    Afforest,
    /// Components: by every edge once.
    Sweep,
    /// Components: by handing on labels.
    LabelPropagation,
}

impl Method {
    /// All methods.
    pub const ALL: [Self; 5] = [Self::Delta, Self::BellmanFord, Self::Afforest, Self::Sweep, Self::LabelPropagation];

    /// The name on the command line and in Python.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Delta => "delta",
            Self::BellmanFord => "bellman-ford",
            Self::Afforest => "afforest",
            Self::Sweep => "sweep",
            Self::LabelPropagation => "label-propagation",
        }
    }

    /// Whether `algorithm` can go this way.
    pub fn is_of(self, algorithm: Algorithm) -> bool {
        match self {
            Self::Delta | Self::BellmanFord => algorithm == Algorithm::Sssp,
            Self::Afforest | Self::Sweep | Self::LabelPropagation => algorithm == Algorithm::Wcc,
        }
    }

    /// The way to find components.
    pub(crate) const fn of_components(self) -> Option<wcc::Method> {
        match self {
            Self::Delta | Self::BellmanFord => None,
            Self::Afforest => Some(wcc::Method::Afforest),
            Self::Sweep => Some(wcc::Method::Sweep),
            Self::LabelPropagation => Some(wcc::Method::LabelPropagation),
        }
    }
}
