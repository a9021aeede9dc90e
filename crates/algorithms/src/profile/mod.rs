//! Measurements of the structure of a graph, for `outcrop profile`: algorithms without columns, whose results are read
//! from [`Measured`]. No result depends on threads, budget, vertex order or layout.

mod clustering;
mod distances;
mod edges;
mod measured;
mod pairs;
mod tally;
mod wedges;

pub use clustering::ExactClustering;
pub use distances::Distances;
pub use edges::{EdgeCounts, Edges};
pub use measured::Measured;
pub use pairs::AdjacentPairs;
pub use wedges::{WedgeCounts, Wedges};
