//! `outcrop degree`

use super::options::{AnswerOptions, NodeOptions};
use clap::Args;
use outcrop::{Cancellation, Result, Sides};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct DegreeArguments {
    /// Path of the store
    pub(crate) store: PathBuf,
    #[command(flatten)]
    pub(crate) nodes: NodeOptions,
    /// Edge direction: out, in or both
    #[arg(long, value_name = "DIRECTION", default_value = "both")]
    pub(crate) direction: Sides,
    #[command(flatten)]
    pub(crate) answer: AnswerOptions,
}

pub(crate) fn run(arguments: &DegreeArguments, cancellation: &Cancellation) -> Result<()> {
    let DegreeArguments { store, nodes, direction, answer } = arguments;
    let nodes = nodes.some()?;
    answer.answer(store, cancellation, |graph| graph.degrees(nodes.as_ref(), *direction))
}
