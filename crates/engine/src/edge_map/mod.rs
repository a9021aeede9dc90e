//! Edge maps over frontiers: the interface of Ligra (Shun and Blelloch, PPoPP 2013).

mod data;
mod direction;
mod masked;
mod neighbors_of;
mod program;
mod runner;
mod visits;

pub use data::VertexData;
pub use program::{Dense, EdgeMap, EdgeMapData, EdgeMapOptions, EdgeMapOutput, Gather};
pub use runner::Engine;
