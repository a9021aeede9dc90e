//! Large allocations directly from the system, in huge pages if it has them.
//!
//! Values of vertices are read in no order: with pages of 4 KiB most reads miss the table of recent pages first, which
//! nearly doubles their time. Small allocations go to the system's allocator.
//!
//! A program cannot go on without a small allocation, and most code cannot be told that it was refused. A reserve is
//! there for them: the first that is refused is served from it, and [`outcrop_types::memory::tell_refused`] lets the
//! work end in an error.

use outcrop_types::Result;
use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};
use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::{Mutex, PoisonError};

/// Bytes of a huge page.
pub(crate) const HUGE_PAGE: usize = 2 << 20;
/// Allocations of at least so many bytes are mappings of their own.
const LARGE: usize = HUGE_PAGE;
/// Bytes of the largest plain page that systems have on this processor: 16 KiB on macOS, up to 64 KiB on Linux.
const PAGE: usize = if cfg!(target_arch = "x86_64") { 4096 } else { 64 << 10 };

/// Memory that is mapped for what cannot be refused, in bytes, and never touched.
const RESERVE: usize = 32 << 20;
/// Allocations that are served from the reserve are smaller; those of at least so many bytes are asked for in a way
/// that can fail.
const REFUSABLE: usize = 8 << 20;

/// Address of the reserve; null if there is none.
static RESERVED: Mutex<Reserve> = Mutex::new(Reserve(null_mut()));

struct Reserve(*mut c_void);

// SAFETY: the address is that of a mapping that no thread reads or writes.
unsafe impl Send for Reserve {}

/// The block that `allocate` makes; where the system refuses a small one, once more without the reserve.
fn reserved_for(bytes: usize, allocate: impl Fn() -> *mut u8) -> *mut u8 {
    let block = allocate();
    if !block.is_null() || bytes >= REFUSABLE {
        return block;
    }
    let mut reserve = RESERVED.lock().unwrap_or_else(PoisonError::into_inner);
    if !reserve.0.is_null() {
        outcrop_types::memory::tell_refused(bytes as u64);
        // SAFETY: the mapping is of this size, and nobody looks into it.
        _ = unsafe { munmap(reserve.0, RESERVE) };
        reserve.0 = null_mut();
    }
    drop(reserve);
    allocate()
}

/// An allocator for programs: `#[global_allocator] static ALLOCATOR: HugePageAllocator = HugePageAllocator;`.
#[derive(Clone, Copy, Debug, Default)]
pub struct HugePageAllocator;

impl HugePageAllocator {
    /// Maps the reserve, if there is none: before work begins.
    ///
    /// # Errors
    /// [`outcrop_types::Error::OutOfMemory`]; so does all work that is begun nevertheless.
    pub fn keep_reserve() -> Result<()> {
        let mut reserve = RESERVED.lock().unwrap_or_else(PoisonError::into_inner);
        if reserve.0.is_null() {
            let (writable, private) = (ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE);
            // SAFETY: a new private mapping at an address of the kernel's choice touches no other memory.
            let mapped = unsafe { mmap_anonymous(null_mut(), RESERVE, writable, private) };
            reserve.0 = mapped.unwrap_or(null_mut());
            outcrop_types::memory::tell_refused(if reserve.0.is_null() { RESERVE as u64 } else { 0 });
        }
        outcrop_types::memory::check_refused()
    }

    /// # Safety
    /// As for [`GlobalAlloc::realloc`].
    unsafe fn resized(self, block: *mut u8, layout: Layout, wanted: Layout) -> *mut u8 {
        match (large(layout), large(wanted)) {
            // SAFETY: both are the system allocator's.
            (false, false) => unsafe { System.realloc(block, layout, wanted.size()) },
            // SAFETY: the block is a mapping of its size in pages; where it moves, the old address is not used again.
            (true, true) if cfg!(target_os = "linux") => unsafe {
                remap(block.cast(), layout.size().next_multiple_of(PAGE), wanted.size().next_multiple_of(PAGE)).cast()
            },
            // SAFETY: the new block is another one of at least the smaller size, and the old one is given back once.
            _ => unsafe {
                let moved = self.alloc(wanted);
                if !moved.is_null() {
                    std::ptr::copy_nonoverlapping(block, moved, layout.size().min(wanted.size()));
                    self.dealloc(block, layout);
                }
                moved
            },
        }
    }
}

const fn large(layout: Layout) -> bool {
    layout.size() >= LARGE && layout.align() <= 4096
}

/// Asks for huge pages in a mapping; a system that has none says no, which changes nothing.
///
/// # Safety
/// The range is a private mapping of the caller's own.
#[cfg(target_os = "linux")]
pub(crate) unsafe fn advise(start: *mut c_void, bytes: usize) {
    // SAFETY: the advice changes how pages are backed, not what they hold.
    _ = unsafe { rustix::mm::madvise(start, bytes, rustix::mm::Advice::LinuxHugepage) };
}

