//! `outcrop degree`

use super::options::{AnswerOptions, NodeOptions};
use clap::Args;
use outcrop::{Cancellation, Result};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(mut_arg("direction", |direction| direction.default_value("both")))]
pub(crate) struct DegreeArguments {
    /// Path of the store
    pub(crate) store: PathBuf,
    #[command(flatten)]
    pub(crate) nodes: NodeOptions,
    #[command(flatten)]
    pub(crate) answer: AnswerOptions,
}

pub(crate) fn run(arguments: &DegreeArguments, cancellation: &Cancellation) -> Result<()> {
    let DegreeArguments { store, nodes, answer } = arguments;
    let ids = nodes.some()?;
    answer.answer(store, cancellation, |graph| graph.degrees(ids.as_ref(), nodes.direction))
}
