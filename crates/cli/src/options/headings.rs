//! Headings of options on help pages.

/// Options for Spark, which only some algorithms support.
pub(crate) const SPARK: &str = "Spark";
/// Options whose defaults suit most runs.
pub(crate) const ADVANCED: &str = "Advanced";
/// Options for checkpoints and incremental runs.
pub(crate) const CHECKPOINTS: &str = "Checkpoints";
/// Options for runs on parts of a graph with times.
pub(crate) const TIME_WINDOWS: &str = "Time windows";
