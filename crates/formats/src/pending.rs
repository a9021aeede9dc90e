//! File that appears under its name only when it is complete.

use outcrop_store::require_own_place;
use outcrop_types::{Error, Result};
use rustix::fs::{AtFlags, CWD, FlockOperation, Mode, OFlags, flock, linkat, open};
use rustix::io::Errno;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use tempfile::TempPath;
use xxhash_rust::xxh3::xxh3_64;

/// Number of temporary names per target, and thus of concurrent writers.
const NAMES: u32 = 8;

/// Unpublished file in the folder of its target. It has no name until it is published, so no file remains however the
/// process ends. On file systems without unnamed files, and for overwriting a file, it has a temporary name. Dropping
/// it removes it.
///
/// A temporary name identifies its target, and the writer locks the file. The next writer of the same target recognizes
/// the leftover of a killed process by both and removes it.
#[derive(Debug)]
pub struct PendingFile {
    file: File,
    /// Temporary name, if it has one.
    name: Option<TempPath>,
    target: PathBuf,
    overwrite: bool,
}

impl PendingFile {
    /// Creates the file, with the permissions of any new file in the folder.
    ///
    /// # Errors
    ///
    /// Returns [`Error::AlreadyExists`] if the file exists and may not be overwritten, [`Error::Usage`] if the target
    /// is not a file or is inside a store, [`Error::NotFound`] if the folder does not exist, or an error if the file
    /// cannot be created.
    pub fn create(target: &Path, overwrite: bool) -> Result<Self> {
        check_target(target, overwrite)?;
        require_own_place(target)?;
        temporary_names(target).for_each(|name| remove_abandoned(&name));
        match nameless(folder_of(target)) {
            Some(file) => Ok(Self { file, name: None, target: target.into(), overwrite }),
            None => Self::named(target, overwrite),
        }
    }

    /// Creates the file with a temporary name in all cases.
    fn named(target: &Path, overwrite: bool) -> Result<Self> {
        let folder = folder_of(target);
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let made = with_temporary_name(target, |name| still_named(locked(open(name, flags, NEW_FILE)?.into())?));
        let (file, name) = made.map_err(|source| match source.kind() {
            ErrorKind::NotFound if !folder.exists() => {
                Error::NotFound { path: folder.into(), hint: "; create the folder first" }
            }
            _ => Error::io("create a file in", folder, source),
        })?;
        Ok(Self { file, name: Some(name), target: target.into(), overwrite })
    }

    /// Returns the name that the file will have.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Returns a handle for writing.
    ///
    /// # Errors
    ///
    /// Returns an error if the handle cannot be duplicated.
    pub fn writer(&self) -> Result<File> {
        self.file.try_clone().map_err(|source| Error::io("open", &self.target, source))
    }

    /// Makes the content durable and gives the file its name.
    ///
    /// # Errors
    ///
    /// Returns [`Error::AlreadyExists`] if a file with the name has appeared in the meantime, or an error if writing
    /// fails.
    pub fn publish(self) -> Result<()> {
        let Self { file, name, target, overwrite } = self;
        file.sync_all().map_err(|source| Error::io("sync", &target, source))?;
        let placed = match (name, overwrite) {
            (Some(name), true) => persist(name, &target),
            (Some(name), false) => persist_new(name, &target),
            (None, true) => link_over(&file, &target),
            (None, false) => link(&file, &target),
        };
        placed.map_err(|source| match source.kind() {
            ErrorKind::AlreadyExists => Error::AlreadyExists { path: target.clone() },
            _ => Error::io("create", &target, source),
        })?;
        sync_folder(folder_of(&target))
    }
}

/// Mode of a new file, before the process's umask is applied.
const NEW_FILE: Mode = Mode::from_raw_mode(0o666);

/// Creates a locked file without a name in `folder`, which can be named later; returns `None` if that is impossible.
#[cfg(target_os = "linux")]
fn nameless(folder: &Path) -> Option<File> {
    let file: File = open(folder, OFlags::RDWR | OFlags::TMPFILE | OFlags::CLOEXEC, NEW_FILE).ok()?.into();
    // Without /proc, the file cannot be linked.
    fs::metadata(handle_of(&file)).ok()?;
    locked(file).ok()
}

