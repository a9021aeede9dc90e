//! Runs: however they go about it, the answer is the same, and so is what they say of themselves.

mod cancellation;
mod handle;
mod incremental;
mod resume;
mod schedule;
mod static_cache;
pub mod threads;
