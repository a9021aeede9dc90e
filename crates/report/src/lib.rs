//! The record of a run or a build: what it did, what it cost, and what each iteration or phase did. One JSON object,
//! and one page that shows it.
#![forbid(unsafe_code)]

mod date;
mod meter;
mod page;
mod record;
mod recorder;

pub use date::Date;
pub use meter::{Event, Meter, watched};
pub use record::{
    Bin, BuildRecord, CheckpointRecord, FileRecord, GasRecord, Histogram, IncrementalRecord, MessageRecord,
    PhaseRecord, Record, RunEntry, RunExit, RunRecord, TopRows, WindowRecord,
};
pub use recorder::Recorder;
