//! Logs of messages: the multi-log update unit (MultiLogVC sections IV.B and V.A) and the sort and group unit (section
//! V.B).
//!
//! Messages are appended page by page to the log of their destination interval: in memory while there is room, then in
//! one temporary file (`pages`). The pending messages of an interval are drained, loaded and grouped by vertex in a
//! [`GroupSpace`] (`group`). A second space can load the next interval meanwhile. Benchmarks can use another
//! [`LogBackend`].

mod backend;
mod combine;
mod drained;
mod entry;
mod group;
mod intervals;
mod load;
mod message_log;
mod multi;
mod pages;
mod plan;
mod top;
mod writer;

pub use backend::{BackendLog, BackendWriter, CombineBytes, DrainedEntries, LogBackend};
pub use combine::Combine;
pub use drained::Drained;
pub use group::{BlockMessages, GroupSpace, fused_bytes, space_bytes};
pub use message_log::{LogFigures, MessageLog};
pub use plan::{LogPlan, LogSetup, PAGE_BYTES, page_bytes_for, page_sizes};
pub use writer::LogWriter;
