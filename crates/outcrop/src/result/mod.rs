//! Results as tables: one row per vertex in ascending order of original ID or, for walks, one row per step, in batches
//! that fit in memory.

mod arcs;
mod groups;
mod node_ids;
mod rank_order;
mod rows;
mod source;
mod steps;
mod summary;
mod table;
mod top;

pub(crate) use arcs::{ArcRows, halves};
pub(crate) use groups::for_each_group;
pub use node_ids::NodeIds;
pub(crate) use node_ids::{name_of, name_of_vertex};
pub(crate) use rank_order::by_rank;
pub(crate) use source::{BATCH_MEMORY, BATCH_ROWS, TableSource, batch_memory, new_id_bytes, rows_of};
pub(crate) use steps::{ROW_BYTES, StepRows, StepWriter};
pub(crate) use summary::Summary;
pub use table::ResultTable;
pub(crate) use top::top_bytes;
