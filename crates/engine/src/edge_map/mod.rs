//! Frontiers and the maps over them: the interface of Ligra (Shun and Blelloch, PPoPP 2013).

mod among;
mod data;
mod frontier;
mod planned;
mod program;
mod runner;
mod visits;

pub use data::{EdgeMapData, VertexData};
pub use frontier::FrontierBuilder;
pub use program::{Dense, EdgeMap, EdgeMapOptions, EdgeMapOutput, Gather};
pub use runner::Engine;
