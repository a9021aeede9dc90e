//! Files relative to open folders, and locks on them.

mod folder;
mod holders;
mod lock;
mod stat;
mod temporary;
mod version;

pub(crate) use folder::remove_folder;
pub use folder::{Folder, remove_emptied_folder};
pub use lock::FileLock;
pub(crate) use stat::{free_bytes, is_plain};
pub use temporary::TemporaryFolder;
pub use version::file_version;
