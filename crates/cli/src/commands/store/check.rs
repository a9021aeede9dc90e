//! `outcrop check`

use crate::options::work::WorkOptions;
use crate::output::{bytes, remark};
use clap::Args;
use outcrop::{Cancellation, Graph, IoChoice, OpenOptions, Result, counted};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// Path of the store
    pub(crate) store: PathBuf,
    /// I/O backend: auto, uring, pread, buffered or mmap
    #[arg(long, value_name = "BACKEND", default_value = "auto", help_heading = "Memory and I/O")]
    pub(crate) io: IoChoice,
    #[command(flatten)]
    pub(crate) work: WorkOptions,
}

pub(crate) fn run(arguments: &CheckArguments, cancellation: &Cancellation) -> Result<()> {
    let options = OpenOptions { io: arguments.io, ..arguments.work.open(cancellation) };
    let graph = Graph::open(&arguments.store, options)?;
    graph.check()?;
    let info = graph.info();
    remark(&format!(
        "{} is intact: {}, {}, {} verified",
        arguments.store.display(),
        counted(info.vertices.into(), "vertex"),
        counted(info.edges, "edge"),
        bytes(info.bytes)
    ));
    Ok(())
}
