//! Shares of memory, and the intervals that the vertices are split into so that it is enough.

mod extent;
mod intervals;
mod shares;

pub use extent::Extent;

pub(super) use intervals::{choose_intervals, log_page_bytes};
pub(super) use shares::{BLOCK, LEAST_NUMBERS, Shares, messages_at_once, numbers_for};
