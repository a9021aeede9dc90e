//! Stores built from stores: in another layout or vertex order, or with pending updates merged into the lists; and arcs
//! of a store in the order of its IDs.

mod convert;
mod each_arc;
mod gathered_arcs;
mod id_tables;
mod permutation;
mod ranked_arcs;
mod reorder;

pub use convert::{ConvertOptions, convert, convert_memory};
pub use gathered_arcs::{ArcGatherer, GatherSettings, look_up_ranks};
pub use permutation::VertexPermutation;
pub use ranked_arcs::{ArcOrder, ArcRanker, RankedArcs};
pub use reorder::{reorder, reorder_memory};
