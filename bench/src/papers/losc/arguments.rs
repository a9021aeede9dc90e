//! Command-line arguments of `outcrop-bench losc`.

use crate::harness::Setup;
use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct LoscArguments {
    /// Figures and tables to create
    #[arg(
        long,
        value_enum,
        value_name = "NAMES",
        value_delimiter = ',',
        default_value = "table4,fig8,fig9,fig11,fig12,fig15"
    )]
    pub(crate) tables: Vec<LoscTable>,
    #[command(flatten)]
    pub(crate) setup: Setup,
}

/// Figures and tables of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LoscTable {
    /// Seconds and bytes of the five algorithms, by layout and model
    Table4,
    /// Seconds for creating a store
    Fig8,
    /// Seconds of subgraph construction, also with parallel sliding windows; with figure 10, threads
    Fig9,
    /// Memory references and cache misses of construction, counted by Cachegrind
    Table5,
    /// Space, traffic and seconds with and without the compact layout
    Fig11,
    /// Select, sweep and auto with caches of 1/8, 1/4 and 1/2 of the lists; with figure 13, the cost of the decision
    Fig12,
    /// Threads and memory
    Fig15,
}
