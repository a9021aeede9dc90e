//! Stores made from stores: in another layout, in another order, with more vertices; and the arcs of a store in the
//! order of its ids.

mod convert;
mod each_arc;
mod gathered_arcs;
mod grow;
mod permutation;
mod ranked_arcs;
mod reorder;

pub use convert::{ConvertOptions, convert, convert_grown, convert_memory, grow_memory};
pub use gathered_arcs::{ArcGatherer, GatherSettings, RankStretch};
pub use grow::Growth;
pub use permutation::VertexPermutation;
pub use ranked_arcs::{ArcOrder, ArcRanker, RankedArcs};
pub use reorder::{ListOrder, reorder, reorder_memory};
