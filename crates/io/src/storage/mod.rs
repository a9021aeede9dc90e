//! The seam through which stores are written: real disks, disks that fail, and disks that remember.

mod contract;
mod crash;
mod disk;
mod faulty;
mod recording;
mod writeback;

pub use contract::{SequentialFile, Storage};
pub use crash::CrashMode;
pub use disk::Disk;
pub use faulty::{FaultyStorage, StorageFault};
pub use recording::RecordingStorage;
pub(crate) use writeback::{ShortWriteback, StretchWriteback, Writeback, drop_pages};
