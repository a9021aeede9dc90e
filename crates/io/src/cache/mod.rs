//! Caches of pages of stores, in memory.

mod eviction;
mod frames;
mod page_cache;
mod static_cache;
mod sync;
mod utilization;

pub use frames::Admission;
pub use page_cache::{PageCache, PageGuard};
pub use static_cache::{Record, StaticCache, StaticCacheDraft};
pub use utilization::{PageUse, Utilization};
