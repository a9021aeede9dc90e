//! `outcrop subgraph`

use super::options::{AnswerOptions, NodeOptions};
use clap::Args;
use outcrop::{Cancellation, Result, Sides, SubgraphRequest};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct SubgraphArguments {
    /// Path of the store
    pub(crate) store: PathBuf,
    #[command(flatten)]
    pub(crate) nodes: NodeOptions,
    /// Include vertices within this distance
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) radius: u32,
    /// Edge direction of --radius: out, in or both
    #[arg(long, value_name = "DIRECTION", default_value = "out")]
    pub(crate) direction: Sides,
    /// Include edge weights
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
