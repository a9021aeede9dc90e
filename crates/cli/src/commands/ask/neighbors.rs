//! `outcrop neighbors`

use super::options::{AnswerOptions, NodeOptions};
use clap::Args;
use outcrop::{Cancellation, NeighborsRequest, Result, Sides};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct NeighborsArguments {
    /// Path of the store
    pub(crate) store: PathBuf,
    #[command(flatten)]
    pub(crate) nodes: NodeOptions,
    /// Edge direction: out, in or both
    #[arg(long, value_name = "DIRECTION", default_value = "out")]
    pub(crate) direction: Sides,
    /// Include edge weights
    #[arg(long)]
    pub(crate) weights: bool,
    #[command(flatten)]
    pub(crate) answer: AnswerOptions,
}

pub(crate) fn run(arguments: &NeighborsArguments, cancellation: &Cancellation) -> Result<()> {
    let NeighborsArguments { store, nodes, direction, weights, answer } = arguments;
    let request = NeighborsRequest { sides: *direction, weights: *weights, ..NeighborsRequest::new(nodes.all()?) };
    answer.answer(store, cancellation, |graph| graph.neighbors(&request))
}
