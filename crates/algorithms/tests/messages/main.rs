//! Message programs, executed in memory, against what other methods find.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, its helpers included")]

#[path = "../../../engine/tests/edge_map/lists.rs"]
#[allow(dead_code, reason = "tests of engines use other parts of it")]
mod lists;

mod colours;
mod executor;
mod graphs;
mod labels;
mod ranks;
mod searches;
mod walks;
