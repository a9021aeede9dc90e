//! Writes the shards of a store: lists are spilled to a temporary file until the intervals can be chosen.

mod collect;
mod lists;
mod shards;
mod sink;

pub(crate) use lists::{ListSpiller, SpilledLists};
pub(crate) use shards::{Target, write_shards};
