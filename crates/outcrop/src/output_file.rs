//! Files that results, reports and edges are written to.

use outcrop_formats::PendingFile;
use outcrop_store::containing_store;
use outcrop_types::{Error, Result};
use std::io::Write;
use std::path::Path;

/// Creates the file for a result or a report before the work begins, so that a file that cannot be written costs no work. It appears as
/// `path` once it is complete.
///
/// # Errors
/// What [`PendingFile::create`] refuses; [`Error::Usage`] for a file in the folder of a store.
pub fn create_output(path: &Path, overwrite: bool) -> Result<PendingFile> {
    refuse_in_store(path)?;
    PendingFile::create(path, overwrite)
}

/// Makes the folder for results, where it is not there.
///
/// # Errors
/// [`Error::Usage`] for a folder in that of a store; its parent is not there; a file stands at its place.
pub fn create_output_folder(path: &Path) -> Result<()> {
    refuse_in_store(&path.join("results"))?;
    match std::fs::create_dir(path) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        made => made.map_err(|source| Error::io("make", path, source)),
    }
}

/// Refuses files in the folder of a store, which holds nothing but its own.
///
/// # Errors
/// [`Error::Usage`] naming the store.
pub(crate) fn refuse_in_store(path: &Path) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match containing_store(folder) {
        Some(store) => {
            let (path, store) = (path.display(), store.display());
            Err(Error::Usage(format!("{path} is inside the store {store}; choose a file outside of it")))
        }
        None => Ok(()),
    }
}

/// Writes a page, such as [`crate::RunRecord::to_html`] makes, to a file of [`crate::create_output`], which appears whole or not at all.
///
/// # Errors
/// It cannot be written.
pub fn write_report(page: &str, file: PendingFile) -> Result<()> {
    file.writer()?.write_all(page.as_bytes()).map_err(|source| Error::io("write", file.target(), source))?;
    file.publish()
}
