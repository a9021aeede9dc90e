//! Folder with the checkpoints of a run, a build or a conversion, or with results: it contains one complete file, which
//! the next one replaces.

use crate::component::{Component, ComponentReader, ComponentWriter, FileEntry, StoreId, UNIT_BYTES, UnitSeal};
use crate::owned::{Marker, require_own_place};
use bytemuck::{Pod, Zeroable};
use outcrop_io::{Disk, FileLock, Folder, IoChoice, Storage};
use outcrop_types::{Cancellation, Error, Result, Stopwatch, length_from};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Kind of content of a folder, with the names of its files.
#[derive(Clone, Copy)]
pub struct Contents {
    /// Prefix of the name of an incomplete file; the identity of the folder follows.
    draft: &'static str,
    /// Prefix of the names of complete files; a number follows.
    standing: &'static str,
    /// Lock file, which also identifies the kind and identity of the folder.
    marker: Marker,
}

impl Contents {
    /// States of runs, builds and conversions.
    pub const CHECKPOINTS: Self =
        Self { draft: "checkpoint.tmp-", standing: "checkpoint-", marker: Marker::CHECKPOINTS };
    /// Results of runs.
    pub const RESULTS: Self = Self { draft: "result.tmp-", standing: "result-", marker: Marker::RESULTS };

    fn name(self, number: u64) -> String {
        format!("{}{number}", self.standing)
    }

    /// Returns the number in the name of a complete file.
    fn number_of(self, name: &str) -> Option<u64> {
        let number = name.strip_prefix(self.standing)?.parse().ok()?;
        (self.name(number) == name).then_some(number)
    }

    /// Returns the seal of the last unit of each file.
    fn seal_of_footers(self) -> Result<UnitSeal> {
        let none = || Error::internal("the checkpoint footer has no seal");
        Ok(UnitSeal::new(StoreId::from_hex(&"0".repeat(32)).ok_or_else(none)?, self.standing))
    }

    /// Returns the text of the marker in the folder `identity`, which a process may have created.
    fn text(self, identity: StoreId, created: bool) -> String {
        format!("{}{}\n{}", self.marker.line, identity.to_hex(), if created { CREATED } else { "" })
    }
}

/// Last line of the marker in a folder that did not exist before: it may be removed.
const CREATED: &str = "folder created\n";
const MAGIC: [u8; 8] = *b"outcsave";

/// Last unit of a file, which describes the other units. These are sealed with a random number per file, so that a unit
/// of another file never passes as valid.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Footer {
    magic: [u8; 8],
    /// Identity of the folder, and the number in the name of the file.
    folder: [u8; 16],
    number: u64,
    /// Random number that seals the units before this one, their count, and the digest of their checksums.
    seal: [u8; 16],
    units: u64,
    digest: u64,
}

/// Reciprocal of the maximum fraction of time spent on saving, unless saves are requested at every opportunity.
const SHARE: u32 = 50;

/// Pacing of saves, so that they take a small fraction of the time.
pub struct SavingPace {
    every: Duration,
    /// Time since the last save, and pause until the next.
    saved: Stopwatch,
    pause: Duration,
}

impl SavingPace {
    /// Creates a pace with the first save after `every`.
    pub fn new(every: Duration) -> Self {
        Self { every, saved: Stopwatch::start(), pause: every }
    }

    /// Returns true once the next save is due.
    pub fn is_due(&self) -> bool {
        self.saved.elapsed() >= self.pause
    }

    /// Restarts the time until the next save.
    pub fn begin(&mut self) {
        self.saved = Stopwatch::start();
    }

    /// Restarts the time after a save of duration `took`.
    pub fn end(&mut self, took: Duration) {
        self.pause = if self.every.is_zero() { self.every } else { self.every.max(took * SHARE) };
        self.begin();
    }
}

