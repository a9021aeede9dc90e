//! `outcrop neighbors`

use super::options::{AnswerOptions, NodeOptions};
use clap::Args;
use outcrop::{Cancellation, NeighborsRequest, Result, Sides};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct NeighborsArguments {
    /// The store
    pub(crate) store: PathBuf,
    #[command(flatten)]
    pub(crate) nodes: NodeOptions,
    /// Edges that count: out, in or both
    #[arg(long, value_name = "SIDE", default_value = "out")]
    pub(crate) direction: Sides,
    /// Show the weights of the edges
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
