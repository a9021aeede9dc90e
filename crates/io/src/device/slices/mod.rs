//! Devices over addressable bytes.

mod memory;
mod mmap;
mod reader;

pub use memory::MemoryDevice;
pub(super) use mmap::MmapDevice;