/// Checkpoint folder with an exclusive lock.
pub struct CheckpointFolder {
    storage: Box<dyn Storage>,
    path: PathBuf,
    contents: Contents,
    identity: StoreId,
    /// True if the folder did not exist before its first checkpoint.
    created: bool,
    /// Numbers of the current checkpoint and of the next one.
    standing: Option<u64>,
    next: u64,
    /// Exclusive lock of the folder; `None` after it is cleared.
    alone: Option<FileLock>,
}

impl CheckpointFolder {
    /// Opens or creates the folder; removes drafts of killed processes and all checkpoints except the newest. Never
    /// removes foreign files.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Usage`] if the folder is neither empty nor of this kind, or is inside a store, [`Error::InUse`]
    /// if another process saves to it, or an error if it cannot be created or written, or if the newest checkpoint is
    /// damaged.
    pub fn open(storage: Box<dyn Storage>, path: &Path, contents: Contents) -> Result<Self> {
        require_own_place(path)?;
        let created = match Disk.create_folder(path) {
            Err(Error::AlreadyExists { .. }) if !path.is_dir() => {
                let (path, kind) = (path.display(), contents.marker.kind);
                return Err(Error::Usage(format!(
                    "{path} is a file, but a {kind} is needed; choose an empty or new folder"
                )));
            }
            Err(Error::AlreadyExists { .. }) => false,
            Ok(()) => true,
            Err(error) => return Err(error),
        };
        let (alone, identity, created) = claim(&*storage, path, contents, created)?;
        let (standing, alone) = (None, Some(alone));
        let mut folder = Self { storage, path: path.to_owned(), contents, identity, created, standing, next: 0, alone };
        folder.tidy()?;
        Ok(folder)
    }

    /// Finds the newest checkpoint, and removes older ones and drafts.
    fn tidy(&mut self) -> Result<()> {
        let (mut numbers, draft) = (Vec::new(), self.draft_name());
        for found in Folder::open(&self.path)?.names()? {
            match found.to_str() {
                Some(name) if name == draft => self.remove(name)?,
                Some(other) => numbers.extend(self.contents.number_of(other)),
                None => {}
            }
        }
        numbers.sort_unstable();
        self.standing = numbers.pop();
        self.next = self.standing.map_or(0, |number| number.saturating_add(1));
        if let Some(number) = self.standing {
            self.footer(number)?;
        }
        let older = numbers.into_iter().filter(|number| self.footer(*number).is_ok()).collect::<Vec<_>>();
        older.into_iter().try_for_each(|number| self.remove(&self.contents.name(number)))
    }

    fn draft_name(&self) -> String {
        format!("{}{}", self.contents.draft, self.tag())
    }

    /// Returns a text that identifies files without checksums as part of this folder.
    pub(crate) fn tag(&self) -> String {
        let mut tag = self.identity.to_hex();
        tag.truncate(16);
        tag
    }

    fn remove(&self, name: &str) -> Result<()> {
        self.storage.remove_file(&self.path.join(name))
    }

    /// Returns the error for an existing checkpoint if the run does not request to resume.
    pub fn resume_not_requested(&self) -> Error {
        let path = self.path.display();
        Error::Usage(format!("{path} contains a checkpoint; use --resume to continue from it, or remove it"))
    }

    /// Adds advice to the error of a damaged checkpoint.
    pub fn damaged(error: Error) -> Error {
        error.with_remedy("remove it and start again")
    }

    /// Returns a reader of the current checkpoint, after verifying all of it.
    ///
    /// # Errors
    ///
    /// Returns an error if the checkpoint cannot be read or is damaged.
    pub fn read(&self) -> Result<Option<ComponentReader>> {
        let Some(number) = self.standing else { return Ok(None) };
        let (component, footer) = self.footer(number)?;
        let seal = UnitSeal::new(StoreId::from_bytes(footer.seal), self.contents.standing);
        let mut reader = component.sealed_with(seal).without_last_unit().reader()?;
        let (name, bytes) = (self.contents.name(number), footer.units * UNIT_BYTES as u64);
        let entry = FileEntry { name, bytes, checksum: format!("{:016x}", footer.digest) };
        reader.verify(&entry, &Cancellation::new(), |_| ()).map_err(Self::damaged)?;
        Ok(Some(reader))
    }

