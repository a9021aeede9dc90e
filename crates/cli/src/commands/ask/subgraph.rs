//! `outcrop subgraph`

use super::options::{AnswerOptions, NodeOptions, WeightsOption};
use clap::Args;
use outcrop::{Cancellation, Result, SubgraphRequest};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct SubgraphArguments {
    /// Path of the store
    pub(crate) store: PathBuf,
    #[command(flatten)]
    pub(crate) nodes: NodeOptions,
    /// Include vertices within this distance, along --direction
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) radius: u32,
    #[command(flatten)]
    pub(crate) weights: WeightsOption,
    #[command(flatten)]
    pub(crate) answer: AnswerOptions,
}

pub(crate) fn run(arguments: &SubgraphArguments, cancellation: &Cancellation) -> Result<()> {
    let SubgraphArguments { store, nodes, radius, weights, answer } = arguments;
    let request =
        SubgraphRequest { radius: *radius, sides: nodes.direction, weights: weights.weights, nodes: nodes.all()? };
    answer.answer(store, cancellation, |graph| graph.subgraph(&request))
}
