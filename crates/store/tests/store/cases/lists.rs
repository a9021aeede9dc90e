//! The lists of a store in whichever layout it has.

use crate::cases::collect::Reading;
use outcrop_io::{MergePolicy, Utilization};
use outcrop_store::Store;
pub use outcrop_store::layout::StoredLists as Lists;
use outcrop_store::layout::chunked::DenseAccess;
use outcrop_store::layout::sliding::BLOCKS_NAME;
use outcrop_store::layout::{LayoutKind, ListOptions};
use outcrop_types::Direction;

/// The file with the lists of a direction.
pub fn lists_name(store: &Store, direction: Direction) -> String {
    let file = match store.manifest().layout() {
        LayoutKind::Chunked => "chunks",
        LayoutKind::Compact => "shards",
        LayoutKind::Csr => "edges",
        LayoutKind::Sliding => return BLOCKS_NAME.to_owned(),
    };
    format!("{}.{file}", direction.name())
}

pub fn options(reading: Reading, merge: MergePolicy) -> ListOptions {
    let Reading { io, cache_bytes, utilization, index, .. } = reading;
    ListOptions { io, cache_bytes, utilization, merge, dense_access: DenseAccess::default(), index, members: None }
}

pub fn cache_bytes_for_all(store: &Store, direction: Direction) -> u64 {
    Lists::cache_bytes_for_all(store, direction, Utilization::Ignored)
}
