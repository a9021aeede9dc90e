//! Sorting of more than memory holds: runs in one temporary file, put together as they are read. One sorter of records
//! of a fixed size with a whole-number key, whose runs are scattered into groups that are sorted when they are read,
//! and one of texts, whose runs are sorted and merged.

mod clusters;
mod external;
mod groups;
mod key;
mod radix;
mod runs;
#[cfg(test)]
mod speed;
mod spiller;
mod text;

pub(crate) use external::{ExternalSorter, KeptRecords, SortedRecords};
pub(crate) use key::{Record, SortKey};
pub(crate) use spiller::Spiller;
pub(crate) use text::{KeptTexts, TextSorter};
