//! Edges that were added and removed since the lists were written: they lie beside the lists, and every visit sees them in their places.

mod changes;
mod patched;

pub use changes::{Change, ChangeCounts, EdgeChange, EdgeChanges, VertexChanges};
pub use patched::{Patched, PatchedFold};
