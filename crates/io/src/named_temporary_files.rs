//! Temporary files with names, which survive the process if a checkpoint lists them.

use outcrop_types::{Error, Result};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Prefix of the names of the files: the tag of the folder and a number follow.
const NAMED: &str = "spill-";

/// Names of the temporary files of a folder.
#[derive(Debug)]
pub(crate) struct TemporaryNames {
    folder: PathBuf,
    /// Prefix of the names of its files, which identifies them.
    begin: String,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Number of the next file.
    next: u64,
    /// Files listed by the current checkpoint.
    standing: BTreeSet<String>,
    /// Files to be listed by the next checkpoint.
    coming: BTreeSet<String>,
}

/// Name of a file, which is removed with this value unless a checkpoint lists it.
#[derive(Debug)]
pub(crate) struct TemporaryName {
    names: Arc<TemporaryNames>,
    name: String,
}

impl TemporaryNames {
    /// Scans `folder`, and removes files with its `tag` that are not among `kept`.
    pub(crate) fn open(folder: &Path, tag: &str, kept: &[String]) -> Result<Self> {
        let begin = format!("{NAMED}{tag}-");
        let names = Self { folder: folder.to_owned(), begin, state: Mutex::default() };
        let failed = |error| Error::io("list", folder, error);
        let kept = kept.iter().filter(|name| names.number_of(name).is_some()).cloned();
        let mut state = State { standing: kept.collect(), ..State::default() };
        for found in std::fs::read_dir(folder).map_err(failed)? {
            let found = found.map_err(failed)?.file_name();
            let Some((name, number)) = found.to_str().and_then(|name| Some((name, names.number_of(name)?))) else {
                continue;
            };
            state.next = state.next.max(number.saturating_add(1));
            if !state.standing.contains(name) {
                names.remove(name)?;
            }
        }
        *names.state() = state;
        Ok(names)
    }

    /// Returns the files that the next checkpoint must list.
    pub(crate) fn coming(&self) -> Vec<String> {
        self.state().coming.iter().cloned().collect()
    }

    /// Makes the next checkpoint the current one: removes files that only the previous one listed.
    pub(crate) fn exchange(&self) -> Result<()> {
        let mut state = self.state();
        let coming = std::mem::take(&mut state.coming);
        let before = std::mem::replace(&mut state.standing, coming);
        before.difference(&state.standing).try_for_each(|name| self.remove(name))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Creates a file with a new name, for writing and reading.
    pub(crate) fn create(self: &Arc<Self>) -> Result<(File, TemporaryName)> {
        let number = {
            let mut state = self.state();
            state.next += 1;
            state.next - 1
        };
        let name = format!("{}{number}", self.begin);
        let path = self.folder.join(&name);
        let file = File::options().read(true).write(true).create_new(true).open(&path);
        let file = file.map_err(|error| Error::io("create", path, error))?;
        Ok((file, TemporaryName { names: Arc::clone(self), name }))
    }

    /// Opens the durable file `name` of `bytes` bytes for reading.
    pub(crate) fn reopen(self: &Arc<Self>, name: &str, bytes: u64) -> Result<(File, TemporaryName)> {
        let path = self.folder.join(name);
        let damaged = |message: String| {
            let remedy = "remove the checkpoint and start again";
            Error::corrupt(&path, message).with_remedy(remedy)
        };
        if self.number_of(name).is_none() {
            return Err(damaged("the checkpoint lists it, but it is not a temporary file".to_owned()));
        }
        let file = File::open(&path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => damaged("the checkpoint lists it, but it is missing".to_owned()),
            _ => Error::io("open", &path, error),
        })?;
        let found = file.metadata().map_err(|error| Error::io("inspect", &path, error))?.len();
        if found != bytes {
            return Err(damaged(format!("the checkpoint lists it with {bytes} bytes, but it has {found}")));
        }
        Ok((file, TemporaryName { names: Arc::clone(self), name: name.to_owned() }))
    }

    /// Returns the number in the name of a temporary file of this folder.
    fn number_of(&self, name: &str) -> Option<u64> {
        let digits = name.strip_prefix(&self.begin)?;
        let number = digits.parse().ok()?;
        (format!("{number}") == digits).then_some(number)
    }

    fn remove(&self, name: &str) -> Result<()> {
        let path = self.folder.join(name);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::io("remove", path, error)),
            _ => Ok(()),
        }
    }
}

impl TemporaryName {
    /// Adds the file to those that the next checkpoint lists; returns its name.
    pub(crate) fn keep(&self) -> String {
        self.names.state().coming.insert(self.name.clone());
        self.name.clone()
    }
}

impl Drop for TemporaryName {
    fn drop(&mut self) {
        let state = self.names.state();
        if !state.standing.contains(&self.name) && !state.coming.contains(&self.name) {
            // A failure is ignored: the next process that opens the folder tries again.
            _ = self.names.remove(&self.name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unnamed_temporary_files::SpillFolder;

    fn names_in(folder: &Path) -> BTreeSet<String> {
        let found = std::fs::read_dir(folder).unwrap();
        found.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    #[cfg_attr(miri, ignore = "writes 27 MB")]
    fn files_that_a_checkpoint_lists_outlive_the_process_and_others_do_not() {
        let dir = tempfile::tempdir().unwrap();
        let mine = ["mine", "spill-1", "spill-gat-2", "spill-tag-x"];
        mine.iter().for_each(|name| std::fs::write(dir.path().join(name), "mine").unwrap());
        let contents: Vec<u8> = (0..9_000_000_u32).map(|place| (place % 251) as u8).collect();
        let written = |folder: &SpillFolder| {
            let mut writer = folder.create().unwrap();
            contents.chunks(1 << 20).for_each(|piece| writer.write(piece).unwrap());
            writer.finish().unwrap()
        };
        let folder = SpillFolder::keeping(dir.path(), "tag", &[]).unwrap();
        let (first, second) = (written(&folder), written(&folder));
        let kept = first.keep().unwrap();
        let listed = folder.to_keep();
        folder.keep().unwrap();
        drop((first, second));
        assert_eq!(names_in(dir.path()).len(), mine.len() + 1);
        let third = written(&folder).keep().unwrap();
        drop(folder);

        let folder = SpillFolder::keeping(dir.path(), "tag", &listed).unwrap();
        assert!(matches!(folder.reopen(&third), Err(Error::Corrupt { .. })));
        let (mut read, mut buffer) = (folder.reopen(&kept).unwrap().open().unwrap(), vec![0; contents.len()]);
        read.read_exact(&mut buffer).unwrap();
        assert!(buffer == contents);
        folder.keep().unwrap();
        drop((read, folder));
        assert_eq!(names_in(dir.path()), mine.map(str::to_owned).into());
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri cannot read at a position")]
    fn a_kept_file_that_is_damaged_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let folder = SpillFolder::keeping(dir.path(), "tag", &[]).unwrap();
        let mut writer = folder.create().unwrap();
        writer.write(&[7; 40_000]).unwrap();
        let kept = writer.finish().unwrap().keep().unwrap();
        let listed = folder.to_keep();
        folder.keep().unwrap();
        let path = dir.path().join(&listed[0]);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[20_000] ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        let read = |folder: &SpillFolder| folder.reopen(&kept)?.open()?.read_exact(&mut [0; 40_000]);
        assert!(matches!(read(&folder), Err(Error::Corrupt { .. })));
        std::fs::write(&path, &bytes[..1000]).unwrap();
        assert!(matches!(read(&folder), Err(Error::Corrupt { .. })));
    }
}
