//! Builds small stores and compares everything in them with a naive model; then damages, interrupts and starves them.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, its helpers included")]

mod adjacency;
mod built;
mod chunks;
mod collect;
mod compact;
mod crash;
mod damage;
mod faults;
mod frozen;
mod graph;
mod hostile;
mod layouts;
mod links;
mod lists;
mod model;
mod pages;
mod relations;
mod renumbering;
mod selections;
mod shards;
mod statics;
mod temporary;
mod updates;
mod utilisation;
mod weights;
