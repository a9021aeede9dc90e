//! Command line of `outcrop-bench multilog`.

use crate::harness::Setup;
use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct MultilogArguments {
    /// Figures to make
    #[arg(
        long,
        value_enum,
        value_name = "NAMES",
        value_delimiter = ',',
        default_value = "fig2,fig3,fig5,fig6,fig7,fig8,fig9,fig10"
    )]
    pub(crate) tables: Vec<MultilogTable>,
    /// The most supersteps, as in the paper
    #[arg(long, value_name = "N", default_value_t = 15, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) supersteps: u32,
    #[command(flatten)]
    pub(crate) setup: Setup,
}

/// Figures of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MultilogTable {
    /// Active vertices and list entries by superstep, of coloring
    Fig2,
    /// Pages with lists of active vertices of which less than 10% is used
    Fig3,
    /// Breadth-first search by superstep, and sweeping over all lists
    Fig5,
    /// All algorithms: seconds and bytes
    Fig6,
    /// Seconds and bytes by superstep
    Fig7,
    /// One sorted log in place of many
    Fig8,
    /// Low-utilization pages that were predicted, and the savings of fusing and the edge log
    Fig9,
    /// More memory
    Fig10,
}