/// Returns `None`: only Linux supports unnamed files.
#[cfg(not(target_os = "linux"))]
fn nameless(_: &Path) -> Option<File> {
    None
}

fn handle_of(file: &File) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

/// Names an unnamed file; fails if a file with the name exists.
fn link(file: &File, name: &Path) -> io::Result<()> {
    Ok(linkat(CWD, handle_of(file), CWD, name, AtFlags::SYMLINK_FOLLOW)?)
}

/// Names an unnamed file, replacing the file with that name.
fn link_over(file: &File, target: &Path) -> io::Result<()> {
    match link(file, target) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let ((), name) = with_temporary_name(target, |name| link(file, name))?;
            persist(name, target)
        }
        linked => linked,
    }
}

fn persist(name: TempPath, target: &Path) -> io::Result<()> {
    name.persist(target).map_err(|failure| failure.error)
}

/// Renames without replacing, also on file systems that cannot do both in one step.
fn persist_new(name: TempPath, target: &Path) -> io::Result<()> {
    name.persist_noclobber(target).or_else(|failure| {
        let absent = fs::symlink_metadata(target).is_err_and(|error| error.kind() == ErrorKind::NotFound);
        if absent { persist(failure.path, target) } else { Err(failure.error) }
    })
}

/// Returns the possible temporary names of files for `target`.
fn temporary_names(target: &Path) -> impl Iterator<Item = PathBuf> {
    // Default: opening a path without a name fails later.
    let mark = xxh3_64(target.file_name().unwrap_or_default().as_encoded_bytes());
    let folder = folder_of(target).to_owned();
    (0..NAMES).map(move |number| folder.join(format!(".outcrop-{mark:016x}-{number}.tmp")))
}

/// Creates an item under the first unused temporary name.
fn with_temporary_name<T>(target: &Path, mut make: impl FnMut(&Path) -> io::Result<T>) -> io::Result<(T, TempPath)> {
    for name in temporary_names(target) {
        match make(&name) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            made => return Ok((made?, TempPath::try_from_path(name)?)),
        }
    }
    Err(io::Error::new(ErrorKind::ResourceBusy, "another process writes the same file"))
}

/// Locks the file to mark it as in use. On file systems without locks, files stay unlocked and none counts as
/// abandoned.
fn locked(file: File) -> io::Result<File> {
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Err(Errno::WOULDBLOCK) => Err(ErrorKind::AlreadyExists.into()),
        _ => Ok(file),
    }
}

/// Returns the file, unless another writer removed it as abandoned before it was locked.
fn still_named(file: File) -> io::Result<File> {
    if file.metadata()?.nlink() > 0 { Ok(file) } else { Err(ErrorKind::AlreadyExists.into()) }
}

/// Removes the file of a killed writer: one with our name pattern and owner, and unlocked. On any failure, the file
/// stays.
fn remove_abandoned(name: &Path) {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let Ok(file) = open(name, flags, Mode::empty()).map(File::from) else { return };
    let Ok(found) = file.metadata() else { return };
    let ours = found.is_file() && found.uid() == rustix::process::geteuid().as_raw();
    if ours && flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok() {
        let same = |now: fs::Metadata| (now.dev(), now.ino()) == (found.dev(), found.ino());
        if fs::symlink_metadata(name).is_ok_and(same) {
            _ = fs::remove_file(name);
        }
    }
}

fn check_target(target: &Path, overwrite: bool) -> Result<()> {
    if target.file_name().is_none() {
        return Err(Error::Usage(format!("`{}` is not a valid file name", target.display())));
    }
    match fs::symlink_metadata(target) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(Error::io("access", target, error)),
        Ok(_) if !overwrite => Err(Error::AlreadyExists { path: target.into() }),
        Ok(found) if found.is_file() || found.is_symlink() => Ok(()),
        Ok(_) => Err(Error::Usage(format!("{} is not a file and cannot be overwritten", target.display()))),
    }
}

fn folder_of(target: &Path) -> &Path {
    target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn sync_folder(folder: &Path) -> Result<()> {
    File::open(folder).and_then(|opened| opened.sync_all()).map_err(|source| Error::io("sync", folder, source))
}

#[cfg(test)]
mod tests;
