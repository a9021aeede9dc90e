//! Pages of messages: `pool.rs` which are free and which list each belongs to, `evict.rs` writes them to disk at free
//! `places.rs`, `scan.rs` reads them back.

mod evict;
mod failure;
mod list;
mod page;
mod places;
mod pool;
mod scan;

pub(super) use evict::Evictor;
pub(super) use failure::{Failure, alike};
pub(super) use page::{HEADER_BYTES, Page};
pub(super) use pool::Pool;
pub(super) use scan::damaged;
