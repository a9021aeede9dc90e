//! Every algorithm on every kind of store, with every way to read it, against naive references.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, its helpers included")]
#![allow(clippy::print_stdout, reason = "a failing row of the matrix is found by what was printed last")]

mod answer;
mod by_weight;
mod cancellation;
mod convergence;
mod graph;
mod handle;
mod matrix;
mod memory;
mod node_ids;
mod orders;
mod pairs;
mod reference;
mod samples;
mod schedule;
mod setup;
mod shapes;
mod static_cache;
mod table;
mod threads;
mod vectors;