    fn footer(&self, number: u64) -> Result<(Component, Footer)> {
        let (component, footer) = footer_of(&self.path.join(self.contents.name(number)), self.contents)?;
        if (footer.folder, footer.number) == (self.identity.to_bytes(), number) {
            return Ok((component, footer));
        }
        Err(Self::damaged(Error::corrupt(component.path(), "it was written to another folder or under another name")))
    }

    /// Writes a new checkpoint and then replaces the previous one; on failure, the previous one remains.
    ///
    /// # Errors
    ///
    /// Returns the error of `fill`, [`Error::DiskFull`] or [`Error::Io`].
    pub fn write(&mut self, fill: impl FnOnce(&mut ComponentWriter) -> Result<()>) -> Result<()> {
        let number = self.next;
        if let Err(error) = self.publish(fill, number) {
            // A failure is ignored: the next process that opens the folder tries again.
            _ = self.remove(&self.draft_name());
            return Err(error);
        }
        self.next = number.saturating_add(1);
        match self.standing.replace(number) {
            Some(before) => self.remove(&self.contents.name(before)),
            None => Ok(()),
        }
    }

    fn publish(&self, fill: impl FnOnce(&mut ComponentWriter) -> Result<()>, number: u64) -> Result<()> {
        let (seal, draft) = (StoreId::random()?, self.path.join(self.draft_name()));
        let name = self.contents.standing;
        let mut writer = ComponentWriter::on_file(self.storage.create(&draft)?, name, UnitSeal::new(seal, name));
        fill(&mut writer)?;
        writer.finish_unit()?;
        let (units, digest) = (writer.units(), writer.digest());
        let (folder, seal) = (self.identity.to_bytes(), seal.to_bytes());
        writer.seal_with(self.contents.seal_of_footers()?);
        writer.write(bytemuck::bytes_of(&Footer { magic: MAGIC, folder, number, seal, units, digest }))?;
        writer.finish()?;
        self.storage.rename(&draft, &self.path.join(self.contents.name(number)))?;
        self.storage.sync_folder(&self.path)
    }

    /// Removes the marker and then the current checkpoint, which identifies the folder until the end, and the folder if
    /// it is then empty and did not exist before. Does nothing if the folder is already cleared.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Io`] if a file cannot be removed.
    pub fn clear(&mut self) -> Result<()> {
        let Some(alone) = self.alone.take() else { return Ok(()) };
        self.remove(self.contents.marker.name)?;
        if let Some(number) = self.standing.take() {
            self.remove(&self.contents.name(number))?;
        }
        self.storage.sync_folder(&self.path)?;
        drop(alone);
        if self.created {
            // Fails if the folder contains other files, or cannot be removed: it then stays.
            _ = outcrop_io::remove_emptied_folder(&self.path);
        }
        Ok(())
    }
}

/// Returns the component of a checkpoint and its last unit.
fn footer_of(path: &Path, contents: Contents) -> Result<(Component, Footer)> {
    let damaged = |error| CheckpointFolder::damaged(error);
    let device = outcrop_io::open_device(path, IoChoice::Buffered, &mut |_| ())?;
    if device.is_empty() || !device.len().is_multiple_of(length_from(UNIT_BYTES)) {
        return Err(damaged(Error::corrupt(path, "it ends within a unit")));
    }
    let entry = FileEntry { name: String::new(), bytes: device.len(), checksum: String::new() };
    let component = Component::on_device(device, &entry, contents.seal_of_footers()?, UNIT_BYTES)?;
    let (mut footer, last) = (Footer::zeroed(), component.units() - 1);
    let position = last * length_from(crate::component::PAYLOAD_BYTES);
    component.reader()?.read_at(position, bytemuck::bytes_of_mut(&mut footer)).map_err(damaged)?;
    if footer.magic != MAGIC || footer.units != last {
        return Err(damaged(Error::corrupt(path, "its last unit does not match the others")));
    }
    Ok((component, footer))
}

