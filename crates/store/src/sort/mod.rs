//! External sorting: runs are spilled to one temporary file and combined when they are read. One sorter is for
//! fixed-size records with an integer key, whose runs are scattered into groups that are sorted when they are read;
//! another is for strings, whose runs are sorted and merged.

mod clusters;
mod external;
mod groups;
mod in_order;
mod key;
mod packed;
mod radix;
mod runs;
#[cfg(test)]
mod speed;
mod spiller;
mod text;

pub(crate) use external::{DurableRecords, ExternalSorter, SortedRecords};
pub(crate) use groups::most_groups;
pub(crate) use in_order::{in_order, items};
pub(crate) use key::{Record, SortKey};
pub(crate) use packed::{Packer, Unpacker};
pub(crate) use spiller::Spiller;
pub(crate) use text::{DurableTexts, TextSorter};
