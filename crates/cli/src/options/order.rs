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
    /// Vertices with common neighbors next to each other; slow
    Gorder,
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
    /// Window size of --order gorder, in vertices [default: the average number of lists in 4 KiB]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) window: Option<u32>,
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
        if self.window.is_some() && self.order != Some(OrderOption::Gorder) {
            return Err(Error::Usage("--window needs --order gorder".to_owned()));
        }
        let seed = self.order_seed.unwrap_or(BuildOrder::DEFAULT_SEED);
        Ok(self.order.map(|order| match order {
            OrderOption::Original => BuildOrder::Original,
            OrderOption::Degree => BuildOrder::Degree,
            OrderOption::Random => BuildOrder::Random { seed },
            OrderOption::PageRank => BuildOrder::PageRank,
            OrderOption::Gorder => BuildOrder::Gorder { window: self.window },
            OrderOption::Norder => BuildOrder::Norder,
            OrderOption::Auto => BuildOrder::Auto,
        }))
    }
}
