//! `outcrop sample`

use super::options::{AnswerOptions, NodeOptions};
use clap::Args;
use outcrop::{Cancellation, Result, SampleRequest};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct SampleArguments {
    /// Path of the store
    pub(crate) store: PathBuf,
    #[command(flatten)]
    pub(crate) nodes: NodeOptions,
    /// Neighbors to sample per vertex, one number per layer
    #[arg(long, value_name = "N,N", value_delimiter = ',', required = true)]
    pub(crate) fanouts: Vec<u32>,
    /// Sample with replacement
    #[arg(long)]
    pub(crate) replace: bool,
    /// Sample in proportion to edge weights
    #[arg(long)]
    pub(crate) weighted: bool,
    /// Random seed
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) answer: AnswerOptions,
}

pub(crate) fn run(arguments: &SampleArguments, cancellation: &Cancellation) -> Result<()> {
    let SampleArguments { store, nodes, fanouts, replace, weighted, seed, answer } = arguments;
    let request = SampleRequest {
        sides: nodes.direction,
        replace: *replace,
        weighted: *weighted,
        seed: *seed,
        ..SampleRequest::new(nodes.all()?, fanouts.clone())
    };
    answer.answer(store, cancellation, |graph| graph.sample_neighbors(&request))
}
