//! `outcrop bench multilog`: the figures of MultiLogVC (Matam, Hashemi, Annavaram, 2021) on a graph of the user's.

mod activity;
mod laboratory;
mod pages;
mod times;

use super::markdown::{Section, print};
use crate::arguments::WorkOptions;
use clap::{Args, ValueEnum};
use laboratory::Laboratory;
use outcrop::{Cancellation, Result};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct MultilogArguments {
    /// A store, in any layout: csr has the pages that the paper's has
    pub(crate) store: PathBuf,
    /// What to make
    #[arg(
        long,
        value_enum,
        value_name = "NAMES",
        value_delimiter = ',',
        default_value = "fig2,fig3,fig5,fig6,fig7,fig8,fig9,fig10"
    )]
    pub(crate) tables: Vec<MultilogTable>,
    /// The vertex that bfs starts from
    #[arg(long, value_name = "ID")]
    pub(crate) source: String,
    /// The folder for messages [default: beside the store]
    #[arg(long, value_name = "DIR")]
    pub(crate) tmp_dir: Option<PathBuf>,
    /// The most supersteps, as in the paper
    #[arg(long, value_name = "N", default_value_t = 15, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) supersteps: u32,
    /// Runs of each, of which the one of middle length counts
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=99))]
    pub(crate) repeat: u32,
    /// Print as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) options: WorkOptions,
}

/// Figures of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MultilogTable {
    /// Active vertices and list entries by superstep, of coloring
    Fig2,
    /// Pages with lists of active vertices of which less than 10% is used
    Fig3,
    /// Breadth-first search by superstep, beside sweeping over all lists
    Fig5,
    /// All algorithms: seconds and bytes
    Fig6,
    /// Seconds and bytes by superstep
    Fig7,
    /// One sorted log in place of many
    Fig8,
    /// Hardly used pages that were predicted, and what fusing and the edge log save
    Fig9,
    /// More memory
    Fig10,
}

pub(crate) fn run(arguments: &MultilogArguments, cancellation: &Cancellation) -> Result<()> {
    let laboratory = Laboratory { arguments, cancellation };
    let mut sections: Vec<Section> = Vec::new();
    for table in &arguments.tables {
        sections.push(match table {
            MultilogTable::Fig2 => activity::shrinking(&laboratory)?,
            MultilogTable::Fig3 => pages::thin(&laboratory)?,
            MultilogTable::Fig5 => activity::search(&laboratory)?,
            MultilogTable::Fig6 => times::all(&laboratory)?,
            MultilogTable::Fig7 => activity::by_superstep(&laboratory)?,
            MultilogTable::Fig8 => times::single_log(&laboratory)?,
            MultilogTable::Fig9 => pages::predicted(&laboratory)?,
            MultilogTable::Fig10 => times::memory(&laboratory)?,
        });
    }
    print(&sections, arguments.json)
}
