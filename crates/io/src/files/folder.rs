//! Open folder, which stays the same even if another folder takes its name.

use super::lock::FileLock;
use super::stat::{is_plain, is_same};
use crate::device::{Device, IoChoice, Refusals, open_device_at};
use outcrop_types::{Error, Result};
use rustix::fs::{AtFlags, Dir, Mode, OFlags, fstat, openat, stat, statat, unlinkat};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Open folder. Its files are opened relative to it, without following links: all reads are from one folder, even if
/// another one takes its name meanwhile.
#[derive(Debug)]
pub struct Folder {
    fd: OwnedFd,
    named: PathBuf,
    place: PathBuf,
}

impl Folder {
    /// Opens the folder that `named` currently refers to, following links.
    ///
    /// # Errors
    ///
    /// Returns [`Error::NotFound`], or [`Error::Io`] if it is not a folder or not readable.
    pub fn open(named: &Path) -> Result<Self> {
        let failed = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::NotFound => Error::NotFound { path: named.to_owned(), hint: "" },
            _ => Error::io("open", named, error),
        };
        let place = std::fs::canonicalize(named).map_err(failed)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let fd = rustix::fs::open(&place, flags, Mode::empty()).map_err(|errno| failed(errno.into()))?;
        Ok(Self { fd, named: named.to_owned(), place })
    }

    /// Returns its path as given by the user, for messages.
    pub fn named(&self) -> &Path {
        &self.named
    }

    /// Returns its absolute path without links, for changing it.
    pub fn place(&self) -> &Path {
        &self.place
    }

    /// Returns true if its path still refers to it, not to a folder that replaced it.
    pub fn is_in_place(&self) -> bool {
        matches!((fstat(&self.fd), stat(&self.place)), (Ok(held), Ok(there)) if is_same(&held, &there))
    }

    /// Locks its file `name` in shared mode, without waiting; this needs no write permission.
    ///
    /// # Errors
    ///
    /// Returns [`Error::InUse`] if it is locked exclusively, [`Error::NotFound`] or [`Error::Io`].
    pub fn lock_shared(&self, name: &str) -> Result<FileLock> {
        FileLock::shared_at(self.fd.as_fd(), Path::new(name), &self.named.join(name))
    }

    /// Locks its file `name` exclusively; see [`FileLock::exclusive`].
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`FileLock::exclusive`].
    pub fn lock_exclusive(&self, name: &str) -> Result<FileLock> {
        FileLock::exclusive_at(self.fd.as_fd(), Path::new(name), &self.named.join(name))
    }

    /// Locks its file `name` exclusively, and creates it if there is none; returns `None` if it is already locked.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Io`].
    pub fn try_lock_created(&self, name: &str) -> Result<Option<FileLock>> {
        loop {
            let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
            let made = openat(&self.fd, name, flags, Mode::from_raw_mode(0o666));
            made.map_err(|errno| self.failed("lock", name, errno))?;
            match self.try_lock_exclusive(name) {
                // The process that had the lock has removed the file.
                Err(Error::NotFound { .. }) => {}
                outcome => return outcome,
            }
        }
    }

    /// Locks its file `name` exclusively; returns `None` if it is already locked.
    ///
    /// # Errors
    ///
    /// Returns [`Error::NotFound`] or [`Error::Io`].
    pub fn try_lock_exclusive(&self, name: &str) -> Result<Option<FileLock>> {
        FileLock::try_exclusive_at(self.fd.as_fd(), Path::new(name), &self.named.join(name))
    }

    /// Removes its file `name`, also if the folder has another name by now.
    ///
    /// # Errors
    ///
    /// Returns [`Error::NotFound`] or [`Error::Io`].
    pub fn remove(&self, name: &str) -> Result<()> {
        unlinkat(&self.fd, name, AtFlags::empty()).map_err(|errno| self.failed("remove", name, errno))
    }

    /// Opens its file `name` for reading; see [`crate::open_device`].
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`crate::open_device`].
    pub fn device(&self, name: &str, choice: IoChoice, note: &mut dyn FnMut(&str)) -> Result<Arc<dyn Device>> {
        open_device_at(self.fd.as_fd(), Path::new(name), &self.named.join(name), choice, Refusals::default(), note)
    }

    /// Returns the length of the regular file `name`; `None` if it is not a regular file.
    ///
    /// # Errors
    ///
    /// Returns [`Error::NotFound`] or [`Error::Io`].
    pub fn length(&self, name: &str) -> Result<Option<u64>> {
        let found =
            statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW).map_err(|errno| self.failed("access", name, errno))?;
        Ok(is_plain(&found).then_some(found.st_size.cast_unsigned()))
    }

    /// Reads the regular file `name`, at most `most` bytes of it.
    ///
    /// # Errors
    ///
    /// Returns [`Error::NotFound`] or [`Error::Io`].
    pub fn read(&self, name: &str, most: u64) -> Result<Vec<u8>> {
        // Opening a pipe would block until its other end is open.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let file = openat(&self.fd, name, flags, Mode::empty()).map_err(|errno| self.failed("read", name, errno))?;
        let mut bytes = Vec::new();
        let outcome = File::from(file).take(most).read_to_end(&mut bytes);
        outcome.map_err(|error| Error::io("read", self.named.join(name), error))?;
        Ok(bytes)
    }

    /// Returns the names of the entries, in any order. Files that were removed while they were open, which FUSE and NFS
    /// keep under another name, are not among them.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Io`] if the folder cannot be read.
    pub fn names(&self) -> Result<Vec<OsString>> {
        let failed = |errno: Errno| Error::io("list", &self.named, errno.into());
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.fd).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name != "." && name != ".." && !is_removed(name) {
                names.push(name.to_owned());
            }
        }
        Ok(names)
    }

    fn failed(&self, operation: &'static str, name: &str, errno: Errno) -> Error {
        let path = self.named.join(name);
        match errno {
            Errno::NOENT => Error::NotFound { path, hint: "" },
            errno => Error::io(operation, path, errno.into()),
        }
    }
}

