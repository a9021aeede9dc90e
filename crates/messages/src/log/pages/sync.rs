//! Locks and threads of the pool: those of the standard library, or of loom in its models (`make loom`).

#[cfg(loom)]
pub(super) use loom::{
    sync::atomic::{AtomicBool, AtomicU64},
    sync::{Condvar, Mutex, MutexGuard},
    thread::{Builder, JoinHandle},
};
#[cfg(not(loom))]
pub(super) use std::{
    sync::atomic::{AtomicBool, AtomicU64},
    sync::{Condvar, Mutex, MutexGuard},
    thread::{Builder, JoinHandle},
};
