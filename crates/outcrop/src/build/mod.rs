//! Builds a store from files of edges, or from edges in memory.

mod facts;
mod log;
mod make;
mod request;

pub(crate) use log::BuildLog;
pub(crate) use make::build_with;
pub use make::{build, build_from};
pub use request::{BuildRequest, IdMode};
