//! One log for all messages, to compare with: they are sorted in memory, spilled as sorted runs, and merged at the end of a superstep into
//! one that is sorted by destination; what is to the same vertex is combined each time (GraFBoost: Jun et al., ISCA 2018).

mod merge;
mod output;
mod sorted;
mod sorter;

pub(super) use sorted::Sorted;
pub(super) use sorter::{Sorter, memory_bytes, page_memory_bytes};
