//! Command-line arguments, from which the help pages are made.

use crate::algorithm_command::AlgorithmCommand;
use crate::commands::algorithms::AlgorithmsArguments;
use crate::commands::ask::degree::DegreeArguments;
use crate::commands::ask::neighbors::NeighborsArguments;
use crate::commands::ask::sample::SampleArguments;
use crate::commands::ask::subgraph::SubgraphArguments;
use crate::commands::calibrate::CalibrateArguments;
use crate::commands::completions::{CompletionsArguments, ManArguments};
use crate::commands::estimate::EstimateCommand;
use crate::commands::generate::GenerateArguments;
use crate::commands::report::ReportArguments;
use crate::commands::run::RunOptions;
use crate::commands::store::build::BuildArguments;
use crate::commands::store::cache::CacheArguments;
use crate::commands::store::check::CheckArguments;
use crate::commands::store::convert::ConvertArguments;
use crate::commands::store::export::ExportArguments;
use crate::commands::store::info::InfoArguments;
use crate::commands::store::runs::RunsArguments;
use crate::commands::store::update::UpdateArguments;
use clap::{Parser, Subcommand};

/// Graph analytics on graphs larger than memory.
#[derive(Debug, Parser)]
#[command(name = "outcrop", version, about, max_term_width = 110)]
#[command(after_help = "Exit codes: 0 ok, 2 usage, 3 bad input, 4 budget too small, 5 disk full, 6 not converged, \
7 corrupt store, 8 format version, 9 I/O, 70 internal error, 130 interrupted.")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Build a store from files of edges
    Build(Box<BuildArguments>),
    /// Make a store of the same graph with another layout of its lists or order of its vertices
    Convert(ConvertArguments),
    /// Write the edges of a store to a file
    Export(ExportArguments),
    /// Add edges to a store and remove edges from it
    Update(Box<UpdateArguments>),
    /// Show what a store holds
    Info(InfoArguments),
    /// Show the runs that were made on a store
    Runs(RunsArguments),
    /// Verify every byte of a store
    Check(CheckArguments),
    /// Select lists that runs keep in memory from their beginning: a static cache
    Cache(CacheArguments),
    /// Say what a run needs, without running it, or what a graph will need that is not there
    #[command(arg_required_else_help = true)]
    Estimate(EstimateCommand),
    /// Run an algorithm
    #[command(arg_required_else_help = true)]
    Run(Box<AlgorithmCommand<RunOptions>>),
    /// Show the neighbours of vertices
    Neighbors(NeighborsArguments),
    /// Show the degrees of vertices
    Degree(DegreeArguments),
    /// Show the edges among vertices, or around them
    Subgraph(SubgraphArguments),
    /// Draw neighbours of vertices in layers, for learning
    Sample(SampleArguments),
    /// List the algorithms
    Algorithms(AlgorithmsArguments),
    /// Print what completes commands and options in a shell
    Completions(CompletionsArguments),
    /// Write manual pages
    Man(ManArguments),
    /// Make a page from the record of a run or build
    Report(ReportArguments),
    /// Write the edges of a generated graph
    Generate(GenerateArguments),
    /// Measure the disk, so that reads are planned for it
    Calibrate(CalibrateArguments),
}
