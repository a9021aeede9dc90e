//! Atomic replacement of a selection, with one writer at a time.

use super::format::{file_name, leftover_names, temporary_name};
use crate::component::{ComponentWriter, StoreId, UnitSeal};
use crate::manifest::MANIFEST_NAME;
use crate::store::Store;
use outcrop_io::{FileLock, Storage};
use outcrop_types::{Direction, Error, Result};
use std::path::{Path, PathBuf};

/// Unpublished selection, whose file is removed unless it is published.
pub(super) struct Draft<'s> {
    storage: &'s dyn Storage,
    store: &'s Store,
    direction: Direction,
    path: PathBuf,
    published: bool,
    /// Lock of the store's manifest, used only by writers of selections: network file systems cannot lock folders.
    _alone: FileLock,
}

impl<'s> Draft<'s> {
    /// Removes leftovers of killed writers.
    ///
    /// # Errors
    ///
    /// Returns [`Error::InUse`] if another process writes a selection of this store.
    pub(super) fn begin(storage: &'s dyn Storage, store: &'s Store, direction: Direction) -> Result<Self> {
        let alone = FileLock::exclusive(&store.place().join(MANIFEST_NAME))?;
        for left in leftover_names(direction).map(|name| store.place().join(name)) {
            if exists(&left)? {
                storage.remove_file(&left)?;
            }
        }
        let path = store.place().join(temporary_name(direction));
        Ok(Self { storage, store, direction, path, published: false, _alone: alone })
    }

    /// Creates the file.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be created.
    pub(super) fn create(&self) -> Result<ComponentWriter> {
        let (file, name) = (self.storage.create(&self.path)?, file_name(self.direction));
        Ok(ComponentWriter::on_file(file, &name, UnitSeal::new(self.store.id(), &name)))
    }

    /// Replaces the previous selection with the file, which must be durable.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be renamed or the folder cannot be synced.
    pub(super) fn publish(mut self) -> Result<()> {
        let target = self.store.place().join(file_name(self.direction));
        // After an exchange, the temporary name is that of the old file, which is removed on drop.
        self.published = match exists(&target)? {
            true => self.storage.exchange(&self.path, &target).map(|()| false)?,
            false => self.storage.rename(&self.path, &target).map(|()| true)?,
        };
        self.storage.sync_folder(self.store.place())
    }
}

impl Drop for Draft<'_> {
    fn drop(&mut self) {
        if !self.published && exists(&self.path).unwrap_or(false) {
            // A failure is ignored: the next writer tries again.
            _ = self.storage.remove_file(&self.path);
        }
    }
}

/// Removes the selection of `direction`, if there is one.
pub(super) fn remove(storage: &dyn Storage, store: &Store, direction: Direction) -> Result<()> {
    let draft = Draft::begin(storage, store, direction)?;
    let path = store.place().join(file_name(direction));
    if exists(&path)? {
        storage.remove_file(&path)?;
        storage.sync_folder(store.place())?;
    }
    drop(draft);
    Ok(())
}

/// Returns a random number.
pub(super) fn generation() -> Result<u64> {
    let text = StoreId::random()?.to_hex();
    Ok(text.get(..16).and_then(|text| u64::from_str_radix(text, 16).ok()).unwrap_or(0))
}

fn exists(path: &Path) -> Result<bool> {
    match std::fs::symlink_metadata(path) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(Error::io("access", path, error)),
    }
}
