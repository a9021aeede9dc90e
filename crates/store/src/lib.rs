//! What lies on disk: the manifest, checksummed units, the layouts, and the building of stores.
#![forbid(unsafe_code)]

pub mod build;
