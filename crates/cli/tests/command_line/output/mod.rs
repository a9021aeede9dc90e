//! Results, records and reports.

mod history;
mod output_files;
pub(crate) mod outputs;
mod profiles;
mod questions;
mod reports;
