//! Device over a memory map: a baseline for measurements.

use super::super::contract::{Backend, Device, Reader};
use super::super::file::OpenFile;
use super::reader::{Bytes, SliceReader};
use crate::ALIGNMENT;
use outcrop_types::{Error, Result, index_from, length_from};
use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap, munmap};
use std::ffi::c_void;
use std::path::{Path, PathBuf};
use std::sync::Arc;

struct Map {
    path: PathBuf,
    start: *mut c_void,
    length: usize,
}

// SAFETY: the map is private to this value and is only read.
unsafe impl Send for Map {}
// SAFETY: as above: shared references only read.
unsafe impl Sync for Map {}

impl Map {
    fn new(file: &OpenFile) -> Result<Self> {
        let (path, length) = (file.path.clone(), index_from(file.length));
        if length == 0 {
            return Ok(Self { path, start: std::ptr::null_mut(), length });
        }
        // SAFETY: a new read-only mapping at an address of the kernel's choice.
        let start = unsafe { mmap(std::ptr::null_mut(), length, ProtFlags::READ, MapFlags::SHARED, &file.fd, 0) }
            .map_err(|errno| Error::io("map", &path, errno.into()))?;
        // SAFETY: the range is the mapping; the advice changes no contents and may be refused without harm.
        _ = unsafe { madvise(start, length, Advice::Random) };
        Ok(Self { path, start, length })
    }
}

impl Bytes for Map {
    fn bytes(&self) -> &[u8] {
        if self.length == 0 {
            return &[];
        }
        // SAFETY: the mapping is `length` bytes long and lives as long as `self`. Published stores are immutable;
        // truncating one nevertheless ends the process with SIGBUS, so maps are for measurements only.
        unsafe { std::slice::from_raw_parts(self.start.cast(), self.length) }
    }

    fn name(&self) -> &PathBuf {
        &self.path
    }

    /// Returns the page size, since the system maps whole pages.
    fn alignment(&self) -> usize {
        ALIGNMENT
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        if self.length > 0 {
            // SAFETY: this value owns the mapping, and no slice outlives it.
            _ = unsafe { munmap(self.start, self.length) };
        }
    }
}

/// Memory-mapped file. A failing disk or a shrinking file ends the process (SIGBUS): for measurements only.
pub(crate) struct MmapDevice(Arc<Map>);

impl MmapDevice {
    pub(crate) fn new(file: &OpenFile) -> Result<Self> {
        Ok(Self(Arc::new(Map::new(file)?)))
    }
}

impl Device for MmapDevice {
    fn path(&self) -> &Path {
        &self.0.path
    }

    fn len(&self) -> u64 {
        length_from(self.0.length)
    }

    fn alignment(&self) -> u64 {
        length_from(self.0.alignment())
    }

    fn backend(&self) -> Backend {
        Backend::Mmap
    }

    fn reader(&self, buffer_bytes: usize) -> Result<Box<dyn Reader>> {
        Ok(Box::new(SliceReader::new(Arc::clone(&self.0), buffer_bytes)))
    }
}
