//! Blocks of arcs in a file: written in order, read by several threads, for stored and temporary files.

mod block;
mod file;
mod pieces;
mod prepared;
mod read;
mod resident_blocks;
mod sorter;
mod stored_file;
mod table;
mod writer;

#[cfg(test)]
mod tests;

pub use block::{BlockShape, decode as decode_block, encode as encode_block};
pub use prepared::{PreparedShards, ShardPreparation};
pub(super) use read::{BlockShards, Reading};
pub use sorter::{EncodedShard, ShardSorter};
pub(super) use stored_file::StoredFile;
pub(super) use table::{Largest, ShardTable};
pub(super) use writer::{BlockSink, ShardWriter};
