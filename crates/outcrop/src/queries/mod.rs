//! Queries about some vertices: their neighbors, degrees and edges, samples of their neighbors, and induced subgraphs.
//!
//! One select reads the lists of all requested vertices: each page once, in disk order. Arcs are sorted in the memory
//! of the graph and, beyond it, in temporary files; answers are returned in batches.

mod answer;
mod degrees;
mod edges;
mod frontier;
mod lists;
mod neighbors;
mod pairs;
mod reading;
mod requested_vertices;
mod sampler;
mod sampling;
mod subgraph;

pub use answer::Answer;
pub use lists::{ListArrays, ListSweep, ListVertices, Pull};
pub use neighbors::NeighborsRequest;
pub use reading::Sides;
pub use requested_vertices::read_ids;
pub use sampling::SampleRequest;
pub use subgraph::SubgraphRequest;
