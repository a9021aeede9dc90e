//! Vertex-centric message passing in supersteps (Matam, Hashemi, Annavaram: *MultiLogVC*, 2021; M2 to M9).
//!
//! Each interval of vertices has a message log (`log`). The engine loads the log when it computes the interval, groups
//! the messages by vertex, and passes them to the program together with the lists of the active vertices only. A loaded
//! log fits in memory. Messages need not be combinable. Values, messages and records may each exceed memory.
#![forbid(unsafe_code)]
#![warn(unreachable_pub)]

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
