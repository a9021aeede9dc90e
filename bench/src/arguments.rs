//! The command line.

use clap::{Args, Parser, Subcommand, ValueEnum};
use outcrop_types::VertexId;
use serde::Serialize;
use std::path::PathBuf;

/// Baselines to measure outcrop against
#[derive(Debug, Parser)]
#[command(name = "outcrop-bench", version)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The baselines.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Ligra's algorithms on memory-mapped arrays, paged by the kernel
    #[command(subcommand)]
    MmapCsr(MmapCsr),
}

/// The steps of the memory-mapped baseline.
#[derive(Debug, Subcommand)]
pub enum MmapCsr {
    /// Write the lists of both directions as plain arrays (in memory, without a budget)
    Build(BuildRequest),
    /// Run an algorithm and print one JSON object
    Run(RunRequest),
}

/// What to write.
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
    /// How many vertices there are
    #[arg(long, value_name = "N")]
    pub num_vertices: u64,
}

/// What to run.
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
    /// Where bfs and sssp start [default: the vertex with the most out-edges]
    #[arg(long, value_name = "V")]
    pub source: Option<VertexId>,
    /// Threads [default: one a core]
    #[arg(short, long, default_value_t = 0, hide_default_value = true)]
    pub threads: usize,
    /// Precision of ranks and of the distances of sssp
    #[arg(long, default_value = "f64")]
    pub precision: Precision,
    /// What the kernel is told about the order of accesses
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
    /// Direction-optimising breadth-first search
    Bfs,
    /// Weakly connected components by union-find in one sweep
    Wcc,
    /// Bellman-Ford on frontiers
    Sssp,
}

/// How precise values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Precision {
    /// 8 bytes
    F64,
    /// 4 bytes
    F32,
}

/// What the kernel is told about the order of accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Advice {
    /// Read around each fault, as far as the read-ahead of the disk says
    Normal,
    /// Read single pages
    Random,
}
