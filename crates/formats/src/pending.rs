//! A file that appears under its name whole, or not at all.

use outcrop_types::{Error, Result};
use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile, PersistError};

/// A temporary file beside the file that it is to become; dropping it removes it.
#[derive(Debug)]
pub struct PendingFile {
    file: NamedTempFile,
    target: PathBuf,
    permissions: Permissions,
    overwrite: bool,
}

impl PendingFile {
    /// Makes the temporary file, readable by its owner alone until it is published.
    ///
    /// # Errors
    /// [`Error::AlreadyExists`] for an existing file that is not to be replaced, [`Error::Usage`] for what is no file,
    /// [`Error::NotFound`] where the folder does not exist, and failures of creating a file in it.
    pub fn create(target: &Path, overwrite: bool) -> Result<Self> {
        check_target(target, overwrite)?;
        let folder = folder_of(target);
        let failed = |source: io::Error| match source.kind() {
            ErrorKind::NotFound => Error::NotFound { path: folder.into(), hint: "; make the folder first" },
            _ => Error::io("create a file in", folder, source),
        };
        let permissions = default_permissions(folder).map_err(failed)?;
        let file = temporary(0o600, folder).map_err(failed)?;
        Ok(Self { file, target: target.into(), permissions, overwrite })
    }

    /// A handle to write through.
    ///
    /// # Errors
    /// The system gives no further handle.
    pub fn writer(&self) -> Result<File> {
        self.file.as_file().try_clone().map_err(|source| self.failed("open", source))
    }

    /// Makes the content durable and gives the file its name.
    ///
    /// # Errors
    /// [`Error::AlreadyExists`] where a file has appeared meanwhile, failures of writing.
    pub fn publish(self) -> Result<()> {
        let file = self.file.as_file();
        file.set_permissions(self.permissions.clone())
            .map_err(|source| self.failed("set the permissions of", source))?;
        file.sync_all().map_err(|source| self.failed("sync", source))?;
        let target = self.target.clone();
        self.rename().map_err(|source| match source.kind() {
            ErrorKind::AlreadyExists => Error::AlreadyExists { path: target.clone() },
            _ => Error::io("create", &target, source),
        })?;
        sync_folder(folder_of(&target))
    }

    fn rename(self) -> io::Result<()> {
        let renamed =
            if self.overwrite { self.file.persist(&self.target) } else { persist_new(self.file, &self.target) };
        renamed.map(drop).map_err(|failure| failure.error)
    }

    fn failed(&self, operation: &'static str, source: io::Error) -> Error {
        Error::io(operation, &self.target, source)
    }
}

/// Renames without replacing, also on file systems that cannot do both in one step.
fn persist_new(file: NamedTempFile, target: &Path) -> Result<File, PersistError> {
    file.persist_noclobber(target).or_else(|failure| {
        let absent = fs::symlink_metadata(target).is_err_and(|error| error.kind() == ErrorKind::NotFound);
        if absent { failure.file.persist(target) } else { Err(failure) }
    })
}

fn check_target(target: &Path, overwrite: bool) -> Result<()> {
    if target.file_name().is_none() {
        return Err(Error::Usage(format!("`{}` is no name for a file", target.display())));
    }
    match fs::symlink_metadata(target) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(Error::io("look at", target, error)),
        Ok(_) if !overwrite => Err(Error::AlreadyExists { path: target.into() }),
        Ok(found) if found.is_file() || found.is_symlink() => Ok(()),
        Ok(_) => Err(Error::Usage(format!("{} is no file that could be replaced", target.display()))),
    }
}

fn folder_of(target: &Path) -> &Path {
    target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn temporary(mode: u32, folder: &Path) -> io::Result<NamedTempFile> {
    let permissions = Permissions::from_mode(mode);
    Builder::new().prefix(".outcrop-").suffix(".tmp").permissions(permissions).tempfile_in(folder)
}

/// What a new file in `folder` would get, found by making one: the process's mask cannot be read without setting it.
fn default_permissions(folder: &Path) -> io::Result<Permissions> {
    Ok(temporary(0o666, folder)?.as_file().metadata()?.permissions())
}

fn sync_folder(folder: &Path) -> Result<()> {
    File::open(folder).and_then(|opened| opened.sync_all()).map_err(|source| Error::io("sync", folder, source))
}
