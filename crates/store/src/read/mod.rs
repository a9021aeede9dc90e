//! Reading of lists, shared by all layouts: the file with its readers, work queues, and requests in flight.

mod file;
mod queue;
mod task;

pub use file::{LONGEST_REQUEST, ListFile, SERIAL_ENTRIES, SERIAL_MEMBERS, buffered_slots, buffers_of};
pub use queue::{MEMBERS_AT_ONCE, VertexQueue, WorkQueue};
pub use task::{ReadPlan, ReadTask, WorkerReads};
