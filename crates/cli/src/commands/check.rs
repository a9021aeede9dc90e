//! `outcrop check`

use crate::arguments::CheckArguments;
use crate::output::{bytes, count, remark};
use outcrop::{Cancellation, Graph, OpenOptions, Result};

pub(crate) fn run(arguments: &CheckArguments, cancellation: &Cancellation) -> Result<()> {
    let options = OpenOptions {
        memory: arguments.work.memory,
        threads: arguments.work.threads(),
        io: arguments.io,
        cancellation: cancellation.clone(),
        observer: arguments.work.progress.progress.observer(),
        ..OpenOptions::default()
    };
    let graph = Graph::open(&arguments.store, options)?;
    graph.check()?;
    let info = graph.info();
    remark(&format!(
        "{} is intact: {} vertices, {} edges, {} verified",
        arguments.store.display(),
        count(info.vertices.into()),
        count(info.edges),
        bytes(info.bytes)
    ));
    Ok(())
}
