//! Low-level I/O, the only crate that opens graph files: devices to read from, storage to write through, temporary
//! files, and the page cache.
//!
//! This crate handles bytes, offsets and pages without interpreting them. It is optimized for Linux (io_uring,
//! `O_DIRECT`) and also works on other Unix systems.
#![warn(unreachable_pub)]

mod aligned_buffer;
mod bit_flip;
mod cache;
mod calibration;
mod device;
mod files;
mod huge_pages;
mod merge;
mod named_temporary_files;
mod page_file;
mod spill;
mod storage;
mod unnamed_temporary_files;
mod usage;
mod value_file;

pub use aligned_buffer::{ALIGNMENT, AlignedBuffer, SECTOR_BYTES};
pub use bit_flip::BitFlip;
pub use cache::{Admission, PageCache, PageGuard, PageUse, Record, StaticCache, StaticCacheDraft, Utilization};
pub use calibration::{Bandwidths, calibrate};
pub use device::{
    Backend, CountingDevice, Device, Fault, FaultyDevice, IoChoice, IoCounters, MemoryDevice, PlannedFault,
    ReadRequest, ReadSource, Reader, Refusals, open_device, open_device_refusing,
};
pub use files::{FileLock, Folder, TemporaryFolder, file_version, remove_emptied_folder};
pub use huge_pages::HugePageAllocator;
pub use merge::MergePolicy;
pub use page_file::PageFile;
pub use spill::{DurableFile, SpillFile, SpillReader, SpillWriter};
pub use storage::{CrashMode, Disk, FaultyStorage, RecordingStorage, SequentialFile, Storage, StorageFault};
pub use unnamed_temporary_files::SpillFolder;
pub use usage::{ProcessUsage, fail_writes_beyond_the_file_limit, wait_for};
pub use value_file::ValueFile;
