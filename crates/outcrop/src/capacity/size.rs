//! Size and kind of a graph that is not there.

use outcrop_types::{Error, Result};
use std::str::FromStr;

/// A kind of graph, which its lists are compressed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// Few vertices with many edges, no locality: as Kronecker graphs.
    Social,
    /// Pages in the order of their hosts.
    Web,
    /// Crossings in the order of places.
    Road,
    /// Graph500's.
    Kronecker,
}

impl Profile {
    /// Bytes that a list entry takes more when there are twice as many vertices: gaps are wider where neighbours lie
    /// anywhere.
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

    /// `social`, `web`, `road` or `kronecker`.
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

/// Size of a graph that is not there yet.
#[derive(Clone, Copy, Debug)]
pub struct GraphSize {
    /// Vertices.
    pub vertices: u64,
    /// Edges, each once.
    pub edges: u64,
    /// True if edges have a direction.
    pub directed: bool,
    /// True if edges have weights, of a byte each.
    pub weighted: bool,
    /// Its kind.
    pub profile: Profile,
}
