//! Command line of `outcrop-bench basc`.

use crate::harness::Setup;
use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct BascArguments {
    /// Figures and tables to make
    #[arg(
        long,
        value_enum,
        value_name = "NAMES",
        value_delimiter = ',',
        default_value = "fig2,fig6,fig7,fig10,fig11,fig13"
    )]
    pub(crate) tables: Vec<BascTable>,
    /// Algorithms to run
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "bfs,diameter,bc,sssp,apsp,wcc")]
    pub(crate) algorithms: Vec<String>,
    /// Sources of bc; the paper has 128
    #[arg(long, value_name = "K", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) samples: u32,
    /// Sources of apsp; the paper has 128
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) sources: u32,
    /// With fig9: days on which 0.2% of the edges change
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) days: u32,
    #[command(flatten)]
    pub(crate) setup: Setup,
}

/// Figures and tables of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BascTable {
    /// Hit ratio of page caches of 5% to 30%
    Fig2,
    /// I/O cost model (equation 1) and runs, over 20 orders
    Fig5,
    /// Selections against a page cache alone, at equal memory; with figure 8, utilization
    Fig6,
    /// Static caches of 0% to 90% of the cache memory
    Fig7,
    /// A selection that stays while the graph changes
    Fig9,
    /// Rounds of GVS; with table 2, the time that they take
    Fig10,
    /// Orders; with table 3, the time that they take, and figure 12, orders with selections
    Fig11,
    /// Pages of 8 KiB and 512 B
    Fig13,
}
