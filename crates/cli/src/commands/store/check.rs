//! `outcrop check`

use crate::options::work::DeviceOptions;
use crate::output::{bytes, info};
use clap::Args;
use outcrop::{Cancellation, Graph, Result, counted};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// Path of the store
    pub(crate) store: PathBuf,
    #[command(flatten)]
    pub(crate) device: DeviceOptions,
}

pub(crate) fn run(arguments: &CheckArguments, cancellation: &Cancellation) -> Result<()> {
    let graph = Graph::open(&arguments.store, arguments.device.open(cancellation))?;
    graph.check()?;
    let graph_info = graph.info();
    info(&format!(
        "{} is intact: {}, {}, {} verified",
        arguments.store.display(),
        counted(graph_info.vertices.into(), "vertex"),
        counted(graph_info.edges, "edge"),
        bytes(graph_info.bytes)
    ));
    Ok(())
}
