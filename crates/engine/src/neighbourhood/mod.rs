//! Neighbourhoods of a graph that counts as undirected and simple: no loops, no repeated edges, and `u -> v` and `v ->
//! u` are one.
//!
//! The neighbourhood of a vertex is the union of its out- and its in-list without the vertex itself. In a directed
//! store the two lie in different places and arrive at different times. So vertices are taken in batches, ascending:
//! the out-lists of a batch are held in reserved memory ([`HeldSpace`]), then its in-lists are read, and what is in
//! both is told from what is new. Each list is read once a call. An undirected store has one list a vertex, and nothing
//! needs to be held.
//!
//! There are two ways to use it: [`Neighbourhoods::visit`] shows each neighbour once and keeps nothing;
//! [`Neighbourhoods::load`] leaves the neighbourhoods of a range of vertices in memory, to be looked at in any order.

mod batch;
mod distinct;
mod held_space;
mod lists;
mod load;
mod visit;

pub use held_space::{Held, HeldSpace, HeldValues};
pub use lists::{Neighbourhoods, VisitNeighbours};
pub use load::HoldNeighbours;
