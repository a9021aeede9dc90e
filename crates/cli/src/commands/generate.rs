//! `outcrop generate`

use crate::options::output::OverwriteOption;
use crate::options::work::ProgressOption;
use crate::output::{info, named};
use clap::{Args, Subcommand};
use outcrop::{Cancellation, EdgeGenerator, Grid, Kronecker, Result, Uniform, Web, WeightDistribution, counted};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct GenerateArguments {
    #[command(subcommand)]
    pub(crate) graph: GeneratedGraph,
}

#[derive(Debug, Subcommand)]
pub(crate) enum GeneratedGraph {
    /// Kronecker graph of Graph500: 2^SCALE vertices, highly skewed degrees
    Kronecker {
        /// Logarithm to base 2 of the number of vertices
        #[arg(long, value_name = "N")]
        scale: u32,
        /// Edges per vertex
        #[arg(long, value_name = "N", default_value_t = 16)]
        edge_factor: u32,
        #[command(flatten)]
        rest: GenerateOptions,
    },
    /// Edges between uniformly random vertices
    Uniform {
        #[command(flatten)]
        size: SizeOptions,
        #[command(flatten)]
        rest: GenerateOptions,
    },
    /// Web graph: pages ordered by host, most links local, the others to popular pages
    Web {
        #[command(flatten)]
        size: SizeOptions,
        #[command(flatten)]
        rest: GenerateOptions,
    },
    /// Two-dimensional grid: every vertex has up to four neighbors, each edge is listed once
    Grid {
        /// Number of rows
        #[arg(long, value_name = "N")]
        rows: u64,
        /// Number of columns
        #[arg(long, value_name = "N")]
        columns: u64,
        #[command(flatten)]
        rest: GenerateOptions,
    },
}

#[derive(Debug, Args)]
pub(crate) struct SizeOptions {
    /// Number of vertices
    #[arg(long, value_name = "N")]
    pub(crate) vertices: u64,
    /// Number of edges
    #[arg(long, value_name = "N")]
    pub(crate) edges: u64,
}

#[derive(Debug, Args)]
pub(crate) struct GenerateOptions {
    /// Random seed
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Edge weights: uniform (from 0 to 1) or a range of integers such as 1..255 [default: none]
    #[arg(long, value_name = "RANGE")]
    pub(crate) weights: Option<WeightDistribution>,
    /// Output file: .bin (binary), .parquet, .el, .wel, .txt, .csv or .tsv; text also with .gz or .zst; - pipes binary
    /// edges
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) overwrite: OverwriteOption,
    #[command(flatten)]
    pub(crate) progress: ProgressOption,
}

pub(crate) fn run(arguments: &GenerateArguments, cancellation: &Cancellation) -> Result<()> {
    match &arguments.graph {
        GeneratedGraph::Kronecker { scale, edge_factor, rest } => {
            write(&Kronecker::new(*scale, *edge_factor, rest.seed, rest.weights)?, rest, cancellation)
        }
        GeneratedGraph::Uniform { size: SizeOptions { vertices, edges }, rest } => {
            write(&Uniform::new(*vertices, *edges, rest.seed, rest.weights)?, rest, cancellation)
        }
        GeneratedGraph::Web { size: SizeOptions { vertices, edges }, rest } => {
            write(&Web::new(*vertices, *edges, rest.seed, rest.weights)?, rest, cancellation)
        }
        GeneratedGraph::Grid { rows, columns, rest } => {
            write(&Grid::new(*rows, *columns, rest.seed, rest.weights)?, rest, cancellation)
        }
    }
}

fn write(generator: &dyn EdgeGenerator, options: &GenerateOptions, cancellation: &Cancellation) -> Result<()> {
    let observer = options.progress.observer();
    let edges = outcrop::generate(generator, &options.output, options.overwrite.overwrite, cancellation, &*observer)?;
    let (edges, vertices) = (counted(edges, "edge"), counted(generator.num_vertices(), "vertex"));
    info(&format!("{}: {edges} among {vertices}", named(&options.output)));
    Ok(())
}
