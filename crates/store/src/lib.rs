//! Stores on disk: the manifest, checksummed units, layouts, and the building of stores.
#![deny(unsafe_code, reason = "only the kernels of the codec may")]
#![warn(unreachable_pub)]

pub mod access;
mod arc_hash;
mod arc_sums;
mod check;
mod checkpoint_folder;
pub(crate) mod codec;
mod component;
mod component_names;
mod identity;
pub mod journal;
pub mod layout;
mod manifest;
mod original_ids;
mod owned;
mod read;
mod selection;
pub(crate) mod sort;
mod store;
pub mod updates;
mod work_context;
mod writer_lock;
pub mod writing;

pub use arc_hash::ArcHash;
pub use arc_sums::ArcSums;
pub use check::{SoundLists, check};
pub use checkpoint_folder::{CheckpointFolder, Contents, SavingPace};
pub use codec::common_bits;
#[doc(hidden)]
pub use codec::{Codec, Malformed};
pub use component::{Component, ComponentReader, ComponentWriter, PAYLOAD_BYTES, StoreId, UNIT_BYTES, UnitSeal};
pub use identity::{GraphIdentity, Head};
pub use manifest::{
    ChangeEntries, ChunkedEntry, CompactEntry, CsrEntry, Dedup, EdgeRules, FORMAT_VERSION, FileEntry, GraphEntry,
    Interval, LevelFigures, ListEntries, Manifest, Numbering, Order, OrderParameters, OriginalIds, SelfLoops,
    SlidingEntry,
};
pub use original_ids::{OriginalId, OriginalIdReader, RankReader, ranks, ranks_memory};
pub use outcrop_io::file_version;
pub use owned::{HISTORY_DRAFT, is_history_file, is_history_name, is_store, require_apart, require_own_place};
pub use selection::{
    SelectionDraft, SelectionInfo, SelectionNote, StaticLists, remove_selections, write_selection_memory,
};
pub use store::{HISTORY_NAME, Store};
pub use work_context::WorkContext;
pub use writer_lock::{WriterLock, while_in_use};