/// Does nothing: this system decides automatically.
///
/// # Safety
/// None is needed.
#[cfg(not(target_os = "linux"))]
pub(crate) const unsafe fn advise(_: *mut c_void, _: usize) {}

/// Maps `bytes` zeros at a multiple of a huge page; null if the system refuses.
fn map(bytes: usize) -> *mut c_void {
    let Some(with_slack) = bytes.checked_add(HUGE_PAGE) else { return null_mut() };
    // SAFETY: a new private mapping at an address of the kernel's choice touches no other memory.
    let mapped =
        unsafe { mmap_anonymous(null_mut(), with_slack, ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE) };
    let Ok(mapped) = mapped else { return null_mut() };
    let before = mapped.cast::<u8>().align_offset(HUGE_PAGE).min(HUGE_PAGE);
    // SAFETY: `before` is at most the slack, so that `bytes` lie behind it in the mapping; both ends that are given
    // back are whole pages of it, as addresses of mappings and `bytes` are multiples of a page.
    unsafe {
        let start = mapped.cast::<u8>().add(before);
        if before > 0 {
            _ = munmap(mapped, before);
        }
        if before < HUGE_PAGE {
            _ = munmap(start.add(bytes).cast(), HUGE_PAGE - before);
        }
        advise(start.cast(), bytes);
        start.cast()
    }
}

/// Resizes a mapping, moving it if necessary; null if the system refuses.
///
/// # Safety
/// The mapping is the caller's own and has `old` bytes.
#[cfg(target_os = "linux")]
unsafe fn remap(start: *mut c_void, old: usize, new: usize) -> *mut c_void {
    // SAFETY: as the caller promises.
    unsafe {
        let moved = rustix::mm::mremap(start, old, new, rustix::mm::MremapFlags::MAYMOVE);
        moved.inspect(|moved| advise(*moved, new)).unwrap_or(null_mut())
    }
}

/// Always fails on this system, so that blocks are copied instead.
///
/// # Safety
/// None is needed.
#[cfg(not(target_os = "linux"))]
const unsafe fn remap(_: *mut c_void, _: usize, _: usize) -> *mut c_void {
    null_mut()
}

// SAFETY: a large block is a private mapping of its own of its size rounded up to pages, a small one the system
// allocator's; which of both a block is follows from its layout alone, at its beginning and at its end. Mappings begin
// at multiples of a page, and the alignment of large blocks is at most that of the smallest page.
unsafe impl GlobalAlloc for HugePageAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        reserved_for(layout.size(), || match large(layout) {
            true => map(layout.size().next_multiple_of(PAGE)).cast(),
            // SAFETY: as the caller promises.
            false => unsafe { System.alloc(layout) },
        })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        reserved_for(layout.size(), || match large(layout) {
            true => map(layout.size().next_multiple_of(PAGE)).cast(),
            // SAFETY: as the caller promises.
            false => unsafe { System.alloc_zeroed(layout) },
        })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        match large(layout) {
            // SAFETY: the block is a mapping of this size, and nobody looks at it any more.
            true => _ = unsafe { munmap(block.cast(), layout.size().next_multiple_of(PAGE)) },
            // SAFETY: the block is the system allocator's.
            false => unsafe { System.dealloc(block, layout) },
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        let Ok(wanted) = Layout::from_size_align(new_size, layout.align()) else { return null_mut() };
        // SAFETY: as the caller promises; a refusal leaves the block as it was.
        reserved_for(new_size, || unsafe { self.resized(block, layout, wanted) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_all_sizes_keep_what_is_written_when_they_grow_and_shrink() {
        let sizes = [32, 5000, LARGE - 1, LARGE, LARGE + 1, 3 * LARGE + 4097, 8 * LARGE, LARGE, 100, 2 * LARGE];
        let mut layout = Layout::from_size_align(64, 64).unwrap();
        // SAFETY: every block is used within its size and given back once, with the layout that it has.
        unsafe {
            let mut block = HugePageAllocator.alloc_zeroed(layout);
            assert!(std::slice::from_raw_parts(block, 64).iter().all(|byte| *byte == 0));
            std::slice::from_raw_parts_mut(block, 16).copy_from_slice(&[7; 16]);
            for size in sizes {
                block = HugePageAllocator.realloc(block, layout, size);
                layout = Layout::from_size_align(size, 64).unwrap();
                assert!(!block.is_null() && block.align_offset(64) == 0);
                assert_eq!(std::slice::from_raw_parts(block, 16), [7; 16]);
                block.add(size - 1).write(1);
            }
            HugePageAllocator.dealloc(block, layout);
            let huge = Layout::from_size_align(4 * LARGE, 8).unwrap();
            let block = HugePageAllocator.alloc_zeroed(huge);
            assert!(block.align_offset(HUGE_PAGE) == 0 && (0..4).all(|page| *block.add(page * LARGE) == 0));
            HugePageAllocator.dealloc(block, huge);
        }
    }
}
