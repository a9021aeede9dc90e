//! Records of runs and builds: results, costs, and details per iteration or phase, as a JSON object and as an HTML
//! page.
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
