//! Sliding shards: arcs in blocks between two vertex intervals, with all blocks into one interval stored consecutively
//! (`docs/format/sliding.md`; GraphChi's shards, D1).
//!
//! A store of this layout contains the blocks permanently ([`StoredShards`]); [`PreparedShards`] has them in a
//! temporary file, written from lists of any layout.

mod adjacency;
mod entry;
mod finder;
mod format;
mod intervals;
mod lists;
mod settings;
mod shards;
mod stored;
mod verify;
mod write;

pub(super) use adjacency::SlidingLists;
pub use entry::SlidingEntry;
pub use format::BLOCKS_NAME;
pub(crate) use format::TABLE_NAME;
pub use intervals::{BoundsPicker, intervals_for};
pub use settings::SlidingSettings;
pub use shards::{BlockShape, EncodedShard, PreparedShards, ShardPreparation, ShardSorter, decode_block, encode_block};
pub use stored::{StoredShards, no_static_cache};
pub(crate) use verify::{blocks_memory, verify_blocks};
pub(crate) use write::{ListSpiller, SpilledLists, Target, write_shards};
