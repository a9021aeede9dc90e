//! Lists of active vertices: from pages of the store with requested lists, or from the edge log, including the changes
//! of the run.

mod batch;
mod edge_log;
mod edge_words;
mod mutations;
mod page_use;

pub(super) use batch::{BLOCK, Batch, BatchLimits, KnownDegrees, Lists, Loaded};
pub(super) use edge_log::{EdgeLog, EdgeLogFigures};
pub(super) use edge_words::{EdgeWords, WordsPart};
pub(super) use mutations::ChangedGraph;
pub(super) use page_use::PageUse;
