//! Devices whose bytes are addressable already.

mod memory;
mod mmap;
mod reader;

pub use memory::MemoryDevice;
pub(super) use mmap::MmapDevice;
