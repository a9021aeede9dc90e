//! Vertices: IDs, ranges, sets and permutations; and weight types.

mod bit_set;
mod ids;
mod permutation;
mod vertex_set;
mod weight_type;

pub use bit_set::BitSet;
pub use ids::{
    Direction, EdgeIndex, LONGEST_ID, MAX_VERTICES, VertexId, VertexRange, check_id, index_from, length_from,
    number_from,
};
pub use permutation::Permutation;
pub use vertex_set::VertexSet;
pub use weight_type::{WeightChoice, WeightType, WeightTypes};
