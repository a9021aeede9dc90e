//! Files that results, reports and edges are written to.

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

/// Creates the file for a result or a report before the work begins, so that a file that cannot be written costs no
/// work. It appears as `path` once it is complete.
///
/// # Errors
/// What [`PendingFile::create`] refuses.
pub fn create_output(path: &Path, overwrite: bool) -> Result<PendingFile> {
    PendingFile::create(path, overwrite)
}

/// A folder with a Parquet file for each window of a series.
pub struct WindowFolder<'f> {
    path: &'f Path,
    /// True if the folder was not there before.
    made: bool,
    names: HashSet<String>,
    overwrite: bool,
    /// The graph and the algorithm of the series: only files of the same are removed.
    series: String,
    /// Keeps other series away; none if the file system cannot lock folders.
    _alone: Option<FileLock>,
}

impl<'f> WindowFolder<'f> {
    /// Makes the folder, where it is not there, for the files of a run on windows with these `starts`, and keeps other
    /// series out of it.
    ///
    /// # Errors
    /// [`Error::Usage`] for a folder in that of a store; its parent is not there; a file stands at its place;
    /// [`Error::AlreadyExists`] for the first file that exists, unless files are to be replaced; [`Error::InUse`] where
    /// another series writes to it.
    pub fn create(
        path: &'f Path,
        (graph, request): (&Graph, &RunRequest<'_>),
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

    /// Mark of the file of the window from `start` on: of what it is, and its name, so that a copy under another name
    /// is known as one.
    pub fn mark(&self, start: &str) -> String {
        self.mark_of(&Self::name(start))
    }

    fn mark_of(&self, name: &str) -> String {
        format!("{} {name}", self.series)
    }

    /// Makes the window from `start` on one without a result, so that its file of an earlier series is stale.
    pub fn skip(&mut self, start: &str) {
        _ = self.names.remove(&Self::name(start));
    }

    /// Creates the file of the window from `start` on.
    ///
    /// # Errors
    /// As for [`create_output`].
    pub fn file(&self, start: &str) -> Result<PendingFile> {
        create_output(&self.path.join(Self::name(start)), self.overwrite)
    }

    /// Removes the files of windows of earlier series of the same graph and algorithm that are none of this one, where
    /// files are to be replaced; their number. Other files stay.
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
            // Refused where there are files in it.
            _ = std::fs::remove_dir(self.path);
        }
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

/// Writes a page, such as [`crate::RunRecord::to_html`] makes, to a file of [`crate::create_output`], which appears
/// whole or not at all.
///
/// # Errors
/// It cannot be written.
pub fn write_report(page: &str, file: PendingFile) -> Result<()> {
    file.writer()?.write_all(page.as_bytes()).map_err(|source| Error::io("write", file.target(), source))?;
    file.publish()
}
