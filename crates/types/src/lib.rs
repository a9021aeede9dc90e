//! Types shared by all outcrop crates: vertex IDs and ranges, sets, the memory budget, errors, observers.
//!
//! This crate performs no I/O and does not depend on files, layouts or algorithms.
#![forbid(unsafe_code)]
#![warn(unreachable_pub)]

#[cfg(not(target_pointer_width = "64"))]
compile_error!("outcrop addresses graphs of more than 4 GiB and needs a 64-bit target");

mod cancellation;
mod error;
mod figures;
mod graph;
pub mod memory;
mod observer;
mod progress;
mod size;
mod split_mix;
mod stopwatch;
mod sync;
mod time;

pub use cancellation::Cancellation;
pub use error::{Error, Location, Result, SpaceShortage};
pub use figures::{
    FileSummary, GasFigures, GasStepFigures, HeaderLine, InputSummary, MessageFigures, ReadWeight, WeightRounding,
    counted, short_number, thousands,
};
pub use graph::{
    BitSet, Direction, EdgeIndex, LONGEST_ID, MAX_VERTICES, Permutation, VertexId, VertexRange, VertexSet,
    WeightChoice, WeightType, WeightTypes, check_id, index_from, length_from, number_from,
};
pub use memory::{BudgetPart, MemoryBudget, MemoryNeed, MemoryPlan, Purpose, Reclaim, Reservation, VertexValues};
pub use observer::{AccessMode, EdgeDirection, IterationRecord, Observer, Silent};
pub use progress::{Phase, Progress, ProgressUnit, RunEnd, RunProgress};
pub use size::{parse_bytes, parse_fraction};
pub use split_mix::SplitMix64;
pub use stopwatch::Stopwatch;
pub use time::{TimeKind, TimeRule, TimeUnit};