/// Locks the folder `path`, which is or becomes one for `contents`, and may just have been `created`; returns its
/// identity, and whether it was created for its contents.
fn claim(storage: &dyn Storage, path: &Path, contents: Contents, created: bool) -> Result<(FileLock, StoreId, bool)> {
    let Contents { marker, .. } = contents;
    let place = path.join(marker.name);
    // The marker exists and is complete on the second attempt, unless another process interferes.
    for _ in 0..3 {
        if std::fs::symlink_metadata(&place).is_err() {
            mark(storage, path, contents, created)?;
        }
        let lock = match FileLock::exclusive(&place) {
            Err(Error::InUse { by, .. }) => return Err(Error::in_use(path, by)),
            Err(Error::NotFound { .. }) => continue,
            lock => lock?,
        };
        let found = marker.read(path, 256).ok_or_else(|| not_ours(path, marker, marker.name))?;
        let known = found.strip_suffix(CREATED.as_bytes());
        let identity = known.unwrap_or(&found).strip_prefix(marker.line.as_bytes());
        let identity = identity.and_then(|rest| rest.strip_suffix(b"\n"));
        let identity = identity.and_then(|hex| StoreId::from_hex(std::str::from_utf8(hex).ok()?));
        match identity {
            Some(identity) => return Ok((lock, identity, known.is_some())),
            // A process was killed, or the machine crashed, while writing the marker: the folder contains nothing else.
            None if marker.is_partly_written(&found) && foreign(path, contents)?.is_none() => {
                storage.remove_file(&place)?;
            }
            None => return Err(not_ours(path, marker, marker.name)),
        }
    }
    Err(Error::in_use(path, String::new()))
}

/// Marks a folder that contains only checkpoints as one for `contents`.
fn mark(storage: &dyn Storage, path: &Path, contents: Contents, created: bool) -> Result<()> {
    if let Some(name) = foreign(path, contents)? {
        return Err(not_ours(path, contents.marker, &name));
    }
    // If the last process was killed while clearing the folder, a checkpoint contains its identity.
    let names = Folder::open(path)?.names()?;
    let numbers = names.iter().filter_map(|name| contents.number_of(name.to_str()?));
    let identity = match numbers.max() {
        Some(newest) => StoreId::from_bytes(footer_of(&path.join(contents.name(newest)), contents)?.1.folder),
        None => StoreId::random()?,
    };
    let mut file = match storage.create(&path.join(contents.marker.name)) {
        Err(Error::AlreadyExists { .. }) => return Ok(()),
        file => file?,
    };
    file.write(contents.text(identity, created).as_bytes())?;
    file.sync()?;
    storage.sync_folder(path)
}

/// Returns a name in `path` that is neither a marker nor one of our checkpoints.
fn foreign(path: &Path, contents: Contents) -> Result<Option<String>> {
    for name in Folder::open(path)?.names()? {
        let ours = name.to_str().is_some_and(|name| {
            let place = path.join(name);
            name == contents.marker.name || contents.number_of(name).is_some() && footer_of(&place, contents).is_ok()
        });
        if !ours {
            return Ok(Some(name.to_string_lossy().into_owned()));
        }
    }
    Ok(None)
}

fn not_ours(path: &Path, marker: Marker, found: &str) -> Error {
    let (path, kind) = (path.display(), marker.kind);
    Error::Usage(format!(
        "{path} is not a {kind} of this version of outcrop (it contains {found}); use an empty or a new folder"
    ))
}
