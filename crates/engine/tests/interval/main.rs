//! The interval engine on lists in memory, against loops over edges.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking, its helpers included")]

mod constructs;
mod gathers;
#[path = "../edge_map/lists.rs"]
#[allow(dead_code, reason = "each kind of engine uses other parts of it")]
mod lists;
mod passes;
mod propagations;
mod records;
mod refusals;
mod settings;
mod updates;
