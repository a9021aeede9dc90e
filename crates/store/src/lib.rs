//! What lies on disk: the manifest, checksummed units, the layouts, and the building of stores.
#![forbid(unsafe_code)]

pub mod access;
pub mod build;
mod check;
mod component;
pub mod layout;
mod manifest;
mod original_ids;
mod store;

pub use check::{check, check_memory};
pub use component::{Component, ComponentReader, ComponentWriter, PAYLOAD_BYTES, StoreId, UNIT_BYTES, UnitSeal};
pub use manifest::{
    CsrEntry, Dedup, FORMAT_VERSION, FileEntry, Interval, MANIFEST_NAME, Manifest, Order, OriginalIds, SelfLoops,
};
pub use original_ids::{OriginalId, OriginalIdReader, ranks};
pub use store::Store;
