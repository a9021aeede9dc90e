//! Storage for writing stores: real disks, failing disks, and disks that record operations.

mod advice;
mod contract;
mod crash;
mod disk;
mod faulty;
mod recording;
mod writeback;

pub(crate) use advice::{FileAdvice, advise};
pub use contract::{SequentialFile, Storage};
pub use crash::CrashMode;
pub use disk::Disk;
pub use faulty::{FaultyStorage, StorageFault};
pub use recording::RecordingStorage;
pub(crate) use writeback::{ShortWriteback, StretchWriteback, Writeback, drop_pages};
