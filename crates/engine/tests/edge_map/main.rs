//! Maps over lists in memory, against loops over edges.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking, its helpers included")]

mod data;
mod failures;
mod lists;
mod maps;
mod neighborhoods;
mod options;
mod records;
mod schedules;
mod vertices;
