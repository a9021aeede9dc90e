//! Values per vertex: their types, and the array that stores them in memory or on disk.

mod array;
mod element;
mod parts;

pub(crate) use array::read;
pub use array::{Residence, VertexArray};
pub use element::{Number, Plain};
pub use parts::ArrayParts;
