//! The gas engine on shards in memory, against a loop over all edges.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, its helpers included")]

mod graphs;
mod interpreter;
mod oracles;
mod programs;
mod runs;
mod setting;
mod shards;