/// Returns true for the names that FUSE and NFS give to files that were removed while they were open.
fn is_removed(name: &OsStr) -> bool {
    let name = name.as_bytes();
    [&b".fuse_hidden"[..], b".nfs"]
        .iter()
        .filter_map(|prefix| name.strip_prefix(*prefix))
        .any(|digits| matches!(digits.len(), 16 | 24) && digits.iter().all(u8::is_ascii_hexdigit))
}

/// Removes the folder `path` with all that it contains. Locks in it should be closed before: see
/// [`remove_emptied_folder`].
///
/// # Errors
///
/// Returns the error of the system if something cannot be removed.
pub(crate) fn remove_folder(path: &Path) -> std::io::Result<()> {
    match std::fs::remove_dir_all(path) {
        Err(error) if error.kind() == ErrorKind::DirectoryNotEmpty => remove_emptied_folder(path),
        outcome => outcome,
    }
}

/// Removes the folder `path`, which must be empty. On FUSE and NFS, files that were removed while they were open remain
/// under another name for some milliseconds after they are closed, for which this waits.
///
/// # Errors
///
/// Returns the error of the system if the folder has other files or cannot be removed.
pub fn remove_emptied_folder(path: &Path) -> std::io::Result<()> {
    let is_emptied = || Folder::open(path).and_then(|folder| folder.names()).is_ok_and(|names| names.is_empty());
    for _ in 0..100 {
        match std::fs::remove_dir(path) {
            Err(error) if error.kind() == ErrorKind::DirectoryNotEmpty && is_emptied() => {
                std::thread::sleep(Duration::from_millis(5));
            }
            outcome => return outcome,
        }
    }
    std::fs::remove_dir(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no O_NOFOLLOW | O_DIRECTORY")]
    fn an_emptied_folder_is_removed_once_hidden_files_are_gone() {
        let parent = tempfile::tempdir().unwrap();
        let [emptied, used] = ["emptied", "used"].map(|name| parent.path().join(name));
        let hidden = emptied.join(".fuse_hidden0000001200000001");
        folder_with(&hidden, "x");
        folder_with(&used.join(".nfs000000000000001200000001"), "x");
        folder_with(&used.join(".nfs-of-a-user"), "x");
        std::thread::scope(|scope| {
            scope.spawn(|| std::fs::remove_file(&hidden).unwrap());
            remove_emptied_folder(&emptied).unwrap();
        });
        assert_eq!(remove_emptied_folder(&used).unwrap_err().kind(), ErrorKind::DirectoryNotEmpty);
        assert!(!emptied.exists());
        assert_eq!(Folder::open(&used).unwrap().names().unwrap(), [".nfs-of-a-user"]);
    }

    fn folder_with(file: &Path, text: &str) {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no O_NOFOLLOW | O_DIRECTORY")]
    fn a_folder_is_read_after_another_has_taken_its_name() {
        let parent = tempfile::tempdir().unwrap();
        let [name, other, link] = ["a", "b", "link"].map(|name| parent.path().join(name));
        folder_with(&name.join("file"), "old");
        symlink(&name, &link).unwrap();
        let folder = Folder::open(&link).unwrap();
        assert_eq!((folder.named(), folder.place()), (link.as_path(), name.canonicalize().unwrap().as_path()));
        assert!(folder.is_in_place());
        std::fs::rename(&name, &other).unwrap();
        assert!(!folder.is_in_place());
        folder_with(&name.join("file"), "new one");
        folder_with(&name.join("another"), "");
        assert!(!folder.is_in_place());
        assert_eq!(folder.read("file", 100).unwrap(), b"old");
        assert_eq!((folder.length("file").unwrap(), folder.names().unwrap()), (Some(3), vec!["file".into()]));
        let device = folder.device("file", IoChoice::Buffered, &mut |_| ()).unwrap();
        assert_eq!((device.len(), device.path()), (3, link.join("file").as_path()));
        assert!(matches!(folder.device("another", IoChoice::Buffered, &mut |_| ()), Err(Error::NotFound { .. })));
        assert!(
            matches!(folder.lock_shared("another"), Err(Error::NotFound { path, .. }) if path == link.join("another"))
        );
        folder.lock_exclusive("file").unwrap();
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no O_NOFOLLOW | O_DIRECTORY")]
    fn links_in_a_folder_are_not_followed() {
        let parent = tempfile::tempdir().unwrap();
        folder_with(&parent.path().join("secret"), "x");
        folder_with(&parent.path().join("a/file"), "four");
        symlink("../secret", parent.path().join("a/link")).unwrap();
        let folder = Folder::open(&parent.path().join("a")).unwrap();
        assert_eq!((folder.length("link").unwrap(), folder.read("file", 2).unwrap()), (None, b"fo".to_vec()));
        assert!(folder.read("link", 100).is_err() && folder.lock_shared("link").is_err());
        assert!(folder.device("link", IoChoice::Buffered, &mut |_| ()).is_err());
        assert!(matches!(folder.read("absent", 1), Err(Error::NotFound { .. })));
        assert!(matches!(Folder::open(&parent.path().join("absent")), Err(Error::NotFound { .. })));
        assert!(matches!(Folder::open(&parent.path().join("secret")), Err(Error::Io { .. })));
    }
}
