//! Allocator that maps large allocations directly from the system, with huge pages if available.
//!
//! Values of vertices are accessed randomly: with pages of 4 KiB, most accesses miss the TLB, which nearly doubles
//! their time. Small allocations use the system's allocator.
//!
//! A program cannot continue without a small allocation, and most code cannot handle its failure. Therefore a reserve
//! is kept: the first refused small allocation releases it and is retried, and
//! [`outcrop_types::memory::report_refused_allocation`] makes the work end with an error.

use outcrop_types::Result;
use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};
use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::{Mutex, PoisonError};

/// Size of a huge page, in bytes.
pub(crate) const HUGE_PAGE: usize = 2 << 20;
/// Minimum size of allocations that are separate mappings, in bytes.
const LARGE: usize = HUGE_PAGE;
/// Size of the largest regular page on systems with this processor, in bytes: 16 KiB on macOS, up to 64 KiB on Linux.
const PAGE: usize = if cfg!(target_arch = "x86_64") { 4096 } else { 64 << 10 };

/// Size of the untouched mapping for allocations that must not fail, in bytes.
const RESERVE: usize = 32 << 20;
/// Allocations smaller than this may use the memory of the reserve; callers request larger ones fallibly.
const REFUSABLE: usize = 8 << 20;

/// Address of the reserve; null if there is none.
static RESERVED: Mutex<Reserve> = Mutex::new(Reserve(null_mut()));

struct Reserve(*mut c_void);

// SAFETY: the address is that of a mapping that no thread reads or writes.
unsafe impl Send for Reserve {}

/// Returns the result of `allocate`; if the system refuses a small allocation, releases the reserve and retries.
fn reserved_for(bytes: usize, allocate: impl Fn() -> *mut u8) -> *mut u8 {
    let block = allocate();
    if !block.is_null() || bytes >= REFUSABLE {
        return block;
    }
    let mut reserve = RESERVED.lock().unwrap_or_else(PoisonError::into_inner);
    if !reserve.0.is_null() {
        outcrop_types::memory::report_refused_allocation(bytes as u64);
        // SAFETY: the mapping has this size and is not accessed.
        _ = unsafe { munmap(reserve.0, RESERVE) };
        reserve.0 = null_mut();
    }
    drop(reserve);
    allocate()
}

/// Makes all threads allocate from one arena if the address space of the process is limited (`ulimit -v`).
///
/// The GNU C library reserves 64 MiB of addresses for the arena of each thread. If that is refused, it tries again at
/// every allocation, with four failing system calls each: `lcc` took 60 times as long.
fn share_one_arena_if_limited() {
    #[cfg(target_env = "gnu")]
    if rustix::process::getrlimit(rustix::process::Resource::As).current.is_some() {
        // SAFETY: the call only sets a parameter of the allocator, under its lock.
        _ = unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
    }
}

/// An allocator for programs: `#[global_allocator] static ALLOCATOR: HugePageAllocator = HugePageAllocator;`.
#[derive(Clone, Copy, Debug, Default)]
pub struct HugePageAllocator;

impl HugePageAllocator {
    /// Maps the reserve, if there is none; called before work starts.
    ///
    /// # Errors
    ///
    /// Returns [`outcrop_types::Error::OutOfMemory`]; work that starts nevertheless returns it, too.
    pub fn allocate_reserve() -> Result<()> {
        share_one_arena_if_limited();
        let mut reserve = RESERVED.lock().unwrap_or_else(PoisonError::into_inner);
        if reserve.0.is_null() {
            let (writable, private) = (ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE);
            // SAFETY: a new private mapping at an address of the kernel's choice touches no other memory.
            let mapped = unsafe { mmap_anonymous(null_mut(), RESERVE, writable, private) };
            reserve.0 = mapped.unwrap_or(null_mut());
            outcrop_types::memory::report_refused_allocation(if reserve.0.is_null() { RESERVE as u64 } else { 0 });
        }
        outcrop_types::memory::check_refused_allocations()
    }

