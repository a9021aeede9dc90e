//! Programs on values of edges, interpreted and by engines, against what other methods find.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, its helpers included")]

#[path = "../../../gas/tests/gas/interpreter.rs"]
#[allow(dead_code, reason = "tests of engines use other parts of it")]
mod interpreter;
#[path = "../../../engine/tests/edge_map/lists.rs"]
#[allow(dead_code, reason = "tests of engines use other parts of it")]
mod lists;
#[path = "../messages/references.rs"]
#[allow(dead_code, reason = "tests of messages use other parts of it")]
mod references;
#[path = "../../../gas/tests/gas/setting.rs"]
#[allow(dead_code, reason = "tests of engines use other parts of it")]
mod setting;
#[path = "../../../engine/tests/interval/settings.rs"]
#[allow(dead_code, reason = "tests of engines use other parts of it")]
mod settings;
#[path = "../../../gas/tests/gas/shards.rs"]
#[allow(dead_code, reason = "tests of engines use other parts of it")]
mod shards;
#[path = "../interval/trials.rs"]
#[allow(dead_code, reason = "tests of interval programs use other parts of it")]
mod trials;

mod arrivals;
mod beliefs;
mod engines;
mod graphs;
mod heat;
mod ranks;
mod searches;
