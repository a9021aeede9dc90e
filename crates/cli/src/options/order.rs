//! Options for the vertex order.

use clap::{Args, ValueEnum};
use outcrop::{BuildOrder, Error, Result};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OrderOption {
    /// Ascending original ID
    Original,
    /// Descending degree
    Degree,
    /// Random permutation
    Random,
    /// Descending PageRank
    #[value(name = "pagerank")]
    PageRank,
    /// Neighbors of high in-degree vertices next to each other
    Norder,
    /// Original or degree, chosen from a sample
    Auto,
}

/// Vertex order.
#[derive(Debug, Args)]
#[command(next_help_heading = "Vertex order")]
pub(crate) struct OrderOptions {
    /// Vertex order [default: auto for build, unchanged for convert]
    #[arg(long, value_enum, value_name = "ORDER")]
    pub(crate) order: Option<OrderOption>,
    /// Random seed of --order random [default: 1]
    #[arg(long, value_name = "N")]
    pub(crate) order_seed: Option<u64>,
}

impl OrderOptions {
    /// The requested order.
    ///
    /// # Errors
    /// Options of another order.
    pub(crate) fn order(&self) -> Result<Option<BuildOrder>> {
        if self.order_seed.is_some() && self.order != Some(OrderOption::Random) {
            return Err(Error::Usage("--order-seed needs --order random".to_owned()));
        }
        let seed = self.order_seed.unwrap_or(BuildOrder::DEFAULT_SEED);
        Ok(self.order.map(|order| match order {
            OrderOption::Original => BuildOrder::Original,
            OrderOption::Degree => BuildOrder::Degree,
            OrderOption::Random => BuildOrder::Random { seed },
            OrderOption::PageRank => BuildOrder::PageRank,
            OrderOption::Norder => BuildOrder::Norder,
            OrderOption::Auto => BuildOrder::Auto,
        }))
    }
}
