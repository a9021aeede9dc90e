//! Communities, and their quality.

pub mod cdlp;
pub mod leiden;
pub mod modularity;
