//! The gas engine on shards in memory, against a loop over all edges.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, its helpers included")]

mod answers;
mod arrivals;
mod colours;
mod delays;
mod edges;
mod faults;
mod figures;
mod graphs;
mod interpreter;
mod limits;
mod oracles;
mod programs;
mod rounds;
mod setting;
mod shards;
mod threads;
