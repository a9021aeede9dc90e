//! Records of runs, builds and profiles: results, costs, and details per iteration or phase, as a JSON object and as an
//! HTML page.
#![forbid(unsafe_code)]
#![warn(unreachable_pub)]

mod date;
mod meter;
mod page;
mod record;
mod recorder;
mod thread_times;

pub use date::Date;
pub use meter::{Event, Meter, watched};
pub use record::{
    AnswerRecord, Bin, BuildCost, BuildRecord, BuiltGraph, CacheRecord, CheckpointRecord, ClusteringRecord,
    ComponentsRecord, ConvergenceRecord, DegreeRecord, DegreesRecord, DistancesRecord, EnvironmentRecord, FileRecord,
    FilesRecord, GasRecord, GraphRecord, Histogram, IncrementalRecord, InputRecord, LocalityRecord, MemoryRecord,
    MessageRecord, OptionalRecords, PhaseRecord, PinnedRecord, PowerLawRecord, ProfileRecord, RangeCount,
    ReadingRecord, Record, RunEntry, RunExit, RunRecord, TaskRecord, TimeRecord, TopRows, TrafficRecord, WindowRecord,
};
pub use recorder::Recorder;
