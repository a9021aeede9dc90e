//! Stores made from stores: in another layout, in another order, with more vertices.

mod convert;
mod each_arc;
mod grow;
mod permutation;
mod reorder;

pub use convert::{ConvertOptions, convert, convert_grown};
pub use grow::Growth;
pub use permutation::VertexPermutation;
pub use reorder::{ListOrder, reorder};
