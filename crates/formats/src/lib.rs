//! Import and export of external formats: edges, vertex IDs, result tables, and generated graphs.
#![forbid(unsafe_code)]
#![warn(unreachable_pub)]

pub mod edges;
pub mod generate;
mod packed;
mod pending;
mod remote;
pub mod table;
pub mod vector;
pub mod vertices;

pub use pending::PendingFile;
pub use remote::{InputPath, redacted, require_on_disk};
