//! `outcrop bench losc`: the tables of LOSC (Xu, Wang, Jiang, Cheng, Hua, Feng, Zhang, JPDC 2023) on a graph of the user's.

mod compact;
mod construction;
mod laboratory;
mod schedules;
mod times;

use super::markdown::{Section, print};
use crate::arguments::WorkOptions;
use clap::{Args, ValueEnum};
use laboratory::Laboratory;
use outcrop::{Cancellation, Result};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct LoscArguments {
    /// A store, in any layout
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
        default_value = "table4,fig8,fig9,fig11,fig12,fig15"
    )]
    pub(crate) tables: Vec<LoscTable>,
    /// The vertex that searches start from
    #[arg(long, value_name = "ID")]
    pub(crate) source: String,
    /// Runs of each, of which the one of middle length counts
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=99))]
    pub(crate) repeat: u32,
    /// Print as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) options: WorkOptions,
}

/// Figures and tables of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LoscTable {
    /// Seconds and bytes of the five algorithms, by layout and model
    Table4,
    /// Seconds that making a store takes
    Fig8,
    /// Seconds of subgraph construction, beside that of parallel sliding windows; with figure 10, threads
    Fig9,
    /// Memory references and cache misses of construction, counted by Cachegrind
    Table5,
    /// Space, traffic and seconds with the compact layout and without
    Fig11,
    /// Select, sweep and auto at caches of 1/8, 1/4 and 1/2 of the lists; with figure 13, what deciding takes
    Fig12,
    /// Threads and memory
    Fig15,
}

pub(crate) fn run(arguments: &LoscArguments, cancellation: &Cancellation) -> Result<()> {
    let laboratory = Laboratory { arguments, cancellation };
    let mut sections: Vec<Section> = Vec::new();
    for table in &arguments.tables {
        sections.extend(match table {
            LoscTable::Table4 => vec![times::by_model(&laboratory)?],
            LoscTable::Fig8 => vec![compact::preparation(&laboratory)?],
            LoscTable::Fig9 => vec![construction::seconds(&laboratory)?],
            LoscTable::Table5 => vec![construction::cache_misses(&laboratory)?],
            LoscTable::Fig11 => vec![compact::space_and_traffic(&laboratory)?],
            LoscTable::Fig12 => schedules::schedules(&laboratory)?,
            LoscTable::Fig15 => vec![times::threads_and_memory(&laboratory)?],
        });
    }
    print(&sections, arguments.json)
}
