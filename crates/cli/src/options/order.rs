//! Options for the order of the vertices.

use clap::{Args, ValueEnum};
use outcrop::{BuildOrder, Error, Result};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OrderOption {
    /// Ascending id
    Original,
    /// Descending degree
    Degree,
    /// Any order
    Random,
    /// Descending PageRank
    #[value(name = "pagerank")]
    PageRank,
    /// Vertices that have much in common beside each other; slow
    Gorder,
    /// Neighbours of vertices that many edges lead to beside each other
    Norder,
    /// Original or degree, as a sample suggests
    Auto,
}

/// Order of the vertices.
#[derive(Debug, Args)]
#[command(next_help_heading = "Order of the vertices")]
pub(crate) struct OrderOptions {
    /// Order of the vertices [default: auto; as they are, where a store is converted]
    #[arg(long, value_enum, value_name = "ORDER")]
    pub(crate) order: Option<OrderOption>,
    /// With --order random: the same seed gives the same order [default: 1]
    #[arg(long, value_name = "N")]
    pub(crate) order_seed: Option<u64>,
    /// With --order gorder: how many vertices to look back at [default: the average number of lists in 4 KiB]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) window: Option<u32>,
}

impl OrderOptions {
    /// The order that is asked for.
    ///
    /// # Errors
    /// Options of another order.
    pub(crate) fn order(&self) -> Result<Option<BuildOrder>> {
        if self.order_seed.is_some() && self.order != Some(OrderOption::Random) {
            return Err(Error::Usage("--order-seed goes with --order random".to_owned()));
        }
        if self.window.is_some() && self.order != Some(OrderOption::Gorder) {
            return Err(Error::Usage("--window goes with --order gorder".to_owned()));
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
