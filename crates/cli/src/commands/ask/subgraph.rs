//! `outcrop subgraph`

use super::options::{AnswerOptions, NodeOptions};
use clap::Args;
use outcrop::{Cancellation, Result, Sides, SubgraphRequest};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct SubgraphArguments {
    /// The store
    pub(crate) store: PathBuf,
    #[command(flatten)]
    pub(crate) nodes: NodeOptions,
    /// Take in what is within so many steps
    #[arg(long, value_name = "STEPS", default_value_t = 0)]
    pub(crate) radius: u32,
    /// Edges that these steps follow: out, in or both
    #[arg(long, value_name = "SIDE", default_value = "out")]
    pub(crate) direction: Sides,
    /// Show the weights of the edges
    #[arg(long)]
    pub(crate) weights: bool,
    #[command(flatten)]
    pub(crate) answer: AnswerOptions,
}

pub(crate) fn run(arguments: &SubgraphArguments, cancellation: &Cancellation) -> Result<()> {
    let SubgraphArguments { store, nodes, radius, direction, weights, answer } = arguments;
    let request = SubgraphRequest { radius: *radius, sides: *direction, weights: *weights, nodes: nodes.all()? };
    answer.answer(store, cancellation, |graph| graph.subgraph(&request))
}
