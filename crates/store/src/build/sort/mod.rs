//! Sorting more records than memory holds: sorted runs on disk, merged as they are read.

mod external;
mod merge;
mod radix;
mod record;

pub use external::{ExternalSorter, SortedRecords};
pub use record::{Arc, ArcRecord, IdKey, KeyedEdge, KeyedRank, UniqueKey, WeightedArc};
