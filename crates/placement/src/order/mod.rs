//! Orders: where each vertex goes.

mod by_degree;
mod two_level;

pub use by_degree::by_degree;
pub use two_level::{two_level, two_level_bytes};
