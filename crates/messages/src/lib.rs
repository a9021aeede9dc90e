//! Programs whose vertices send messages, superstep by superstep (Matam, Hashemi, Annavaram: *MultiLogVC*, 2021; M2 to
//! M9).
//!
//! Messages go into one log for each interval of vertices (`log`), which fits in memory when its vertices are computed:
//! it is loaded, grouped by vertex and handed to the program with the lists of the active vertices alone. Messages need
//! not be combinable. Values, messages and records may all be larger than memory.
#![forbid(unsafe_code)]

mod engine;
mod lists;
pub mod log;
mod memory;
mod outbox;
mod program;
mod records;
mod requirements;
mod setup;
mod supersteps;

pub use engine::MessageEngine;
pub use memory::Extent;
pub use outbox::{Mutation, Outbox};
pub use program::{Edges, MessageProgram, Next, Superstep, TOTALS, Vertex};
pub use records::{RecordLog, RecordSetup, RecordWriter, Records};
pub use requirements::{Delivery, MessageOptions, MessageRequirements};
pub use setup::MessageSetup;
pub use supersteps::MessageResult;
