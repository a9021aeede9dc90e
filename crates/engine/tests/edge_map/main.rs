//! Maps over lists in memory, against loops over edges.

mod failures;
mod lists;
mod maps;
mod records;
mod vertices;
