//! `outcrop check`

use crate::arguments::CheckArguments;
use crate::output::{bytes, count, remark};
use outcrop::{Cancellation, Graph, OpenOptions, Result};

pub(crate) fn run(arguments: &CheckArguments, cancellation: &Cancellation) -> Result<()> {
    let options = OpenOptions { io: arguments.io, ..arguments.work.open(cancellation) };
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
