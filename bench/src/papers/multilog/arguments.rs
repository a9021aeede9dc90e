//! Command-line arguments of `outcrop-bench multilog`.

use crate::harness::Setup;
use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct MultilogArguments {
    /// Figures to create
    #[arg(
        long,
        value_enum,
        value_name = "NAMES",
        value_delimiter = ',',
        default_value = "fig2,fig3,fig5,fig6,fig7,fig8,fig9,fig10"
    )]
    pub(crate) tables: Vec<MultilogTable>,
    /// Maximum number of supersteps (15 in the paper)
    #[arg(long, value_name = "N", default_value_t = 15, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) supersteps: u32,
    #[command(flatten)]
    pub(crate) setup: Setup,
}

/// Figures of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MultilogTable {
    /// Active vertices and list entries of coloring, by superstep
    Fig2,
    /// Pages with lists of active vertices, used by less than 10%
    Fig3,
    /// Breadth-first search by superstep, and sweeping over all lists
    Fig5,
    /// All algorithms: seconds and bytes
    Fig6,
    /// Seconds and bytes by superstep
    Fig7,
    /// One sorted log instead of multi-logs
    Fig8,
    /// Predicted low-utilization pages, and the savings of fusing and the edge log
    Fig9,
    /// More memory
    Fig10,
}
