//! The nouns that every outcrop crate shares: vertex ids and ranges, sets, the memory budget, errors, observers.
//!
//! This crate does no I/O and knows no file, no layout and no algorithm.
#![forbid(unsafe_code)]

#[cfg(not(target_pointer_width = "64"))]
compile_error!("outcrop addresses graphs of more than 4 GiB and needs a 64-bit target");

mod bit_set;
mod budget;
mod cancellation;
mod error;
mod gas_figures;
mod ids;
mod input_summary;
pub mod memory;
mod message_figures;
mod observer;
mod permutation;
mod size;
mod split_mix;
mod stopwatch;
mod values;
mod vertex_set;
mod weight_type;

pub use bit_set::BitSet;
pub use budget::{BudgetPart, MemoryBudget, MemoryNeed, MemoryPlan, Purpose, Reclaim, Reservation};
pub use cancellation::Cancellation;
pub use error::{Error, Location, Result};
pub use gas_figures::{GasFigures, GasStepFigures};
pub use ids::{Direction, EdgeIndex, MAX_VERTICES, VertexId, VertexRange, index_from, length_from};
pub use input_summary::{FileSummary, HeaderLine, InputSummary, WeightRounding};
pub use message_figures::MessageFigures;
pub use observer::{AccessMode, EdgeDirection, IterationRecord, Observer, Phase, ProgressUnit, Silent};
pub use permutation::Permutation;
pub use size::parse_bytes;
pub use split_mix::SplitMix64;
pub use stopwatch::Stopwatch;
pub use values::VertexValues;
pub use vertex_set::VertexSet;
pub use weight_type::{WeightChoice, WeightType, WeightTypes};
