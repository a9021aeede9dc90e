//! Baseline: plain arrays mapped into memory and paged by the kernel, with the algorithms of Ligra.
//!
//! For the directions `out` and `in`, a folder contains `*.offsets` (u64, one per vertex and one more: the starts of
//! the lists), `*.targets` (u32, the consecutive lists, each ascending) and, for a weighted graph, `*.weights` (f32,
//! parallel to the targets), all little-endian, and `graph.json`. An undirected graph has only `out`, with every edge
//! at both endpoints.

mod bfs;
mod blocks;
mod build;
mod edge_map;
mod folder;
mod lists;
mod map;
mod pagerank;
mod run;
mod sssp;
mod wcc;

#[cfg(test)]
mod tests;

pub use build::build;
pub use run::run;

#[cfg(not(target_endian = "little"))]
compile_error!("the baseline maps little-endian arrays as they are");
