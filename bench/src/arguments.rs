//! Command-line arguments.

use crate::papers::basc::BascArguments;
use crate::papers::chunkgraph::ChunkgraphArguments;
use crate::papers::construct::ConstructArguments;
use crate::papers::defaults::DefaultsArguments;
use crate::papers::dynamic_shards::DynamicShardsArguments;
use crate::papers::losc::LoscArguments;
use crate::papers::multilog::MultilogArguments;
use crate::side_by_side::SideBySideArguments;
use clap::{Args, Parser, Subcommand, ValueEnum};
use outcrop_types::VertexId;
use serde::Serialize;
use std::path::PathBuf;

/// Measures outcrop: the tables of five papers, and baselines
#[derive(Debug, Parser)]
#[command(name = "outcrop-bench", version)]
pub struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    #[command(flatten)]
    Paper(Paper),
    /// Ligra's algorithms on memory-mapped arrays, paged by the kernel
    #[command(subcommand)]
    MmapCsr(MmapCsr),
    /// outcrop and other programs in turn, with an empty page cache and in memory control groups
    SideBySide(SideBySideArguments),
}

/// Papers to reproduce.
#[derive(Debug, Subcommand)]
pub(crate) enum Paper {
    /// Gain of each technique of ChunkGraph (USENIX ATC 2024): figure 11, tables 3 to 5
    Chunkgraph(ChunkgraphArguments),
    /// Gain of static caches and orders: BASC and Norder (USENIX ATC 2019)
    Basc(BascArguments),
    /// Gain of compact shards, their construction and scheduling by benefit: LOSC (JPDC 2023)
    Losc(LoscArguments),
    /// Gain of multi-logs, fusing and the edge log: MultiLogVC (2021)
    Multilog(MultilogArguments),
    /// Gain of shards that hold the needed edges: Load the Edges You Need (USENIX ATC 2016)
    DynamicShards(DynamicShardsArguments),
    /// Subgraph construction alone, for timing or Cachegrind
    Construct(ConstructArguments),
    /// Each mechanism that is used by default, against a run without it
    Defaults(DefaultsArguments),
}

/// Steps of the memory-mapped baseline.
#[derive(Debug, Subcommand)]
pub enum MmapCsr {
    /// Write the lists of both directions as plain arrays (in memory, without a budget)
    Build(BuildRequest),
    /// Run an algorithm and print one JSON object
    Run(RunRequest),
}

/// Request to build the arrays.
#[derive(Debug, Args)]
pub struct BuildRequest {
    /// Edge files with IDs 0..N
    #[arg(required = true)]
    pub edges: Vec<PathBuf>,
    /// New folder
    pub folder: PathBuf,
    /// Read and store weights
    #[arg(long)]
    pub weighted: bool,
    /// Treat edges as undirected
    #[arg(long)]
    pub undirected: bool,
    /// Number of vertices
    #[arg(long, value_name = "N")]
    pub num_vertices: u64,
}

/// Request to run an algorithm.
#[derive(Debug, Args)]
pub struct RunRequest {
    /// Algorithm
    pub algorithm: Algorithm,
    /// Folder written by `build`
    pub folder: PathBuf,
    /// Number of PageRank iterations
    #[arg(long, default_value_t = 10)]
    pub iterations: u32,
    /// Probability of following an edge
    #[arg(long, default_value_t = 0.85)]
    pub alpha: f64,
    /// Source vertex of bfs and sssp [default: the vertex with the most out-edges]
    #[arg(long, value_name = "V")]
    pub source: Option<VertexId>,
    /// Number of threads [default: one per core]
    #[arg(short, long, default_value_t = 0, hide_default_value = true)]
    pub threads: usize,
    /// Precision of ranks and of sssp distances
    #[arg(long, default_value = "f64")]
    pub precision: Precision,
    /// Access pattern advised to the kernel
    #[arg(long, default_value = "normal")]
    pub advice: Advice,
    /// Add a digest of the result to the record
    #[arg(long)]
    pub digest: bool,
}

/// Algorithms of the baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Algorithm {
    /// PageRank with a fixed number of iterations, pulling
    Pagerank,
    /// Direction-optimizing breadth-first search
    Bfs,
    /// Weakly connected components by union-find in one sweep
    Wcc,
    /// Bellman-Ford on frontiers
    Sssp,
}

/// Precision of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Precision {
    /// 8 bytes
    F64,
    /// 4 bytes
    F32,
}

/// Access pattern advised to the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Advice {
    /// Read ahead around each fault, as configured for the disk
    Normal,
    /// Read single pages
    Random,
}
