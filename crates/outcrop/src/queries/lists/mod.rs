//! Adjacency lists as arrays, in batches in disk order: all lists of a direction, or those of a set of vertices.

mod batch;
mod few;
mod filling;
mod first;
mod sweep;

pub use batch::ListArrays;
pub use sweep::{ListSweep, ListVertices, Pull};
