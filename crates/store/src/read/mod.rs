//! Reading of lists that every layout shares: the file with its readers, work queues, and requests in flight.

mod file;
mod queue;
mod task;

pub use file::{LITTLE_ENTRIES, LITTLE_MEMBERS, LONGEST_REQUEST, ListFile, buffered_slots, buffers_of};
pub use queue::{MEMBERS_AT_ONCE, VertexQueue, WorkQueue};
pub use task::{ReadPlan, ReadTask, WorkerReads};
