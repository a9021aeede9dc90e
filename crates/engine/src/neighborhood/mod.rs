//! Neighborhoods of a graph taken as undirected and simple: without loops and duplicate edges, and with `u -> v` and
//! `v -> u` as one edge.
//!
//! The neighborhood of a vertex is the union of its out- and its in-list without the vertex itself. In a directed
//! store, the two lists are in different places and arrive at different times. Therefore, vertices are processed in
//! ascending batches: the out-lists of a batch are loaded into reserved memory ([`NeighborhoodBuffer`]), then its
//! in-lists are read, and neighbors in both lists are distinguished from new ones. Each list is read once per call. An
//! undirected store has one list per vertex, and needs no memory for lists.
//!
//! There are three interfaces: [`Neighborhoods::visit`] visits each neighbor once and stores nothing;
//! [`Neighborhoods::load`] keeps the neighborhoods of a range of vertices in memory, for random access;
//! [`Neighborhoods::most_common`] computes the most common value over all list entries of each vertex.

mod batch;
mod distinct;
mod lists;
mod load;
mod mode;
mod neighborhood_buffer;
mod visit;

pub use distinct::Distinct;
pub use lists::{CountNeighbors, Neighborhoods, VisitNeighbors};
pub use load::SelectNeighbors;
pub use mode::{MostCommon, most_common};
pub use neighborhood_buffer::{NeighborValues, NeighborhoodBuffer, NeighborhoodPart};
