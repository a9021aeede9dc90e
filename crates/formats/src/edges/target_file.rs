//! A file that appears under its name when it is complete.

use outcrop_types::{Error, Result};
use std::fs::{self, File};
use std::io::{BufWriter, ErrorKind, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile};

/// A file in the making, beside its target.
pub(crate) struct TargetFile {
    writer: BufWriter<NamedTempFile>,
    path: PathBuf,
    overwrite: bool,
}

impl TargetFile {
    /// # Errors
    /// A file that exists, unless `overwrite`; a folder that cannot be written to.
    pub(crate) fn create(path: &Path, overwrite: bool) -> Result<Self> {
        if !overwrite && fs::symlink_metadata(path).is_ok() {
            return Err(Error::AlreadyExists { path: path.to_owned() });
        }
        let folder = folder_of(path);
        let mut builder = Builder::new();
        builder.prefix(".outcrop-");
        allow_readers(&mut builder);
        let file = builder.tempfile_in(folder).map_err(|source| Error::io("create", path, source))?;
        Ok(Self { writer: BufWriter::with_capacity(1 << 18, file), path: path.to_owned(), overwrite })
    }

    /// Replaces the first bytes.
    pub(crate) fn rewrite_start(&mut self, bytes: &[u8]) -> Result<()> {
        let outcome = self.writer.seek(SeekFrom::Start(0)).and_then(|_| self.writer.write_all(bytes));
        outcome.map_err(|source| Error::io("write", &self.path, source))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Makes the content durable and puts the file in its place.
    pub(crate) fn publish(self) -> Result<()> {
        let Self { writer, path, overwrite } = self;
        let file = writer.into_inner().map_err(|error| Error::io("write", &path, error.into_error()))?;
        file.as_file().sync_all().map_err(|source| Error::io("sync", &path, source))?;
        let placed = if overwrite { file.persist(&path) } else { file.persist_noclobber(&path) };
        placed.map_err(|error| match error.error.kind() {
            ErrorKind::AlreadyExists => Error::AlreadyExists { path: path.clone() },
            _ => Error::io("rename", &path, error.error),
        })?;
        sync_folder(folder_of(&path))
    }
}

impl Write for TargetFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.writer.flush()
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn sync_folder(folder: &Path) -> Result<()> {
    let synced = File::open(folder).and_then(|folder| folder.sync_all());
    synced.map_err(|source| Error::io("sync", folder, source))
}

/// The permissions of an ordinary new file, not those of a secret.
#[cfg(unix)]
fn allow_readers(builder: &mut Builder<'_, '_>) {
    use std::os::unix::fs::PermissionsExt;
    builder.permissions(fs::Permissions::from_mode(0o666));
}

#[cfg(not(unix))]
fn allow_readers(_: &mut Builder<'_, '_>) {}
