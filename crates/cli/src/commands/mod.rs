//! One file a command.

pub(crate) mod bench;
pub(crate) mod build;
pub(crate) mod cache;
pub(crate) mod calibrate;
pub(crate) mod check;
pub(crate) mod convert;
pub(crate) mod generate;
pub(crate) mod info;
pub(crate) mod input_summary;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod update;
