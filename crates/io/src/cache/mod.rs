//! Caches of pages of stores, in memory.

mod eviction;
mod page_cache;
mod static_cache;
mod utilization;

pub use page_cache::{Admission, PageCache, PageGuard};
pub use static_cache::{Record, StaticCache, StaticCacheDraft};
pub use utilization::{PageUse, Utilization};
