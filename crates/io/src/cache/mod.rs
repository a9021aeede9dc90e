//! Pages of stores kept in memory.

mod eviction;
mod page_cache;

pub use page_cache::{Admission, PageCache, PageGuard};
