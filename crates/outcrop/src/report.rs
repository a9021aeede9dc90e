//! Reports as files.

use outcrop_formats::PendingFile;
use outcrop_types::{Error, Result};
use std::io::Write;

/// Writes a page, such as [`crate::RunRecord::to_html`] makes, to a file of [`crate::create_output`], which appears whole or not at all.
///
/// # Errors
/// It cannot be written.
pub fn write_report(page: &str, file: PendingFile) -> Result<()> {
    file.writer()?.write_all(page.as_bytes()).map_err(|source| Error::io("write", file.target(), source))?;
    file.publish()
}
