//! Sorting of more than memory holds: sorted runs in one temporary file, merged as they are read. One sorter of records of a fixed size with
//! a whole-number key, and one of texts; both spill to the same runs.

mod external;
mod key;
mod merge;
mod radix;
mod runs;
#[cfg(test)]
mod speed;
mod text;

pub(crate) use external::{ExternalSorter, SortedRecords};
pub(crate) use key::{Record, SortKey};
pub(crate) use text::TextSorter;
