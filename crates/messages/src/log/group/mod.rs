//! Groups messages by vertex: `space.rs` manages the memory, `sort.rs` counts and sorts, `blocks.rs` provides views of
//! the groups.

mod blocks;
mod sort;
mod space;

pub use blocks::BlockMessages;
pub use space::{GroupSpace, fused_bytes, space_bytes};

pub(super) use space::{Shape, fits_in};
