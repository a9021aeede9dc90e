//! Message programs, executed in memory and by engines, against what other methods find.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, its helpers included")]

#[path = "../../../engine/tests/edge_map/lists.rs"]
#[allow(dead_code, reason = "tests of engines use other parts of it")]
mod lists;
#[path = "../../../engine/tests/interval/settings.rs"]
#[allow(dead_code, reason = "tests of engines use other parts of it")]
mod settings;
#[path = "../interval/trials.rs"]
#[allow(dead_code, reason = "tests of interval programs use other parts of it")]
mod trials;

mod coloring_order;
mod colors;
mod engines;
mod executor;
mod graphs;
mod labels;
mod ranks;
mod references;
mod searches;
mod walks;
