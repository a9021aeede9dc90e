//! `outcrop bench basc`: the tables of BASC and Norder (Lee, Kim, Lim, Noh, Seo, USENIX ATC 2019) on a graph of the user's.

mod caches;
mod measure;
mod orders;
mod selections;
mod table;

use crate::arguments::WorkOptions;
use crate::output::{json, say};
use clap::{Args, ValueEnum};
use measure::Laboratory;
use outcrop::{Cancellation, Result};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct BascArguments {
    /// A store, best in the csr layout with pages of 8 KiB, as in the paper
    pub(crate) store: PathBuf,
    /// The folder in which stores are made, and removed again
    #[arg(long, value_name = "DIR")]
    pub(crate) work: PathBuf,
    /// What to make
    #[arg(
        long,
        value_enum,
        value_name = "NAMES",
        value_delimiter = ',',
        default_value = "fig2,fig6,fig7,fig10,fig11,fig13"
    )]
    pub(crate) tables: Vec<BascTable>,
    /// What to run
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "bfs,diameter,bc,sssp,apsp,wcc")]
    pub(crate) algorithms: Vec<String>,
    /// The vertex that searches start from
    #[arg(long, value_name = "ID")]
    pub(crate) source: String,
    /// Sources of bc; the paper has 128
    #[arg(long, value_name = "K", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) samples: u32,
    /// Sources of apsp; the paper has 128
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) sources: u32,
    /// Runs of each, of which the one of middle length counts
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=99))]
    pub(crate) repeat: u32,
    /// Print as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) options: WorkOptions,
}

/// Figures and tables of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BascTable {
    /// Hit ratio of page caches of 5% to 30%
    Fig2,
    /// The I/O cost model (equation 1) beside runs, over 20 orders
    Fig5,
    /// Selections beside a page cache alone, at equal memory; with figure 8, utilisation
    Fig6,
    /// Static caches of 0% to 90% of the cache memory
    Fig7,
    /// Rounds of GVS; with table 2, the time that they take
    Fig10,
    /// Orders; with table 3, the time that they take, and figure 12, orders with selections
    Fig11,
    /// Pages of 8 KiB and 512 B
    Fig13,
}

pub(crate) fn run(arguments: &BascArguments, cancellation: &Cancellation) -> Result<()> {
    let laboratory = Laboratory { arguments, cancellation };
    let mut sections = Vec::new();
    for table in &arguments.tables {
        sections.extend(match table {
            BascTable::Fig2 => vec![caches::hit_ratios(&laboratory)?],
            BascTable::Fig5 => vec![orders::cost_model(&laboratory)?],
            BascTable::Fig6 => selections::beside_page_cache(&laboratory)?,
            BascTable::Fig7 => vec![caches::shares(&laboratory)?],
            BascTable::Fig10 => vec![selections::rounds(&laboratory)?],
            BascTable::Fig11 => orders::orders(&laboratory)?,
            BascTable::Fig13 => vec![caches::page_sizes(&laboratory)?],
        });
    }
    if arguments.json {
        return say(&json(&sections)?);
    }
    let texts: Vec<String> = sections.iter().map(table::Section::text).collect();
    say(texts.concat().trim())
}
