//! The command line.

use crate::papers::basc::BascArguments;
use crate::papers::chunkgraph::ChunkgraphArguments;
use crate::papers::construct::ConstructArguments;
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

/// The papers.
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
    /// Subgraph construction by itself, to be timed or watched by Cachegrind
    Construct(ConstructArguments),
}

/// The steps of the memory-mapped baseline.
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
    /// Files of edges whose ids are 0..N
    #[arg(required = true)]
    pub edges: Vec<PathBuf>,
    /// The new folder
    pub folder: PathBuf,
    /// Read and keep weights
    #[arg(long)]
    pub weighted: bool,
    /// Edges have no direction
    #[arg(long)]
    pub undirected: bool,
    /// Number of vertices
    #[arg(long, value_name = "N")]
    pub num_vertices: u64,
}

/// Request to run an algorithm.
#[derive(Debug, Args)]
pub struct RunRequest {
    /// The algorithm
    pub algorithm: Algorithm,
    /// The folder that `build` wrote
    pub folder: PathBuf,
    /// Iterations of PageRank
    #[arg(long, default_value_t = 10)]
    pub iterations: u32,
    /// The probability of following an edge
    #[arg(long, default_value_t = 0.85)]
    pub alpha: f64,
    /// Vertex that bfs and sssp start from [default: the vertex with the most out-edges]
    #[arg(long, value_name = "V")]
    pub source: Option<VertexId>,
    /// Threads [default: one a core]
    #[arg(short, long, default_value_t = 0, hide_default_value = true)]
    pub threads: usize,
    /// Precision of ranks and of the distances of sssp
    #[arg(long, default_value = "f64")]
    pub precision: Precision,
    /// Advice to the kernel about the order of accesses
    #[arg(long, default_value = "normal")]
    pub advice: Advice,
    /// Add a digest of the answer to the record
    #[arg(long)]
    pub digest: bool,
}

/// The algorithms of the baseline.
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

/// Advice to the kernel about the order of accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Advice {
    /// Read around each fault, as far as the read-ahead of the disk says
    Normal,
    /// Read single pages
    Random,
}
