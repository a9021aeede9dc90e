//! Files that results, reports and edges are written to.

use outcrop_formats::PendingFile;
use outcrop_formats::table::is_of_series;
use outcrop_io::Bandwidths;
use outcrop_store::require_own_place;
use outcrop_types::{Cancellation, Error, Observer, Result};
use std::collections::HashSet;
use std::ffi::OsStr;
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

/// A folder with a Parquet file for each window of a series.
#[derive(Debug)]
pub struct WindowFolder<'f> {
    path: &'f Path,
    names: HashSet<String>,
    overwrite: bool,
}

impl<'f> WindowFolder<'f> {
    /// Mark of the files.
    pub(crate) const SERIES: &'static str = "windows";

    /// Makes the folder, where it is not there, for the files of windows with these `starts`.
    ///
    /// # Errors
    /// [`Error::Usage`] for a folder in that of a store; its parent is not there; a file stands at its place;
    /// [`Error::AlreadyExists`] for the first file that exists, unless files are to be replaced.
    pub fn create(path: &'f Path, starts: impl Iterator<Item = String>, overwrite: bool) -> Result<Self> {
        require_own_place(path)?;
        match std::fs::create_dir(path) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists && path.is_dir() => {}
            made => made.map_err(|source| Error::io("make", path, source))?,
        }
        let names: Vec<_> = starts.map(|start| Self::name(&start)).collect();
        let mut paths = names.iter().map(|name| path.join(name)).filter(|_| !overwrite);
        match paths.find(|path| std::fs::symlink_metadata(path).is_ok()) {
            Some(path) => Err(Error::AlreadyExists { path }),
            None => Ok(Self { path, names: names.into_iter().collect(), overwrite }),
        }
    }

    fn name(start: &str) -> String {
        format!("{}.parquet", start.replace(':', "-"))
    }

    /// Creates the file of the window from `start` on.
    ///
    /// # Errors
    /// As for [`create_output`].
    pub fn file(&self, start: &str) -> Result<PendingFile> {
        create_output(&self.path.join(Self::name(start)), self.overwrite)
    }

    /// Removes the files of windows of earlier series that are none of this one, where files are to be replaced; their number. Other files
    /// stay.
    ///
    /// # Errors
    /// The folder cannot be read, or a file not be removed.
    pub fn remove_stale(&self) -> Result<u64> {
        if !self.overwrite {
            return Ok(0);
        }
        let entries = std::fs::read_dir(self.path).map_err(|source| Error::io("read", self.path, source))?;
        let mut removed = 0;
        for entry in entries {
            let path = entry.map_err(|source| Error::io("read", self.path, source))?.path();
            let stale = |name: &str| name.ends_with(".parquet") && !self.names.contains(name);
            let stale = path.file_name().and_then(OsStr::to_str).is_some_and(stale);
            if stale && is_of_series(&path, Self::SERIES) {
                std::fs::remove_file(&path).map_err(|source| Error::io("remove", &path, source))?;
                removed += 1;
            }
        }
        Ok(removed)
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
