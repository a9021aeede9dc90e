//! Programs of all engines on graphs in memory, against other methods and published results.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, its helpers included")]

#[path = "../../../gas/tests/gas/interpreter.rs"]
#[allow(dead_code, reason = "tests of engines use other parts of it")]
mod interpreter;
#[path = "../../../engine/tests/edge_map/lists.rs"]
#[allow(dead_code, reason = "tests of engines use other parts of it")]
mod lists;
#[path = "../../../gas/tests/gas/setting.rs"]
#[allow(dead_code, reason = "tests of engines use other parts of it")]
mod setting;
#[path = "../../../engine/tests/interval/settings.rs"]
#[allow(dead_code, reason = "tests of engines use other parts of it")]
mod settings;
#[path = "../../../gas/tests/gas/shards.rs"]
#[allow(dead_code, reason = "tests of engines use other parts of it")]
mod shards;

mod diameters;
mod gas;
mod graphs;
mod interval;
mod messages;
mod names;
mod references;
mod trials;
