//! The messages engine on lists in memory, against loops over edges; logs of messages, against maps.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking, its helpers included")]

mod disk;
mod edge_words;
mod engines;
mod groups;
mod limits;
#[path = "../../../engine/tests/edge_map/lists.rs"]
#[allow(dead_code, reason = "each kind of engine uses other parts of it")]
mod lists;
mod mutations;
mod records;
mod setting;
mod supersteps;
