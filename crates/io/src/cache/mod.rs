//! Pages of stores kept in memory.

mod eviction;
mod page_cache;
mod utilisation;

pub use page_cache::{Admission, PageCache, PageGuard};
pub use utilisation::{PageUse, Utilisation};
