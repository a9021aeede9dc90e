//! One file a command.

pub(crate) mod algorithms;
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
pub(crate) mod shell;
pub(crate) mod update;

use outcrop::{PendingFile, Result};
use std::path::Path;

/// Creates the file of an option, before the work of which it will hold the result.
fn output(path: Option<&Path>, overwrite: bool) -> Result<Option<PendingFile>> {
    path.map(|path| outcrop::create_output(path, overwrite)).transpose()
}
