//! Checkpoints of a build or a conversion: the data that later phases need, saved at the end of a phase (decision
//! 0044).

use super::staging::{manifest_at, remove_left_over};
use crate::checkpoint_folder::{CheckpointFolder, Contents, SavingPace};
use crate::component::{Component, ComponentReader, ComponentWriter, FileEntry, StoreId};
use crate::manifest::FinishedBuild;
use bytemuck::Pod;
use outcrop_io::{DurableFile, SpillFolder, Storage};
use outcrop_types::{Error, Observer, Purpose, Result, Stopwatch, index_from, length_from, memory};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use xxhash_rust::xxh3::xxh3_128;

const MAGIC: [u8; 8] = *b"outcbild";
/// Version that this program writes, and the only one that it reads. It increases with every change of the states or of
/// the facts that identify a build.
const VERSION: u32 = 5;
/// Name of the manifest in a report.
const MANIFEST: &str = "manifest";
/// Maximum bytes of the text that identifies the build of a checkpoint, and of the state.
const LONGEST_TEXT: u64 = 1 << 28;

/// Checkpoints of a build or a conversion.
pub struct BuildCheckpoints {
    path: PathBuf,
    build: String,
    resume: bool,
    spill: Arc<SpillFolder>,
    standing: Mutex<Standing>,
}

impl fmt::Debug for BuildCheckpoints {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("BuildCheckpoints").field("path", &self.path).finish_non_exhaustive()
    }
}

struct Standing {
    folder: CheckpointFolder,
    /// Checkpoint to resume from, until it is restored.
    waiting: Option<Saved>,
    pace: SavingPace,
}

/// Checkpoint, without the text that identifies its build.
#[derive(Serialize, Deserialize)]
struct Saved {
    /// Temporary files required by the state.
    files: Vec<String>,
    store: Option<StoreInTheMaking>,
    /// Completed or current phase, and its data for the rest of the build.
    phase: String,
    state: Value,
}

/// Completed files of an unpublished store.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct StoreInTheMaking {
    pub(super) id: String,
    /// Folder next to the target.
    pub(super) folder: String,
    pub(super) files: Vec<FileEntry>,
}

impl StoreInTheMaking {
    /// Returns the identity of the store.
    pub(super) fn id(&self) -> Result<StoreId> {
        let unknown = || CheckpointFolder::damaged(Error::corrupt(&self.folder, "its checkpoint does not match it"));
        StoreId::from_hex(&self.id).ok_or_else(unknown)
    }
}

impl BuildCheckpoints {
    /// Memory for saving and restoring, in bytes.
    pub(crate) const MEMORY_BYTES: u64 = Component::READER_BYTES + ComponentWriter::MEMORY_BYTES;

    /// Opens the checkpoints in the folder `path` for the build described by the text `build`. While the input is read,
    /// one is saved whenever `every` has elapsed. With `resume`, continues a stopped build if `check` accepts the text
    /// of its checkpoint.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Usage`] if there is a checkpoint but no `resume`, the error of `check`, [`Error::InUse`], or an
    /// error if the checkpoint is damaged or of another version.
    pub fn open(
        storage: Box<dyn Storage>,
        path: &Path,
        build: String,
        every: Duration,
        resume: bool,
        check: impl FnOnce(&str) -> Result<()>,
    ) -> Result<Self> {
        let folder = CheckpointFolder::open(storage, path, Contents::CHECKPOINTS)?;
        let waiting = match folder.read()? {
            Some(_) if !resume => return Err(folder.resume_not_requested()),
            Some(mut reader) => Some(Saved::read(&mut reader, check)?),
            None => None,
        };
        let kept = waiting.as_ref().map_or(&[][..], |saved| &saved.files);
        let spill = Arc::new(SpillFolder::keeping(path, &folder.tag(), kept)?);
        let standing = Standing { folder, waiting, pace: SavingPace::new(every) };
        Ok(Self { path: path.to_owned(), build, resume, spill, standing: Mutex::new(standing) })
    }

    /// Returns the report of the build if it is resumed but has already completed: `target` is its store and was not
    /// updated.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Corrupt`] if the report in the manifest is invalid.
    pub fn finished<T: DeserializeOwned>(&self, storage: &dyn Storage, target: &Path) -> Result<Option<T>> {
        let Some(manifest) = self.resume.then(|| manifest_at(target).ok()).flatten() else { return Ok(None) };
        let Some(built) = manifest.built.as_ref().filter(|built| built.facts == self.checksum()) else {
            return Ok(None);
        };
        let mut report = built.report.clone();
        let invalid = |error| Error::corrupt(target, format!("the report of its build is invalid: {error}"));
        report.insert(MANIFEST.to_owned(), serde_json::to_value(&manifest).map_err(invalid)?);
        let report = serde_json::from_value(Value::Object(report)).map_err(invalid)?;
        remove_left_over(storage, target);
        Ok(Some(report))
    }

    /// Returns the record of the completed build for the manifest of its store.
    pub(super) fn finish(&self, report: &impl Serialize) -> Result<FinishedBuild> {
        let Value::Object(mut report) = serde_json::to_value(report).map_err(not_text)? else {
            return Err(Error::internal("the report of the build is not an object"));
        };
        report.remove(MANIFEST);
        Ok(FinishedBuild { facts: self.checksum(), report })
    }

