//! Files beneath folders that stay the same ones, and locks on them.

mod folder;
mod lock;
mod stat;

pub use folder::Folder;
pub use lock::FileLock;
pub(crate) use stat::{free_bytes, is_plain};
