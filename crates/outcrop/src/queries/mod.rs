//! Questions about some vertices: their neighbours, degrees and edges, samples of them, and the graph among them.
//!
//! However many ids are asked for, their lists are read by one select: each page once, in the order of the disk. Arcs
//! are sorted as they come, within the memory of the graph and beyond it in temporary files, and answers come in
//! batches.

mod answer;
mod asked;
mod degrees;
mod edges;
mod frontier;
mod neighbors;
mod pairs;
mod reading;
mod sampler;
mod sampling;
mod subgraph;

pub use answer::Answer;
pub use asked::read_ids;
pub use edges::{ListArrays, ListSweep};
pub use neighbors::NeighborsRequest;
pub use reading::Sides;
pub use sampling::SampleRequest;
pub use subgraph::SubgraphRequest;