    fn checksum(&self) -> String {
        format!("{:032x}", xxh3_128(self.build.as_bytes()))
    }

    /// Returns true if a build is resumed from a checkpoint.
    pub fn resumes(&self) -> bool {
        self.standing().waiting.is_some()
    }

    /// Returns the folder.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the checkpoint and its files after the build has completed and published its store.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Io`] if the files cannot be removed.
    pub fn clear(&self) -> Result<()> {
        self.spill.keep()?;
        self.standing().folder.clear()
    }

    pub(super) fn spill_folder(&self) -> Arc<SpillFolder> {
        Arc::clone(&self.spill)
    }

    /// Returns the files of a store that the checkpoint to resume from needs.
    pub(super) fn store(&self) -> Option<StoreInTheMaking> {
        self.standing().waiting.as_ref().and_then(|saved| saved.store.clone())
    }

    /// Returns the state to resume from, if it was saved in `phase`.
    pub(super) fn resume<T: DeserializeOwned>(&self, phase: &str, observer: &dyn Observer) -> Result<Option<T>> {
        let mut standing = self.standing();
        let Some(Saved { state, .. }) = standing.waiting.take_if(|saved| saved.phase == phase) else { return Ok(None) };
        let unknown = |error| Error::corrupt(&self.path, format!("the state in the checkpoint is invalid: {error}"));
        let state = serde_json::from_value(state).map_err(|error| CheckpointFolder::damaged(unknown(error)))?;
        observer.note(&format!("resumed from a checkpoint: {phase}"));
        Ok(Some(state))
    }

    /// Returns true once the next save within a phase is due.
    pub(super) fn is_due(&self) -> bool {
        self.standing().pace.is_due()
    }

    /// Saves the state that `state` makes durable, from which a build resumes in `phase`, and removes the previous
    /// checkpoint.
    ///
    /// # Errors
    ///
    /// Returns [`Error::DiskFull`] or [`Error::Io`]; the previous checkpoint then remains valid.
    pub(super) fn save<T: Serialize>(
        &self,
        phase: &str,
        store: Option<StoreInTheMaking>,
        state: impl FnOnce() -> Result<T>,
    ) -> Result<()> {
        let watch = Stopwatch::start();
        let state = serde_json::to_value(state()?).map_err(not_text)?;
        let saved = Saved { files: self.spill.to_keep(), store, phase: phase.to_owned(), state };
        let saved = serde_json::to_string(&saved).map_err(not_text)?;
        if length_from(saved.len()) > LONGEST_TEXT {
            let message = "too many sorted runs for a checkpoint; increase --memory";
            return Err(Error::Usage(message.to_owned()));
        }
        let mut standing = self.standing();
        if standing.waiting.is_some() {
            return Err(Error::internal("the build passed its checkpoint"));
        }
        standing.folder.write(|writer| {
            writer.write(&MAGIC)?;
            writer.write(&VERSION.to_le_bytes())?;
            [&self.build, &saved].into_iter().try_for_each(|text| {
                writer.write(&length_from(text.len()).to_le_bytes())?;
                writer.write(text.as_bytes())
            })
        })?;
        self.spill.keep()?;
        standing.pace.end(watch.elapsed());
        Ok(())
    }

    fn standing(&self) -> MutexGuard<'_, Standing> {
        self.standing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Saved {
    fn read(reader: &mut ComponentReader, check: impl FnOnce(&str) -> Result<()>) -> Result<Self> {
        let path = reader.path().to_owned();
        let damaged = |message: String| CheckpointFolder::damaged(Error::corrupt(&path, message));
        let mut position = 0;
        let mut bytes = |length: u64| {
            if length > LONGEST_TEXT {
                return Err(damaged("it contains a string that is too long".to_owned()));
            }
            let mut bytes = vec![0; index_from(length)];
            reader.read_at(position, &mut bytes).map_err(CheckpointFolder::damaged)?;
            position += length;
            Ok(bytes)
        };
        if bytes(8)? != MAGIC {
            return Err(damaged("it is not a checkpoint of a build".to_owned()));
        }
        let version = bytes(4)?.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
        if version != VERSION {
            return Err(Error::FormatVersion { path, found: version, supported: VERSION });
        }
        let mut text = || {
            let length = bytes(8)?.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
            Ok(String::from_utf8_lossy(&bytes(length)?).into_owned())
        };
        check(&text()?)?;
        serde_json::from_str(&text()?).map_err(|error| damaged(format!("its state is invalid: {error}")))
    }
}

fn not_text(error: serde_json::Error) -> Error {
    Error::internal(format!("the state of the build cannot be written: {error}"))
}

/// Writes `values` to a durable file.
pub(super) fn save_values<T: Pod>(folder: &SpillFolder, values: &[T]) -> Result<DurableFile> {
    let mut file = folder.create()?;
    file.write(bytemuck::cast_slice(values))?;
    file.finish()?.keep()
}

/// Returns the values in a durable file.
pub(super) fn kept_values<T: Pod>(folder: &SpillFolder, kept: &DurableFile, purpose: Purpose) -> Result<Vec<T>> {
    let file = folder.reopen(kept)?;
    let mut values = memory::filled(index_from(file.length()) / size_of::<T>(), purpose, |_| T::zeroed())?;
    file.open()?.read_exact(bytemuck::cast_slice_mut(&mut values))?;
    Ok(values)
}
