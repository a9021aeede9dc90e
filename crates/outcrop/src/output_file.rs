//! Output files of results, reports and edges.

use crate::graph::Graph;
use crate::request::RunRequest;
use outcrop_formats::PendingFile;
use outcrop_formats::table::is_of_series;
use outcrop_io::{Bandwidths, FileLock};
use outcrop_store::require_own_place;
use outcrop_types::{Cancellation, Error, Observer, Result};
use std::collections::HashSet;
use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;

/// Creates the file for a result or a report before the work starts, so that a file that cannot be written costs no
/// work. It appears at `path` once it is complete.
///
/// # Errors
///
/// Returns an error under the same conditions as [`PendingFile::create`].
pub fn create_output(path: &Path, overwrite: bool) -> Result<PendingFile> {
    PendingFile::create(path, overwrite)
}

/// Folder with one Parquet file per window of a series.
pub struct WindowFolder<'f> {
    path: &'f Path,
    /// True if the folder did not exist before.
    made: bool,
    names: HashSet<String>,
    overwrite: bool,
    /// Graph and algorithm of the series: only files of the same series are removed.
    series: String,
    /// Lock that excludes other series; `None` if the file system cannot lock folders.
    _alone: Option<FileLock>,
}

impl<'f> WindowFolder<'f> {
    /// Creates the folder, if it does not exist, for the files of a run on windows with these `starts`, and locks it
    /// against other series.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Usage`] if the folder is inside a store, [`Error::AlreadyExists`] for the first existing file
    /// unless files may be overwritten, [`Error::InUse`] if another series writes to it, or an error if its parent does
    /// not exist or a file has its name.
    pub fn create(
        path: &'f Path,
        graph: &Graph,
        request: &RunRequest<'_>,
        starts: impl Iterator<Item = String>,
        overwrite: bool,
    ) -> Result<Self> {
        require_own_place(path)?;
        let made = match std::fs::create_dir(path) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists && path.is_dir() => false,
            made => made.map(|()| true).map_err(|source| Error::io("make", path, source))?,
        };
        let alone = FileLock::of_folder(path)?;
        let series = format!("{} {}", graph.store.manifest().lineage(), request.spec().name);
        let names: Vec<_> = starts.map(|start| Self::name(&start)).collect();
        let mut paths = names.iter().map(|name| path.join(name)).filter(|_| !overwrite);
        match paths.find(|path| std::fs::symlink_metadata(path).is_ok()) {
            Some(path) => Err(Error::AlreadyExists { path }),
            None => Ok(Self { path, made, names: names.into_iter().collect(), overwrite, series, _alone: alone }),
        }
    }

    fn name(start: &str) -> String {
        format!("{}.parquet", start.replace(':', "-"))
    }

    /// Returns the mark of the file of the window starting at `start`. It identifies the series and the name of the
    /// file, so that a copy with another name is recognized.
    pub fn mark(&self, start: &str) -> String {
        self.mark_of(&Self::name(start))
    }

    fn mark_of(&self, name: &str) -> String {
        format!("{} {name}", self.series)
    }

    /// Marks the window starting at `start` as one without a result, so that its file of an earlier series is stale.
    pub fn skip(&mut self, start: &str) {
        _ = self.names.remove(&Self::name(start));
    }

    /// Creates the file of the window starting at `start`.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`create_output`].
    pub fn file(&self, start: &str) -> Result<PendingFile> {
        create_output(&self.path.join(Self::name(start)), self.overwrite)
    }

    /// Removes files of windows from earlier series of the same graph and algorithm that are not part of this series,
    /// if files may be overwritten; returns their number. Other files stay.
    ///
    /// # Errors
    ///
    /// Returns an error if the folder cannot be read or a file cannot be removed.
    pub fn remove_stale(&self) -> Result<u64> {
        if !self.overwrite {
            return Ok(0);
        }
        let entries = std::fs::read_dir(self.path).map_err(|source| Error::io("read", self.path, source))?;
        let mut removed = 0;
        for entry in entries {
            let path = entry.map_err(|source| Error::io("read", self.path, source))?.path();
            let stale = |name: &&str| name.ends_with(".parquet") && !self.names.contains(*name);
            let name = path.file_name().and_then(OsStr::to_str).filter(stale);
            if name.is_some_and(|name| is_of_series(&path, &self.mark_of(name))) {
                std::fs::remove_file(&path).map_err(|source| Error::io("remove", &path, source))?;
                removed += 1;
            }
        }
        Ok(removed)
    }
}

impl Drop for WindowFolder<'_> {
    /// Removes the new folder if no window was written, for example because the budget is too small.
    fn drop(&mut self) {
        if self.made {
            // Fails if the folder contains files.
            _ = std::fs::remove_dir(self.path);
        }
    }
}

/// Measures the disk of `folder`, by writing a temporary file to it: see [`outcrop_io::calibrate`].
///
/// # Errors
///
/// Returns [`Error::Usage`] if the folder is that of a store, or the errors of measuring.
pub fn calibrate(folder: &Path, file_bytes: u64, observer: &dyn Observer, cancel: &Cancellation) -> Result<Bandwidths> {
    require_own_place(folder)?;
    outcrop_io::calibrate(folder, file_bytes, observer, cancel)
}

/// Writes a page, such as the result of [`crate::RunRecord::to_html`], to a file of [`crate::create_output`], which
/// appears atomically.
///
/// # Errors
///
/// Returns an error if the file cannot be written.
pub fn write_report(page: &str, file: PendingFile) -> Result<()> {
    file.writer()?.write_all(page.as_bytes()).map_err(|source| Error::io("write", file.target(), source))?;
    file.publish()
}
