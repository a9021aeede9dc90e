//! Lists that a run reads, in the layout of the store, and lists that stay open between runs.

mod open;
mod opened;
mod size;
mod static_cache;
mod warm;

pub(crate) use open::{IndexParts, ListMemory, Reads};
pub(crate) use opened::{Lists, Loading};
pub(crate) use size::{arcs, bytes_on_disk, cache_bytes_for_all, memory, memory_with_index, sides};
pub(crate) use static_cache::{divided_cache, pinned_bytes};
pub(crate) use warm::{KeptRanks, LastRun, Warm};
