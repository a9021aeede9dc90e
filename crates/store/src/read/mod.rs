//! Reading of lists, shared by all layouts: the file with its readers, work queues, and requests in flight.

mod file;
mod queue;
mod task;

pub(crate) use file::{LONGEST_REQUEST, ListFile, SERIAL_ENTRIES, SERIAL_MEMBERS, buffered_slots, buffers_of};
pub(crate) use queue::{MEMBERS_AT_ONCE, VertexQueue, WorkQueue};
pub(crate) use task::{ReadPlan, ReadTask, WorkerReads};
