//! Vertex orders.

mod bounded_search;
mod by_degree;
mod by_score;
mod choice;
mod norder;
mod random;
mod two_level;

pub use by_degree::by_degree;
pub use by_score::by_score;
pub use choice::{Choice, Sample, choose};
pub use norder::{NORDER_DEPTH, norder, norder_bytes, norder_roots};
pub use random::random;
pub use two_level::{two_level, two_level_bytes};
