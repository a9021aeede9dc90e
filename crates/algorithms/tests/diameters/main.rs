//! Diameter, radius and eccentricities, against a search from every vertex, and on real graphs against what others have
//! published.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, its helpers included")]

#[path = "../../../engine/tests/edge_map/lists.rs"]
#[allow(dead_code, reason = "tests of engines use other parts of it")]
mod lists;

mod graphs;
#[expect(clippy::print_stdout, clippy::print_stderr, reason = "tests tell what is not there, and what searches took")]
mod real;
mod small;
