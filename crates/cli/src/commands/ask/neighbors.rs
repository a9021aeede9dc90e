//! `outcrop neighbors`

use super::options::{AnswerOptions, NodeOptions, WeightsOption};
use clap::Args;
use outcrop::{Cancellation, NeighborsRequest, Result};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct NeighborsArguments {
    /// Path of the store
    pub(crate) store: PathBuf,
    #[command(flatten)]
    pub(crate) nodes: NodeOptions,
    #[command(flatten)]
    pub(crate) weights: WeightsOption,
    #[command(flatten)]
    pub(crate) answer: AnswerOptions,
}

pub(crate) fn run(arguments: &NeighborsArguments, cancellation: &Cancellation) -> Result<()> {
    let NeighborsArguments { store, nodes, weights, answer } = arguments;
    let request =
        NeighborsRequest { sides: nodes.direction, weights: weights.weights, ..NeighborsRequest::new(nodes.all()?) };
    answer.answer(store, cancellation, |graph| graph.neighbors(&request))
}
