//! The baseline: plain arrays mapped into memory, paged by the kernel, and the algorithms of Ligra on them.
//!
//! A folder holds, for the directions `out` and `in`, `*.offsets` (u64, one more than vertices: where each list
//! begins), `*.targets` (u32, the lists one after the other, each ascending) and, of a weighted graph, `*.weights`
//! (f32, parallel to the targets), all little-endian, and `graph.json`. An undirected graph has `out` only, with every
//! edge at both ends.

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
