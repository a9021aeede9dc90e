//! Strangers' files in and out: edges, tables of results, generated graphs.
#![forbid(unsafe_code)]

pub mod generate;
pub mod table;
pub mod vector;
