//! The record of a run or a build: what it did, what it cost, and what each iteration or phase did. One JSON object, and one page
//! that shows it.
#![forbid(unsafe_code)]

mod page;
mod record;
mod recorder;

pub use record::{
    Bin, BuildRecord, FileRecord, GasRecord, Histogram, IncrementalRecord, MessageRecord, PhaseRecord, Record,
    RunRecord, TopRows,
};
pub use recorder::Recorder;
