//! Groups messages by vertex: `space.rs` is the memory for it, `sort.rs` counts and sorts, `blocks.rs` shows what was
//! grouped.

mod blocks;
mod sort;
mod space;

pub use blocks::BlockMessages;
pub use space::{GroupSpace, fused_bytes, space_bytes};

pub(super) use space::{Shape, fits_in};
