//! Writes the shards of a store: lists wait in a temporary file until intervals can be chosen.

mod collect;
mod lists;
mod shards;
mod sink;

pub(crate) use lists::{ListSpiller, SpilledLists};
pub(crate) use shards::{Target, write_shards};
