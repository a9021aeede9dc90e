//! Execution models: how values flow along edges.
//!
//! There are four: `edge_map` on frontiers (Ligra; ChunkGraph C7), `interval`, which takes the vertices interval by interval and
//! whose values may be on disk (LOSC), `messages`, whose vertices send messages through logs on disk (MultiLogVC), and `gas`, whose edges
//! hold values, in shards of the edges that are needed (dynamic shards). `schedule` decides for the first two between selecting and
//! sweeping. `neighbourhood` brings out- and
//! in-lists together for what takes a graph as undirected. An engine sees lists through the access contract of the store crate and
//! knows no layout; it tells observers what each iteration did and knows no algorithm.
#![forbid(unsafe_code)]

mod cells;
mod columns;
pub mod edge_map;
pub mod gas;
pub mod interval;
mod iterations;
mod lanes;
pub mod messages;
pub mod neighbourhood;
pub mod schedule;

pub use edge_map::{Dense, EdgeMap, EdgeMapData, EdgeMapOptions, EdgeMapOutput, Engine, Gather, VertexData};
pub use lanes::sum_in_lanes;
