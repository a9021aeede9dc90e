//! Frontiers and the maps over them: the interface of Ligra (Shun and Blelloch, PPoPP 2013).

mod frontier;
mod program;
mod runner;

pub use frontier::FrontierBuilder;
pub use program::{EdgeMap, EdgeMapOutput, Gather};
pub use runner::Engine;