    /// # Safety
    ///
    /// The requirements are those of [`GlobalAlloc::realloc`].
    unsafe fn resized(self, block: *mut u8, layout: Layout, wanted: Layout) -> *mut u8 {
        match (large(layout), large(wanted)) {
            // SAFETY: both blocks belong to the system allocator.
            (false, false) => unsafe { System.realloc(block, layout, wanted.size()) },
            // SAFETY: the block is a mapping of its size in pages; if it moves, the old address is not used again.
            (true, true) if cfg!(target_os = "linux") => unsafe {
                remap(block.cast(), layout.size().next_multiple_of(PAGE), wanted.size().next_multiple_of(PAGE)).cast()
            },
            // SAFETY: the new block is distinct and has at least the smaller size, and the old one is released once.
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

/// Requests huge pages for a mapping; a system without huge pages ignores it.
///
/// # Safety
///
/// The range must be within a private mapping of the caller.
#[cfg(target_os = "linux")]
pub(crate) unsafe fn advise(start: *mut c_void, bytes: usize) {
    // SAFETY: the advice changes how pages are backed, not their content.
    _ = unsafe { rustix::mm::madvise(start, bytes, rustix::mm::Advice::LinuxHugepage) };
}

/// Does nothing: this system decides automatically.
///
/// # Safety
///
/// There are no requirements.
#[cfg(not(target_os = "linux"))]
pub(crate) const unsafe fn advise(_: *mut c_void, _: usize) {}

/// Maps `bytes` zeros, aligned to a huge page; returns null if the system refuses.
fn map(bytes: usize) -> *mut c_void {
    let Some(with_slack) = bytes.checked_add(HUGE_PAGE) else { return null_mut() };
    // SAFETY: a new private mapping at an address of the kernel's choice touches no other memory.
    let mapped =
        unsafe { mmap_anonymous(null_mut(), with_slack, ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE) };
    let Ok(mapped) = mapped else { return null_mut() };
    let before = mapped.cast::<u8>().align_offset(HUGE_PAGE).min(HUGE_PAGE);
    // SAFETY: `before` is at most the slack, so `bytes` follow it in the mapping; both released ends are whole pages,
    // since addresses of mappings and `bytes` are multiples of a page.
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

/// Resizes a mapping, moving it if necessary; returns null if the system refuses.
///
/// # Safety
///
/// The mapping must belong to the caller and have `old` bytes.
#[cfg(target_os = "linux")]
unsafe fn remap(start: *mut c_void, old: usize, new: usize) -> *mut c_void {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let moved = rustix::mm::mremap(start, old, new, rustix::mm::MremapFlags::MAYMOVE);
        moved.inspect(|moved| advise(*moved, new)).unwrap_or(null_mut())
    }
}

/// Always fails on this system, so that blocks are copied instead.
///
/// # Safety
///
/// There are no requirements.
#[cfg(not(target_os = "linux"))]
const unsafe fn remap(_: *mut c_void, _: usize, _: usize) -> *mut c_void {
    null_mut()
}

// SAFETY: a large block is a separate private mapping of its size rounded up to pages, a small one belongs to the
// system allocator; the layout alone decides which, both for allocation and for release. Mappings are aligned to pages,
// and the alignment of large blocks is at most the smallest page size.
unsafe impl GlobalAlloc for HugePageAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        reserved_for(layout.size(), || match large(layout) {
            true => map(layout.size().next_multiple_of(PAGE)).cast(),
            // SAFETY: guaranteed by the caller.
            false => unsafe { System.alloc(layout) },
        })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        reserved_for(layout.size(), || match large(layout) {
            true => map(layout.size().next_multiple_of(PAGE)).cast(),
            // SAFETY: guaranteed by the caller.
            false => unsafe { System.alloc_zeroed(layout) },
        })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        match large(layout) {
            // SAFETY: the block is a mapping of this size that is no longer accessed.
            true => _ = unsafe { munmap(block.cast(), layout.size().next_multiple_of(PAGE)) },
            // SAFETY: the block belongs to the system allocator.
            false => unsafe { System.dealloc(block, layout) },
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        let Ok(wanted) = Layout::from_size_align(new_size, layout.align()) else { return null_mut() };
        // SAFETY: guaranteed by the caller; a refusal leaves the block unchanged.
        reserved_for(new_size, || unsafe { self.resized(block, layout, wanted) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_all_sizes_keep_what_is_written_when_they_grow_and_shrink() {
        let sizes = [32, 5000, LARGE - 1, LARGE, LARGE + 1, 3 * LARGE + 4097, 8 * LARGE, LARGE, 100, 2 * LARGE];
        // Miri cannot unmap a part of a mapping, as large blocks do.
        let sizes = sizes.into_iter().filter(|size| !cfg!(miri) || *size < LARGE);
        let mut layout = Layout::from_size_align(64, 64).unwrap();
        // SAFETY: every block is used within its size and released once, with its layout.
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
            if cfg!(miri) {
                return;
            }
            let huge = Layout::from_size_align(4 * LARGE, 8).unwrap();
            let block = HugePageAllocator.alloc_zeroed(huge);
            assert!(block.align_offset(HUGE_PAGE) == 0 && (0..4).all(|page| *block.add(page * LARGE) == 0));
            HugePageAllocator.dealloc(block, huge);
        }
    }
}
