//! Zeroed memory at an aligned address, as required by direct reads.

use crate::huge_pages::{HUGE_PAGE, advise};
use outcrop_types::{Error, Purpose, Result, length_from};
use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};
use std::ffi::c_void;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

/// Alignment of offset, length and memory address that every device accepts, in bytes. The actual requirement for
/// offsets and lengths is [`crate::Device::alignment`], which divides it.
pub const ALIGNMENT: usize = 4096;
/// Smallest sector size of disks: the minimum alignment of direct reads, and bytes that a disk writes completely or not
/// at all.
pub const SECTOR_BYTES: usize = 512;

/// Memory allocated directly from the system: zeroed, aligned, and resident only once it is touched.
#[derive(Debug)]
pub struct AlignedBuffer {
    map: *mut c_void,
    mapped: usize,
    start: NonNull<u8>,
    length: usize,
}

// SAFETY: the buffer is the only owner of its mapping; access follows the borrow rules of `&self` and `&mut self`.
unsafe impl Send for AlignedBuffer {}
// SAFETY: a shared reference only gives read access.
unsafe impl Sync for AlignedBuffer {}

impl AlignedBuffer {
    /// Allocates `bytes` zeros for `purpose` at an address that is a multiple of `align` (a power of two; another value
    /// is rounded up to one).
    ///
    /// # Errors
    ///
    /// Returns [`Error::OutOfMemory`] if the system refuses the memory.
    pub(crate) fn new(bytes: usize, align: usize, purpose: Purpose) -> Result<Self> {
        let refused = || Error::OutOfMemory { bytes: length_from(bytes), purpose: Some(purpose) };
        if bytes == 0 {
            return Ok(Self::empty());
        }
        let align = align.checked_next_power_of_two().ok_or_else(refused)?;
        // Align large buffers to huge pages, so that the system can use them.
        let align = if bytes >= HUGE_PAGE { align.max(HUGE_PAGE) } else { align };
        // Mappings are aligned to 4096 on every system.
        let slack = if align <= ALIGNMENT { 0 } else { align };
        let mapped = bytes.checked_add(slack).ok_or_else(refused)?;
        let map = map_zeroes(mapped).ok_or_else(refused)?;
        let address = map.cast::<u8>();
        let offset = address.align_offset(align).min(slack);
        // SAFETY: the offset is at most the slack, which was added to the mapping.
        let start = NonNull::new(unsafe { address.add(offset) }).ok_or_else(refused)?;
        if bytes >= HUGE_PAGE {
            // SAFETY: the buffer is within the mapping created above.
            unsafe { advise(start.as_ptr().cast(), bytes & !(HUGE_PAGE - 1)) };
        }
        Ok(Self { map, mapped, start, length: bytes })
    }

    /// Creates an empty buffer.
    pub(crate) const fn empty() -> Self {
        Self { map: std::ptr::null_mut(), mapped: 0, start: NonNull::dangling(), length: 0 }
    }

    /// Returns the address of the first byte, for writes by the kernel.
    pub(crate) fn as_ptr(&self) -> *mut u8 {
        self.start.as_ptr()
    }
}

fn map_zeroes(bytes: usize) -> Option<*mut c_void> {
    // SAFETY: a new private mapping at an address of the kernel's choice touches no other memory.
    unsafe { mmap_anonymous(std::ptr::null_mut(), bytes, ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE).ok() }
}

impl Drop for AlignedBuffer {
    fn drop(&mut self) {
        if self.mapped > 0 {
            // SAFETY: the buffer owns the mapping, and no borrow outlives the buffer.
            _ = unsafe { munmap(self.map, self.mapped) };
        }
    }
}

impl Deref for AlignedBuffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: `start` is valid for `length` initialized bytes, which only `&mut self` changes.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.length) }
    }
}

impl DerefMut for AlignedBuffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as for `deref`, and `&mut self` is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.length) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_zeroed_aligned_and_of_the_length_asked_for() {
        let cases = [(0, 4096), (1, 1), (5000, 4096), (100, 1 << 21), (1 << 20, 4096), (3 << 20, 1 << 16)];
        for (bytes, align) in cases.into_iter().take(if cfg!(miri) { 4 } else { cases.len() }) {
            let mut buffer = AlignedBuffer::new(bytes, align, Purpose::IoBuffers).unwrap();
            assert_eq!(buffer.len(), bytes);
            assert!(bytes == 0 || (buffer.as_ptr() as usize).is_multiple_of(align));
            assert!(buffer.iter().all(|byte| *byte == 0));
            buffer.fill(7);
        }
    }

    #[test]
    fn impossible_sizes_are_errors() {
        for align in [4096, 1 << 20] {
            let refused = AlignedBuffer::new(usize::MAX, align, Purpose::PageCache);
            assert!(matches!(refused, Err(Error::OutOfMemory { purpose: Some(Purpose::PageCache), .. })));
        }
    }
}
