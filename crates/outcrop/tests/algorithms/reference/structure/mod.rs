//! Components, cores, triangles and colors.

pub mod assortativity;
pub mod coloring;
pub mod degrees;
pub mod densest;
pub mod kcore;
pub mod mis;
pub mod scc;
pub mod similarity;
pub mod triangles;
pub mod wcc;
