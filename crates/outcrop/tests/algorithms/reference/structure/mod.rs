//! Components, cores, triangles, colors and communities.

pub mod cdlp;
pub mod coloring;
pub mod degrees;
pub mod kcore;
pub mod leiden;
pub mod mis;
pub mod scc;
pub mod similarity;
pub mod triangles;
pub mod wcc;
