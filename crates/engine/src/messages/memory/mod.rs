//! Who gets which memory, and into which intervals the vertices are split so that it is enough.

mod extent;
mod intervals;
mod shares;

pub use extent::Extent;

pub(super) use intervals::choose_intervals;
pub(super) use shares::{BLOCK, Shares, bytes_of, numbers_for};
