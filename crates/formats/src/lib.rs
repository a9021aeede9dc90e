//! Files of other programs, in and out: edge lists, and the ids of vertices.
#![forbid(unsafe_code)]

pub mod edges;
pub mod vertices;
