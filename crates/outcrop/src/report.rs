//! Reports as files.

use outcrop_formats::PendingFile;
use outcrop_types::{Error, Result};
use std::io::Write;
use std::path::Path;

/// Writes a page, such as [`crate::RunRecord::to_html`] makes, to a file, which appears whole or not at all.
///
/// # Errors
/// The file exists and `overwrite` is not given, or it cannot be written.
pub fn write_report(page: &str, path: &Path, overwrite: bool) -> Result<()> {
    let target = PendingFile::create(path, overwrite)?;
    target.writer()?.write_all(page.as_bytes()).map_err(|source| Error::io("write", path, source))?;
    target.publish()
}

/// A report that cannot be written is better refused before the work than after it.
///
/// # Errors
/// What [`write_report`] would refuse by what stands there now.
pub fn check_report_target(path: &Path, overwrite: bool) -> Result<()> {
    PendingFile::create(path, overwrite).map(drop)
}
