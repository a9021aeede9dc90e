//! Command-line arguments of `outcrop-bench basc`.

use crate::harness::Setup;
use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct BascArguments {
    /// Figures and tables to create
    #[arg(
        long,
        value_enum,
        value_name = "NAMES",
        value_delimiter = ',',
        default_value = "fig1,fig2,fig6,fig7,fig10,fig11,fig13"
    )]
    pub(crate) tables: Vec<BascTable>,
    /// Algorithms to run
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "bfs,diameter,bc,sssp,apsp,wcc")]
    pub(crate) algorithms: Vec<String>,
    /// Number of sources of bc (128 in the paper)
    #[arg(long, value_name = "K", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) samples: u32,
    /// Number of sources of apsp (128 in the paper)
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) sources: u32,
    /// With fig9: number of days, with changes of 0.2% of the edges per day
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) days: u32,
    #[command(flatten)]
    pub(crate) setup: Setup,
}

/// Figures and tables of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BascTable {
    /// Requests for lists by in-degree
    Fig1,
    /// Hit ratio of page caches of 5% to 30%
    Fig2,
    /// I/O cost model (equation 1) and runs, over 20 orders
    Fig5,
    /// Selections against a page cache alone, at equal memory; with figure 8, utilization
    Fig6,
    /// Static caches of 0% to 90% of the cache memory
    Fig7,
    /// A fixed selection on a changing graph
    Fig9,
    /// Rounds of GVS; with table 2, their time
    Fig10,
    /// Orders; with table 3, their time, and figure 12, orders with selections
    Fig11,
    /// Pages of 8 KiB and 512 B
    Fig13,
}
