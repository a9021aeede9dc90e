//! Command-line arguments of `outcrop-bench dynamic-shards`.

use crate::harness::Setup;
use clap::{Args, ValueEnum};

/// Without --memory, a run gets its minimum and a quarter of the memory for all shards and edge values.
#[derive(Debug, Args)]
pub(crate) struct DynamicShardsArguments {
    /// Figures and tables to create
    #[arg(
        long,
        value_enum,
        value_name = "NAMES",
        value_delimiter = ',',
        default_value = "table4,fig3,fig6,fig7,fig8,fig9"
    )]
    pub(crate) tables: Vec<ShardsTable>,
    /// Algorithms to run
    #[arg(long, value_enum, value_name = "NAMES", value_delimiter = ',', default_value = "pagerank,bp,heat,sssp,wcc")]
    pub(crate) algorithms: Vec<ShardsAlgorithm>,
    /// Maximum number of iterations of pagerank and bp, and number of steps of heat
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) iterations: u32,
    /// Minimum relative change of a rank that pagerank propagates
    #[arg(long, value_name = "EPS", default_value_t = 0.001)]
    pub(crate) delta: f64,
    /// Use dynamic shards once an iteration updates less than this share of the edges, as in the paper
    #[arg(long, value_name = "SHARE", default_value = "30%")]
    pub(crate) updated_share: String,
    /// Run a shadow iteration once delayed changes exceed this size, as in the paper
    #[arg(long, value_name = "SIZE", default_value = "100KiB")]
    pub(crate) delay_buffer: String,
    #[command(flatten)]
    pub(crate) setup: Setup,
}

/// Figures and tables of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ShardsTable {
    /// Seconds and iterations of the five algorithms, by kind of shards
    Table4,
    /// Share of edges updated per iteration
    Fig3,
    /// Speedup per iteration
    Fig6,
    /// Bytes read and written, in total and in shadow iterations
    Fig7,
    /// Dynamic shards against ideal ones
    Fig8,
    /// Utilization of the shards, and disk space; with section 6.2, the delay buffer
    Fig9,
}

/// Algorithms of the paper (section 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ShardsAlgorithm {
    /// Change propagation
    Pagerank,
    /// Loopy belief propagation
    Bp,
    /// Heat equation
    Heat,
    /// Several sources
    Sssp,
    /// Weakly connected components
    Wcc,
}

impl ShardsAlgorithm {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Pagerank => "pagerank",
            Self::Bp => "bp",
            Self::Heat => "heat",
            Self::Sssp => "sssp",
            Self::Wcc => "wcc",
        }
    }
}
