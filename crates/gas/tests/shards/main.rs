//! Shards that are prepared from lists in memory, against a loop over edges.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking, its helpers included")]

mod blocks;
#[path = "../../../engine/tests/edge_map/lists.rs"]
#[allow(dead_code, reason = "each kind of engine uses other parts of it")]
mod lists;
mod prepared;
#[path = "../../../engine/tests/interval/settings.rs"]
#[allow(dead_code, reason = "each kind of engine uses other parts of it")]
mod settings;
mod stores;
