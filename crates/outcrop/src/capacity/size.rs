//! Size and profile of a graph that does not exist yet.

use outcrop_types::{Error, Result};
use std::str::FromStr;

/// Profile of a graph, which determines the compression of its lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// Few vertices with many edges and no locality, like Kronecker graphs.
    Social,
    /// Web pages, ordered by host.
    Web,
    /// Road crossings, ordered by location.
    Road,
    /// Kronecker graphs of Graph500.
    Kronecker,
}

impl Profile {
    /// Returns the additional bytes per list entry when the number of vertices doubles: gaps grow if neighbors are
    /// scattered.
    pub(super) const fn growth(self) -> f64 {
        match self {
            Self::Social | Self::Kronecker => 0.1,
            Self::Web => 0.015,
            Self::Road => 0.0,
        }
    }
}

impl FromStr for Profile {
    type Err = Error;

    /// Parses `social`, `web`, `road` or `kronecker`.
    fn from_str(text: &str) -> Result<Self> {
        let known =
            [("social", Self::Social), ("web", Self::Web), ("road", Self::Road), ("kronecker", Self::Kronecker)];
        let found = known.into_iter().find(|(name, _)| *name == text);
        let names = || known.map(|(name, _)| name).join(", ");
        found
            .map(|(_, profile)| profile)
            .ok_or_else(|| Error::Usage(format!("expected one of {}, not {text:?}", names())))
    }
}

/// Size of a graph that does not exist yet.
#[derive(Clone, Copy, Debug)]
pub struct GraphSize {
    /// Number of vertices.
    pub vertices: u64,
    /// Number of edges, each counted once.
    pub edges: u64,
    /// True if edges are directed.
    pub directed: bool,
    /// True if edges have weights of one byte each.
    pub weighted: bool,
    /// Profile.
    pub profile: Profile,
}
