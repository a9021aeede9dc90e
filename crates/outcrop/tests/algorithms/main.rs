//! Every algorithm on every kind of store, with every way to read it, against naive references.

mod answer;
mod cancellation;
mod convergence;
mod graph;
mod matrix;
mod memory;
mod node_ids;
mod pairs;
mod reference;
mod setup;
mod shapes;
mod table;
