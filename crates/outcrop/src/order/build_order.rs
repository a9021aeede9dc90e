//! Vertex orders that a user can request.

use outcrop_store::{Order, OrderParameters};
use outcrop_types::Permutation;

/// Vertex order of a store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BuildOrder {
    /// Ascending original ID.
    Original,
    /// Descending degree.
    Degree,
    /// Random permutation.
    Random {
        /// Random seed.
        seed: u64,
    },
    /// Descending PageRank.
    PageRank,
    /// Neighbors of vertices with high in-degree next to each other (Lee et al., USENIX ATC 2019).
    Norder,
    /// `Original` or `Degree`, chosen from a sample of the lists.
    #[default]
    Auto,
}

/// Vertex order of a conversion, computed by the caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenOrder {
    /// Name to record in the store.
    pub name: Order,
    /// Parameters to record in the store.
    pub parameters: OrderParameters,
    /// New internal ID of each vertex of the source; the caller accounts for its memory.
    pub new_ids: Permutation,
}

impl BuildOrder {
    /// Default seed of a random order.
    pub const DEFAULT_SEED: u64 = 1;

    /// True if the order is computed from an existing store and not during a build.
    pub(crate) const fn needs_lists(self) -> bool {
        matches!(self, Self::PageRank | Self::Norder)
    }
}

/// Returns the parameters of a random order.
pub(crate) fn seeded(seed: u64) -> OrderParameters {
    OrderParameters { seed: Some(seed), ..OrderParameters::default() }
}
