//! Commands that make, change and show stores.

pub(crate) mod build;
pub(crate) mod cache;
pub(crate) mod check;
pub(crate) mod convert;
pub(crate) mod export;
pub(crate) mod info;
mod input_summary;
pub(crate) mod profile;
pub(crate) mod runs;
pub(crate) mod salvage;
pub(crate) mod update;
