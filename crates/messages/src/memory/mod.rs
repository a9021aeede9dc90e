//! Division of memory, and the choice of intervals that fit in it.

mod extent;
mod intervals;
mod shares;

pub use extent::Extent;

pub(super) use intervals::{choose_intervals, log_page_bytes};
pub(super) use shares::{LEAST_NUMBERS, Shares, messages_at_once, numbers_for};
