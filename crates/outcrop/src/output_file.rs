//! Files that results, reports and edges are written to.

use outcrop_formats::PendingFile;
use outcrop_io::Bandwidths;
use outcrop_store::require_own_place;
use outcrop_types::{Cancellation, Error, Observer, Result};
use std::io::Write;
use std::path::Path;

/// Creates the file for a result or a report before the work begins, so that a file that cannot be written costs no work. It appears as
/// `path` once it is complete.
///
/// # Errors
/// What [`PendingFile::create`] refuses.
pub fn create_output(path: &Path, overwrite: bool) -> Result<PendingFile> {
    PendingFile::create(path, overwrite)
}

/// Makes the folder for results, where it is not there.
///
/// # Errors
/// [`Error::Usage`] for a folder in that of a store; its parent is not there; a file stands at its place.
pub fn create_output_folder(path: &Path) -> Result<()> {
    require_own_place(path)?;
    match std::fs::create_dir(path) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        made => made.map_err(|source| Error::io("make", path, source)),
    }
}

/// Measures the disk that holds `folder`, in which a file is written for a while: see [`outcrop_io::calibrate`].
///
/// # Errors
/// [`Error::Usage`] for a folder of a store; those of measuring.
pub fn calibrate(folder: &Path, file_bytes: u64, observer: &dyn Observer, cancel: &Cancellation) -> Result<Bandwidths> {
    require_own_place(folder)?;
    outcrop_io::calibrate(folder, file_bytes, observer, cancel)
}

/// Writes a page, such as [`crate::RunRecord::to_html`] makes, to a file of [`crate::create_output`], which appears whole or not at all.
///
/// # Errors
/// It cannot be written.
pub fn write_report(page: &str, file: PendingFile) -> Result<()> {
    file.writer()?.write_all(page.as_bytes()).map_err(|source| Error::io("write", file.target(), source))?;
    file.publish()
}
