//! Atomics of the page cache: those of the standard library, or of loom in its models (`make loom`).

#[cfg(loom)]
pub(super) use loom::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize};
#[cfg(not(loom))]
pub(super) use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize};
