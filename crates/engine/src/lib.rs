//! Execution models: how values flow along edges.
//!
//! There are four: `edge_map` on frontiers (Ligra; ChunkGraph C7), `interval`, which takes the vertices interval by
//! interval and whose values may be on disk (LOSC), `messages`, whose vertices send messages through logs on disk
//! (MultiLogVC), and `gas`, whose edges hold values, in shards of the edges that are needed (dynamic shards).
//! `schedule` decides for the first two between selecting and sweeping. `neighbourhood` brings out- and in-lists
//! together for what takes a graph as undirected. An engine sees lists through the access contract of the store crate
//! and knows no layout; it tells observers what each iteration did and knows no algorithm.
#![forbid(unsafe_code)]

mod atomic_lists;
mod checkpoint;
mod degrees;
mod directions;
pub mod edge_map;
mod frontier;
pub mod gas;
pub mod interval;
mod interval_lists;
mod iterations;
pub mod messages;
pub mod neighbourhood;
mod progress;
pub mod schedule;
mod shell;
mod unrolled_sum;
mod values;

pub use atomic_lists::AtomicLists;
pub use checkpoint::{Changes, Checkpoints, LastResult, Repair, SavedStates, SharedBits, State};
pub use degrees::{DegreeSource, Degrees, longest_list};
pub use directions::Directions;
pub use edge_map::{Dense, EdgeMap, EdgeMapData, EdgeMapOptions, EdgeMapOutput, Engine, Gather, VertexData};
pub use frontier::FrontierBuilder;
pub use interval_lists::IntervalLists;
pub use shell::Shell;
pub use unrolled_sum::unrolled_sum;
pub use values::{Number, Plain, Residence, VertexArray};
