//! Stores that are built, converted and updated.

mod account;
pub(crate) mod build;
pub(crate) mod convert;
mod lists;
pub(crate) mod temporary;
pub(crate) mod update;
pub(crate) mod window;
