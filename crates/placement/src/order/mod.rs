//! Orders: where each vertex goes.

mod by_degree;

pub use by_degree::by_degree;
