//! Options for opening lists.

use super::chunked::DenseAccess;
use super::compact::IndexResidence;
use outcrop_io::{Device, IoChoice, MergePolicy, Utilization};
use outcrop_types::VertexId;
use std::sync::Arc;

/// Options for opening lists; each layout uses the ones that apply to it.
#[derive(Clone, Debug)]
pub struct ListOptions {
    /// I/O backend.
    pub io: IoChoice,
    /// Memory of the page cache of this direction in bytes, including its table. The chunked layout divides it among
    /// the levels in proportion to their size on disk; the sliding layout uses it for resident blocks.
    pub cache_bytes: u64,
    /// Tracking of the used parts of cached pages.
    pub utilization: Utilization,
    /// Rule for merging neighboring requests.
    pub merge: MergePolicy,
    /// Order in which a sweep reads chunked lists.
    pub dense_access: DenseAccess,
    /// Location of the `compact` layout's index.
    pub index: IndexResidence,
    /// Vertices whose lists are read, if there are few: a layout may open only the parts of its index with these lists.
    pub members: Option<Arc<[VertexId]>>,
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
            members: None,
        }
    }
}

/// Wraps the device of lists, for tests with failing or counting devices.
pub(super) type WrapDevice<'w> = Box<dyn FnOnce(Arc<dyn Device>) -> Arc<dyn Device> + 'w>;
