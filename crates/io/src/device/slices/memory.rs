//! Device over bytes in memory, for tests.

use super::super::contract::{Backend, Device, Reader};
use super::reader::{Bytes, SliceReader};
use crate::SECTOR_BYTES;
use outcrop_types::{Result, length_from};
use std::path::{Path, PathBuf};
use std::sync::Arc;

struct Contents {
    name: PathBuf,
    bytes: Vec<u8>,
}

impl Bytes for Contents {
    fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn name(&self) -> &PathBuf {
        &self.name
    }

    fn alignment(&self) -> usize {
        SECTOR_BYTES
    }
}

/// Device over bytes in memory; completions arrive in a fixed but shuffled order.
pub struct MemoryDevice(Arc<Contents>);

impl MemoryDevice {
    /// Creates a device over `bytes`, with a name for messages.
    pub fn new(name: impl Into<PathBuf>, bytes: Vec<u8>) -> Self {
        Self(Arc::new(Contents { name: name.into(), bytes }))
    }
}

impl Device for MemoryDevice {
    fn path(&self) -> &Path {
        &self.0.name
    }

    fn len(&self) -> u64 {
        length_from(self.0.bytes.len())
    }

    fn alignment(&self) -> u64 {
        length_from(self.0.alignment())
    }

    fn backend(&self) -> Backend {
        Backend::Memory
    }

    fn reader(&self, buffer_bytes: usize) -> Result<Box<dyn Reader>> {
        Ok(Box::new(SliceReader::new(Arc::clone(&self.0), buffer_bytes)))
    }
}
