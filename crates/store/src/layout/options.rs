//! Choices for opening lists.

use super::chunked::DenseAccess;
use super::compact::IndexResidence;
use outcrop_io::{Device, IoChoice, MergePolicy, Utilization};
use std::sync::Arc;

/// Choices for opening lists; each layout takes those that it knows.
#[derive(Clone, Debug)]
pub struct ListOptions {
    /// The way to read.
    pub io: IoChoice,
    /// Memory of the page cache of this direction, its table included, in bytes: in chunks shared out to the levels in
    /// proportion to what each has on disk, in shards for blocks that stay there once they are read.
    pub cache_bytes: u64,
    /// Accounts of the parts of cached pages that are looked at.
    pub utilization: Utilization,
    /// Rule for merging neighboring requests.
    pub merge: MergePolicy,
    /// The order in which a sweep goes through lists in chunks.
    pub dense_access: DenseAccess,
    /// The place of the index of the `compact` layout.
    pub index: IndexResidence,
}

impl ListOptions {
    /// Options for reading lists once: no page cache, and as little of the index in memory as the layout allows.
    pub fn once(io: IoChoice) -> Self {
        Self {
            io,
            cache_bytes: 0,
            utilization: Utilization::Ignored,
            merge: MergePolicy::default(),
            dense_access: DenseAccess::default(),
            index: IndexResidence::STREAMED,
        }
    }
}

/// Puts something between lists and their device: for tests of devices that fail or count.
pub type WrapDevice<'w> = Box<dyn FnOnce(Arc<dyn Device>) -> Arc<dyn Device> + 'w>;
