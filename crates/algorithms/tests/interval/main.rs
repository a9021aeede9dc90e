//! Programs of the interval engine on lists in memory, against the same algorithms on edge maps.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, its helpers included")]

#[path = "../../../engine/tests/edge_map/lists.rs"]
#[allow(dead_code, reason = "tests of engines use other parts of it")]
mod lists;
#[path = "../../../engine/tests/interval/settings.rs"]
#[allow(dead_code, reason = "tests of engines use other parts of it")]
mod settings;

mod products;
mod searches;
mod trials;
