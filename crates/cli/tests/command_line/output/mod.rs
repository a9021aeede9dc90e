//! Results, records and reports.

mod output_files;
pub(crate) mod outputs;
mod questions;
mod reports;
