//! Atomics of this crate: those of the standard library, or of loom in its models (`make loom`).

#[cfg(loom)]
pub(crate) use loom::sync::atomic::AtomicU64;
#[cfg(not(loom))]
pub(crate) use std::sync::atomic::AtomicU64;

/// Returns `count` zeros, untouched by this thread: the first thread that accesses a word touches its memory.
#[cfg(not(loom))]
pub(crate) fn zeros(count: usize) -> Vec<AtomicU64> {
    bytemuck::zeroed_vec(count)
}

#[cfg(loom)]
pub(crate) fn zeros(count: usize) -> Vec<AtomicU64> {
    (0..count).map(|_| AtomicU64::new(0)).collect()
}
