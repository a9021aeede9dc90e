//! Pages of messages: `pool.rs` tracks free pages and the pages of each list, `evict.rs` writes them to free
//! `places.rs` on disk, `scan.rs` reads them back.

mod evict;
mod failure;
mod list;
mod page;
mod places;
mod pool;
mod scan;
mod sync;

pub(super) use evict::Evictor;
pub(super) use failure::{Failure, alike};
pub(super) use page::{HEADER_BYTES, Page};
pub(super) use pool::Pool;
pub(super) use scan::damaged;
