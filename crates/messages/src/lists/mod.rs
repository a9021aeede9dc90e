//! Lists of active vertices: from the store, where only pages that hold them are read, from the edge log, and with what
//! a run has changed.

mod batch;
mod edge_log;
mod mutations;
mod page_use;

pub(super) use batch::{Batch, BatchLimits, KnownDegrees, Lists, Loaded};
pub(super) use edge_log::{EdgeLog, EdgeLogFigures};
pub(super) use mutations::ChangedGraph;
pub(super) use page_use::PageUse;
