//! Builds a store from edge files, or from edges in memory.

mod explain;
mod facts;
mod log;
mod make;
mod request;

pub use explain::explain;
pub(crate) use log::BuildLog;
pub use make::{build, build_from};
pub(crate) use make::{build_with, refused_with};
pub use request::{BuildRequest, BuildResources, GraphOptions, IdMode, InputOptions, Publishing, StoreForm};
