//! `outcrop bench dynamic-shards`: the tables of *Load the Edges You Need* (Vora, Xu, Gupta, USENIX ATC 2016) on a graph of the user's.

mod arcs;
mod laboratory;
mod times;
mod traffic;

use super::markdown::{Section, print};
use crate::arguments::ProgressOption;
use clap::{Args, ValueEnum};
use laboratory::{Laboratory, Measured};
use outcrop::{Cancellation, MemorySize, Result};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct DynamicShardsArguments {
    /// A store; in the layout sliding it has shards already, and with a direction only algorithms that go both ways write their own
    pub(crate) store: PathBuf,
    /// What to make
    #[arg(
        long,
        value_enum,
        value_name = "NAMES",
        value_delimiter = ',',
        default_value = "table4,fig3,fig6,fig7,fig8,fig9"
    )]
    pub(crate) tables: Vec<ShardsTable>,
    /// What to run
    #[arg(long, value_enum, value_name = "NAMES", value_delimiter = ',', default_value = "pagerank,bp,heat,sssp,wcc")]
    pub(crate) algorithms: Vec<ShardsAlgorithm>,
    /// The vertices that sssp starts from
    #[arg(long, value_name = "IDS", value_delimiter = ',', required = true)]
    pub(crate) source: Vec<String>,
    /// The most iterations of pagerank and bp, and the steps of heat
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) iterations: u32,
    /// The part of a rank by which it has to change for pagerank to hand it on
    #[arg(long, value_name = "EPS", default_value_t = 0.001)]
    pub(crate) delta: f64,
    /// Make dynamic shards once an iteration updates less than this share of the edges, as in the paper
    #[arg(long, value_name = "SHARE", default_value = "30%")]
    pub(crate) updated_share: String,
    /// Let a shadow iteration take up delayed changes once they take more than this, as in the paper
    #[arg(long, value_name = "SIZE", default_value = "100KiB")]
    pub(crate) delay_buffer: String,
    /// Memory of each run [default: the least that it takes, and a quarter of its shards and values of edges]
    #[arg(long, value_name = "SIZE")]
    pub(crate) memory: Option<MemorySize>,
    /// Threads [default: one a core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// The folder for shards and values of edges [default: beside the store]
    #[arg(long, value_name = "DIR")]
    pub(crate) tmp_dir: Option<PathBuf>,
    /// Runs of each, of which the one of middle length counts
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=99))]
    pub(crate) repeat: u32,
    /// Print as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) progress: ProgressOption,
}

/// Figures and tables of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ShardsTable {
    /// Seconds and iterations of the five algorithms, by kind of shards
    Table4,
    /// The share of the edges that each iteration updates
    Fig3,
    /// Speedups iteration by iteration
    Fig6,
    /// Bytes read and written, and those of shadow iterations
    Fig7,
    /// Dynamic shards beside ideal ones
    Fig8,
    /// How much of the shards is used, and disk space; with section 6.2, the delay buffer
    Fig9,
}

/// The paper's algorithms (section 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ShardsAlgorithm {
    /// By changes
    Pagerank,
    Bp,
    Heat,
    /// From several sources
    Sssp,
    Wcc,
}

pub(crate) fn run(arguments: &DynamicShardsArguments, cancellation: &Cancellation) -> Result<()> {
    let laboratory = Laboratory { arguments, cancellation };
    let measured = arguments.algorithms.iter().map(|algorithm| laboratory.measure(*algorithm));
    let measured: Vec<Measured> = measured.collect::<Result<_>>()?;
    let section = |table: &ShardsTable| match table {
        ShardsTable::Table4 => times::by_kind(&measured),
        ShardsTable::Fig3 => arcs::updated(&measured),
        ShardsTable::Fig6 => times::by_iteration(&measured),
        ShardsTable::Fig7 => traffic::moved(&measured),
        ShardsTable::Fig8 => arcs::beside_ideal(&measured),
        ShardsTable::Fig9 => traffic::utilisation(&measured),
    };
    print(&arguments.tables.iter().map(section).collect::<Vec<Section>>(), arguments.json)
}
