//! Engines on lists, and what all execution models share.
//!
//! Two models are here: `edge_map` on frontiers (Ligra; ChunkGraph C7) and `interval`, which processes the vertices
//! interval by interval and can keep their values on disk (LOSC). `schedule` decides for both between selecting and
//! sweeping. The models `messages` and `gas` are crates of their own on top of this one, with [`context`], values,
//! checkpoints and degrees from here. `neighborhood` brings out- and in-lists together for algorithms that ignore
//! directions. An engine sees lists through the access contract of the store crate and knows no layout; it reports each
//! iteration to observers and knows no algorithm.
#![forbid(unsafe_code)]
#![warn(unreachable_pub)]

pub mod atomic_lists;
mod checkpoint;
pub mod context;
mod degrees;
mod directions;
pub mod edge_map;
mod frontier;
pub mod interval;
mod interval_lists;
mod iterations;
pub mod neighborhood;
mod progress;
pub mod schedule;
mod sync;
mod unrolled_sum;
mod values;

pub use atomic_lists::AtomicLists;
pub use checkpoint::{Changes, Checkpoints, LastResult, Repair, SavedStates, SharedBits, State};
pub use context::EngineContext;
pub use degrees::{DegreeSource, Degrees, longest_list};
pub use directions::Directions;
pub use edge_map::{Dense, EdgeMap, EdgeMapData, EdgeMapOptions, EdgeMapOutput, Engine, Gather, VertexData};
pub use frontier::FrontierBuilder;
pub use interval_lists::IntervalLists;
pub use unrolled_sum::unrolled_sum;
pub use values::{ArrayParts, Number, Plain, Residence, VertexArray};
