//! Orders that a user can ask for.

use outcrop_store::{Order, OrderParameters};
use outcrop_types::{Error, Result};

/// Order of the vertices of a build.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BuildOrder {
    /// Ascending original id.
    Original,
    /// Descending degree.
    Degree,
    /// Any order, the same for the same seed.
    Random {
        /// Seed that it is drawn with.
        seed: u64,
    },
    /// The order that there is, but for some vertices in a hundred that are shuffled among themselves: for
    /// measurements.
    Shuffled {
        /// Number of vertices in a hundred.
        percent: u32,
        /// Seed that they are drawn with.
        seed: u64,
    },
    /// Descending PageRank.
    PageRank,
    /// Vertices that have much in common beside each other (Wei et al., SIGMOD 2016).
    Gorder {
        /// Number of vertices it looks back at; `None` for the number of lists in a page.
        window: Option<u32>,
    },
    /// Neighbours of vertices that many edges lead to beside each other (Lee et al., USENIX ATC 2019).
    Norder,
    /// The original order or that by degree, as a sample of the lists suggests.
    #[default]
    Auto,
}

impl BuildOrder {
    /// Seed of a random order where nothing else is asked for.
    pub const DEFAULT_SEED: u64 = 1;

    /// # Errors
    /// [`Error::Usage`] for a window of no vertices.
    pub(crate) fn validate(self) -> Result<()> {
        match self {
            Self::Shuffled { percent, .. } if percent > 100 => {
                Err(Error::Usage("--shuffle must be a percentage of at most 100".to_owned()))
            }
            Self::Gorder { window: Some(0) } => Err(Error::Usage("--window must be at least 1".to_owned())),
            _ => Ok(()),
        }
    }

    /// True if it is found from a store rather than while one is built.
    pub(crate) const fn needs_lists(self) -> bool {
        matches!(self, Self::Shuffled { .. } | Self::PageRank | Self::Gorder { .. } | Self::Norder)
    }

    /// The order of this name, with nothing to choose about it.
    pub(crate) const fn named(name: Order) -> Self {
        match name {
            Order::Original => Self::Original,
            Order::Degree => Self::Degree,
            Order::Random => Self::Random { seed: Self::DEFAULT_SEED },
            Order::PageRank => Self::PageRank,
            Order::Gorder => Self::Gorder { window: None },
            Order::Norder => Self::Norder,
        }
    }
}

/// The parameters of a random order.
pub(crate) fn seeded(seed: u64) -> OrderParameters {
    OrderParameters { seed: Some(seed), ..OrderParameters::default() }
}
