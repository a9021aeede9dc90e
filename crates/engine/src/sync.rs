//! Atomics of the frontier: those of the standard library, or of loom in its models (`make loom`).

#[cfg(loom)]
pub(crate) use loom::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, fence};
#[cfg(not(loom))]
pub(crate) use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, fence};

/// Returns `count` zeros, untouched by this thread.
#[cfg(not(loom))]
pub(crate) fn zeros(count: usize) -> Vec<AtomicU32> {
    bytemuck::zeroed_vec(count)
}

#[cfg(loom)]
pub(crate) fn zeros(count: usize) -> Vec<AtomicU32> {
    (0..count).map(|_| AtomicU32::new(0)).collect()
}
