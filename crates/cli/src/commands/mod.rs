//! Commands, one a file.

pub(crate) mod algorithms;
pub(crate) mod ask;
pub(crate) mod calibrate;
pub(crate) mod completions;
pub(crate) mod estimate;
pub(crate) mod generate;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod serve;
pub(crate) mod spark;
pub(crate) mod store;
