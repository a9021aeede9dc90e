//! Opening a store for reading.

use crate::build::LOCK_NAME;
use crate::component::{Component, StoreId, UnitSeal};
use crate::manifest::{MANIFEST_NAME, Manifest};
use outcrop_io::{Device, FileLock, IoChoice, open_device};
use outcrop_types::{Direction, Error, Result};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// An open store: its manifest, and the lock that keeps writers away.
pub struct Store {
    folder: PathBuf,
    manifest: Manifest,
    id: StoreId,
    notes: Mutex<Vec<String>>,
    lock: Arc<FileLock>,
}

impl Store {
    /// Opens the store in `folder`; several readers may do so at once.
    ///
    /// # Errors
    /// There is no store, it is damaged, of a newer format, or being replaced or updated.
    pub fn open(folder: &Path) -> Result<Self> {
        Self::open_locked(folder, FileLock::shared)
    }

    /// Opens the store in `folder` where nobody else has it open: for those that change it.
    ///
    /// # Errors
    /// As for [`Store::open`]; [`Error::InUse`] where anybody has it open.
    pub fn open_alone(folder: &Path) -> Result<Self> {
        Self::open_locked(folder, FileLock::exclusive)
    }

    fn open_locked(folder: &Path, lock: impl Fn(&Path) -> Result<FileLock>) -> Result<Self> {
        let manifest_path = folder.join(MANIFEST_NAME);
        if std::fs::symlink_metadata(&manifest_path).is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
            return Err(crate::manifest::not_a_store(folder));
        }
        let lock = lock(&folder.join(LOCK_NAME)).map_err(|error| match error {
            Error::NotFound { path, .. } => Error::corrupt(path, "the file is missing"),
            other => other,
        })?;
        let manifest = Manifest::read(folder)?;
        let id = manifest.store_id().ok_or_else(|| Error::corrupt(&manifest_path, "its uuid is malformed"))?;
        Ok(Self { folder: folder.to_owned(), manifest, id, notes: Mutex::default(), lock: Arc::new(lock) })
    }

    /// The same store without its updates: the lists as they are in their files.
    #[must_use]
    pub fn as_written(&self) -> Self {
        let manifest = Manifest { updates: None, ..self.manifest.clone() };
        let (folder, lock) = (self.folder.clone(), Arc::clone(&self.lock));
        Self { folder, manifest, id: self.id, notes: Mutex::default(), lock }
    }

    /// The same store as it is now, under the same lock: after an update.
    ///
    /// # Errors
    /// As for [`Store::open`].
    pub fn refreshed(&self) -> Result<Self> {
        let manifest = Manifest::read(&self.folder)?;
        let (folder, lock) = (self.folder.clone(), Arc::clone(&self.lock));
        Ok(Self { folder, manifest, id: self.id, notes: Mutex::default(), lock })
    }

    /// Where it lies.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What it holds.
    pub const fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The direction in which the lists of `direction` are stored: undirected stores keep one for both.
    pub const fn stored(&self, direction: Direction) -> Direction {
        if self.manifest.directed { direction } else { Direction::Out }
    }

    /// The directions that are stored, out before in.
    pub fn stored_directions(&self) -> impl Iterator<Item = Direction> {
        [Direction::Out, Direction::In].into_iter().filter(|direction| self.stored(*direction) == *direction)
    }

    /// Opens the component file `name`.
    ///
    /// # Errors
    /// It is not listed, missing, or of another length.
    pub fn component(&self, name: &str, io: IoChoice) -> Result<Component> {
        let entry = self
            .manifest
            .file(name)
            .ok_or_else(|| Error::corrupt(self.folder.join(MANIFEST_NAME), format!("it lists no {name}")))?;
        let mut note = |sentence: &str| self.note(sentence);
        let units = (UnitSeal::new(self.id, name), self.manifest.unit_bytes(name));
        Component::open(&self.folder, entry, units, io, &mut note)
    }

    /// Opens a file of the store's folder that need not be listed.
    pub(crate) fn device(&self, name: &str, io: IoChoice) -> Result<Arc<dyn Device>> {
        open_device(&self.folder.join(name), io, &mut |sentence| self.note(sentence))
    }

    /// The store's identity.
    pub(crate) const fn id(&self) -> StoreId {
        self.id
    }

    fn note(&self, sentence: &str) {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        if !notes.iter().any(|known| known == sentence) {
            notes.push(sentence.to_owned());
        }
    }

    /// What was noticed while files were opened, such as a way to read that the system refused; each sentence once.
    pub fn take_notes(&self) -> Vec<String> {
        std::mem::take(&mut *self.notes.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
