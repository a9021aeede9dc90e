//! `outcrop bench`: the tables of the papers, on a graph of the user's.

pub(crate) mod basc;
mod chunkgraph;
pub(crate) mod construct;
pub(crate) mod dynamic_shards;
pub(crate) mod losc;
mod markdown;
pub(crate) mod multilog;
mod trials;

use crate::arguments::BenchCommand;
use outcrop::{Cancellation, Result};

pub(crate) fn run(command: &BenchCommand, cancellation: &Cancellation) -> Result<()> {
    match command {
        BenchCommand::Basc(arguments) => basc::run(arguments, cancellation),
        BenchCommand::Chunkgraph(arguments) => chunkgraph::run(arguments, cancellation),
        BenchCommand::Losc(arguments) => losc::run(arguments, cancellation),
        BenchCommand::Multilog(arguments) => multilog::run(arguments, cancellation),
        BenchCommand::DynamicShards(arguments) => dynamic_shards::run(arguments, cancellation),
        BenchCommand::Construct(arguments) => construct::run(arguments, cancellation),
    }
}
