//! The folder of the checkpoints of a run, a build or a conversion, or of results: one file stands, and goes when the next does.

use crate::component::{Component, ComponentReader, ComponentWriter, FileEntry, StoreId, UNIT_BYTES, UnitSeal};
use outcrop_io::{FileLock, Folder, IoChoice, Storage};
use outcrop_types::{Error, Result, Stopwatch};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Contents of a folder, by the names of its files.
#[derive(Clone, Copy)]
pub struct Contents {
    /// The file while it is written.
    draft: &'static str,
    /// Names of the files that stand: this and a number.
    standing: &'static str,
    /// The file that is locked.
    lock: &'static str,
}

impl Contents {
    /// States of runs, builds and conversions.
    pub const CHECKPOINTS: Self = Self { draft: "checkpoint.tmp", standing: "checkpoint-", lock: "checkpoint.lock" };
    /// Results of runs.
    pub const RESULTS: Self = Self { draft: "result.tmp", standing: "result-", lock: "result.lock" };

    fn name(self, number: u64) -> String {
        format!("{}{number}", self.standing)
    }

    /// The seal of all that it holds: the first units say of what it is.
    fn seal(self) -> Result<UnitSeal> {
        Ok(UnitSeal::new(identity()?, self.draft))
    }
}

/// Part of the time that goes to saving at the most, but where it is asked for at each place: one so many'th.
const SHARE: u32 = 50;

/// Pace of saving: so seldom that it takes a small part of the time.
pub struct SavingPace {
    every: Duration,
    /// Time since the last save, and from it to the next.
    saved: Stopwatch,
    pause: Duration,
}

impl SavingPace {
    /// The first save as soon as `every` is over.
    pub fn new(every: Duration) -> Self {
        Self { every, saved: Stopwatch::start(), pause: every }
    }

    /// True once it is time for the next save.
    pub fn is_due(&self) -> bool {
        self.saved.elapsed() >= self.pause
    }

    /// Counts the time to the next save from now.
    pub fn begin(&mut self) {
        self.saved = Stopwatch::start();
    }

    /// Counts it from now, after a save that took so long.
    pub fn end(&mut self, took: Duration) {
        self.pause = if self.every.is_zero() { self.every } else { self.every.max(took * SHARE) };
        self.begin();
    }
}

/// A folder that nobody else writes to.
pub struct CheckpointFolder {
    storage: Box<dyn Storage>,
    path: PathBuf,
    contents: Contents,
    /// The number of the checkpoint that stands.
    standing: Option<u64>,
    _alone: FileLock,
}

fn identity() -> Result<StoreId> {
    StoreId::from_hex(&"0".repeat(32)).ok_or_else(|| Error::internal("checkpoints have no seal"))
}

impl CheckpointFolder {
    /// Opens the folder, or makes it; a draft that a killed process has left is removed, and all checkpoints but the newest.
    ///
    /// # Errors
    /// [`Error::InUse`] where another process saves to it; it cannot be made or written to.
    pub fn open(storage: Box<dyn Storage>, path: &Path, contents: Contents) -> Result<Self> {
        match std::fs::create_dir(path) {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
                return Err(Error::io("create", path, error));
            }
            _ => {}
        }
        let lock = path.join(contents.lock);
        let made = std::fs::File::options().create(true).append(true).open(&lock);
        made.map_err(|error| Error::io("create", &lock, error))?;
        let alone = FileLock::exclusive(&lock).map_err(|error| match error {
            Error::InUse { by, .. } => Error::in_use(path, by),
            error => error,
        })?;
        let mut folder = Self { storage, path: path.to_owned(), contents, standing: None, _alone: alone };
        let mut numbers = folder.tidy()?;
        folder.standing = numbers.pop();
        numbers.into_iter().try_for_each(|number| folder.remove(&contents.name(number)))?;
        Ok(folder)
    }

    /// Removes a draft; the numbers of the checkpoints, ascending.
    fn tidy(&self) -> Result<Vec<u64>> {
        let mut numbers = Vec::new();
        for found in Folder::open(&self.path)?.names()? {
            match found.to_str() {
                Some(name) if name == self.contents.draft => self.remove(name)?,
                Some(other) => {
                    let number = other.strip_prefix(self.contents.standing);
                    numbers.extend(number.and_then(|number| number.parse::<u64>().ok()));
                }
                None => {}
            }
        }
        numbers.sort_unstable();
        Ok(numbers)
    }

    fn remove(&self, name: &str) -> Result<()> {
        self.storage.remove_file(&self.path.join(name))
    }

    /// The error of a checkpoint that stands where nobody asked to go on from it.
    pub fn not_asked_for(&self) -> Error {
        let path = self.path.display();
        Error::Usage(format!("there is a checkpoint in {path}: say --resume to go on from it, or remove it"))
    }

    /// The error with the way out of a damaged checkpoint.
    pub fn damaged(error: Error) -> Error {
        error.with_remedy("remove it, and start from the beginning")
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A reader of the checkpoint that stands.
    ///
    /// # Errors
    /// It cannot be read, or is not made of whole units.
    pub fn read(&self) -> Result<Option<ComponentReader>> {
        let Some(number) = self.standing else { return Ok(None) };
        let device =
            outcrop_io::open_device(&self.path.join(self.contents.name(number)), IoChoice::Buffered, &mut |_| ())?;
        if device.is_empty() || !device.len().is_multiple_of(UNIT_BYTES as u64) {
            return Err(Self::damaged(Error::corrupt(device.path(), "it ends in the middle of a unit")));
        }
        let entry = FileEntry { name: self.contents.name(number), bytes: device.len(), checksum: String::new() };
        Component::on_device(device, &entry, (self.contents.seal()?, UNIT_BYTES))?.reader().map(Some)
    }

    /// Writes a checkpoint aside and puts it in the place of the one before; what fails leaves that standing.
    ///
    /// # Errors
    /// What `fill` returns; [`Error::DiskFull`]; [`Error::Io`].
    pub fn write(&mut self, fill: impl FnOnce(&mut ComponentWriter) -> Result<()>) -> Result<()> {
        let number = self.standing.map_or(0, |standing| standing.saturating_add(1));
        if let Err(error) = self.publish(fill, number) {
            // Nothing better can be done with a failure: the next to open the folder tries again.
            _ = self.remove(self.contents.draft);
            return Err(error);
        }
        match self.standing.replace(number) {
            Some(before) => self.remove(&self.contents.name(before)),
            None => Ok(()),
        }
    }

    fn publish(&self, fill: impl FnOnce(&mut ComponentWriter) -> Result<()>, number: u64) -> Result<()> {
        let mut writer = ComponentWriter::create(&*self.storage, &self.path, identity()?, self.contents.draft)?;
        fill(&mut writer)?;
        writer.finish()?;
        self.storage.rename(&self.path.join(self.contents.draft), &self.path.join(self.contents.name(number)))?;
        self.storage.sync_folder(&self.path)
    }

    /// Removes the checkpoint that stands, and the lock.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn clear(&mut self) -> Result<()> {
        if let Some(number) = self.standing.take() {
            self.remove(&self.contents.name(number))?;
        }
        self.remove(self.contents.lock)?;
        self.storage.sync_folder(&self.path)
    }
}
