//! Temporary folders, removed with their process however it ends: the next process that creates one in the same place
//! removes those of killed processes.

use super::folder::remove_folder;
use super::lock::FileLock;
use outcrop_types::{Error, Result};
use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// Prefix of the names of temporary folders; random letters and digits follow.
const PREFIX: &str = "outcrop-tmp-";
/// Number of random characters.
const RANDOM: usize = 12;
/// File that is locked as long as the folder is in use, and its content.
const MARKER: &str = "outcrop-temporary";
const LINE: &[u8] = b"outcrop temporary files\n";

/// Folder that is removed when this value is dropped. After a kill, it remains until the next one is created in the
/// same place.
#[derive(Debug)]
pub struct TemporaryFolder {
    path: PathBuf,
    /// Process that created it: forked processes do not remove it.
    process: u32,
    lock: Option<FileLock>,
}

impl TemporaryFolder {
    /// Creates a folder in `parent`, and removes those of killed processes.
    ///
    /// # Errors
    ///
    /// Returns [`Error::NotFound`] if `parent` does not exist, [`Error::Io`] or [`Error::DiskFull`].
    pub fn create_in(parent: &Path) -> Result<Self> {
        sweep(parent);
        let failed = |error: std::io::Error| match error.kind() {
            ErrorKind::NotFound => Error::NotFound { path: parent.to_owned(), hint: "; create the folder first" },
            _ => Error::io("create a temporary folder in", parent, error),
        };
        let made = tempfile::Builder::new().prefix(PREFIX).rand_bytes(RANDOM).tempdir_in(parent).map_err(failed)?;
        let marker = made.path().join(MARKER);
        let mut file = fs::File::create_new(&marker).map_err(failed)?;
        // The line identifies the folder as temporary, so it is written once the file is locked.
        let lock = FileLock::exclusive(&marker)?;
        file.write_all(LINE).and_then(|()| file.sync_all()).map_err(failed)?;
        Ok(Self { path: made.keep(), process: std::process::id(), lock: Some(lock) })
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        if let Some(lock) = self.lock.take()
            && self.process == std::process::id()
        {
            remove(&self.path, lock);
        }
    }
}

/// Removes the folders in `parent` with our name and marker that are unlocked. Failures are retried next time.
fn sweep(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let named = entry.file_name().to_str().and_then(|name| name.strip_prefix(PREFIX)).is_some_and(is_random);
        if !named || !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        let marker = entry.path().join(MARKER);
        let mut found = Vec::new();
        let read = fs::File::open(&marker).and_then(|file| file.take(64).read_to_end(&mut found));
        // Without the line, the folder may be under construction: its creator must find the marker unlocked.
        if read.is_ok()
            && found == LINE
            && let Ok(Some(lock)) = FileLock::try_exclusive(&marker)
        {
            remove(&entry.path(), lock);
        }
    }
}

fn is_random(text: &str) -> bool {
    text.len() == RANDOM && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Removes a folder, the marker last: after a kill, the next sweep continues. Closes the lock before that, since FUSE
/// and NFS keep files that are open.
fn remove(folder: &Path, lock: FileLock) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name() != MARKER {
            // A failure is ignored.
            _ = match entry.file_type() {
                Ok(kind) if kind.is_dir() => fs::remove_dir_all(entry.path()),
                _ => fs::remove_file(entry.path()),
            };
        }
    }
    drop(lock);
    _ = remove_folder(folder);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no openat")]
    fn what_a_killed_process_has_left_is_removed_by_the_next_and_nothing_else() {
        let parent = tempfile::tempdir().unwrap();
        let make = |name: &str, line: &str| {
            let folder = parent.path().join(name);
            fs::create_dir_all(folder.join("store/deep")).unwrap();
            fs::write(folder.join("store/deep/file"), "x").unwrap();
            fs::write(folder.join(MARKER), line).unwrap();
        };
        let line = std::str::from_utf8(LINE).unwrap();
        make("outcrop-tmp-0123456789ab", line);
        make("outcrop-tmp-mine", line);
        make("outcrop-tmp-0123456789ac", "mine");
        fs::create_dir(parent.path().join("outcrop-tmp-0123456789ad")).unwrap();
        let held = TemporaryFolder::create_in(parent.path()).unwrap();
        let mut expected = vec!["outcrop-tmp-0123456789ac", "outcrop-tmp-0123456789ad", "outcrop-tmp-mine"];
        let before = names(parent.path());
        assert!(expected.iter().all(|name| before.contains(&(*name).to_owned())) && before.len() == 4, "{before:?}");
        let next = TemporaryFolder::create_in(parent.path()).unwrap();
        fs::create_dir(held.path().join("store")).unwrap();
        drop((held, next));
        expected.sort_unstable();
        assert_eq!(names(parent.path()), expected);
        assert!(matches!(TemporaryFolder::create_in(&parent.path().join("absent")), Err(Error::NotFound { .. })));
    }
}
