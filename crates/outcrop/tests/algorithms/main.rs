//! Every algorithm on every kind of store, with every way to read it, against naive references.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, its helpers included")]
#![allow(clippy::print_stdout, reason = "a failing row of the matrix is found by what was printed last")]

mod answer;
mod answers;
mod graph;
mod matrix;
mod memory;
mod pairs;
mod questions;
mod reference;
mod runs;
mod setup;
mod shapes;
