//! Atomic replacement of selections, with one writer at a time.

use super::format::{SelectionInfo, SelectionNote, file_name, leftover_names, temporary_name};
use super::lists::StaticLists;
use super::write::write_selection;
use crate::component::{ComponentWriter, UnitSeal};
use crate::manifest::MANIFEST_NAME;
use crate::store::Store;
use crate::work_context::WorkContext;
use outcrop_io::{FileLock, Storage};
use outcrop_types::{Direction, Error, Result, VertexId};
use std::path::{Path, PathBuf};

/// Unpublished selections of a store, next to the previous ones. They are removed unless they are published.
pub struct SelectionDraft<'s> {
    storage: &'s dyn Storage,
    store: &'s Store,
    written: Vec<Direction>,
    /// Lock of the store's manifest, used only by writers of selections: network file systems cannot lock folders.
    _alone: FileLock,
}

impl<'s> SelectionDraft<'s> {
    /// Removes leftovers of killed writers.
    ///
    /// # Errors
    ///
    /// Returns [`Error::InUse`] if another process writes a selection of this store.
    pub fn begin(storage: &'s dyn Storage, store: &'s Store) -> Result<Self> {
        let alone = FileLock::exclusive(&store.place().join(MANIFEST_NAME))?;
        let draft = Self { storage, store, written: Vec::new(), _alone: alone };
        draft.remove_temporary_files()?;
        Ok(draft)
    }

    /// Writes a selection of the lists of `ranked`, highest priority first, up to `most_bytes` as counted by
    /// [`SelectionInfo::bytes`]; returns its description. Skips vertices without a list in a page of their own, and
    /// lists of more than 2^18 entries. The store may be read meanwhile.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget or disk is too small, if the store is damaged, if writing fails, or if the run is
    /// interrupted.
    pub fn write(
        &mut self,
        direction: Direction,
        ranked: &[VertexId],
        note: &SelectionNote,
        most_bytes: u64,
        work: WorkContext<'_>,
    ) -> Result<SelectionInfo> {
        let direction = self.store.stored(direction);
        let create = || {
            let (file, name) = (self.storage.create(&self.path(direction))?, file_name(direction));
            Ok(ComponentWriter::on_file(file, &name, UnitSeal::new(self.store.id(), &name)))
        };
        let info = write_selection(self.store, direction, ranked, note, most_bytes, work, create)?;
        self.written.push(direction);
        Ok(info)
    }

    /// Same as [`StaticLists::load`] for the unpublished selection.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`StaticLists::load`].
    pub fn load(&self, direction: Direction, most_bytes: u64, work: WorkContext<'_>) -> Result<Option<StaticLists>> {
        let name = temporary_name(self.store.stored(direction));
        StaticLists::load_file(self.store, direction, &name, most_bytes, work, |device| device)
    }

    /// Replaces the previous selections with those written.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be renamed or the folder cannot be synced.
    pub fn publish(self) -> Result<()> {
        for direction in &self.written {
            let (path, target) = (self.path(*direction), self.store.place().join(file_name(*direction)));
            // After an exchange, the temporary name is that of the old file, which is removed on drop.
            match exists(&target)? {
                true => self.storage.exchange(&path, &target)?,
                false => self.storage.rename(&path, &target)?,
            }
        }
        self.storage.sync_folder(self.store.place())
    }

    fn path(&self, direction: Direction) -> PathBuf {
        self.store.place().join(temporary_name(direction))
    }

    fn remove_temporary_files(&self) -> Result<()> {
        for name in self.store.stored_directions().flat_map(leftover_names) {
            let path = self.store.place().join(name);
            if exists(&path)? {
                self.storage.remove_file(&path)?;
            }
        }
        Ok(())
    }
}

impl Drop for SelectionDraft<'_> {
    fn drop(&mut self) {
        // A failure is ignored: the next writer tries again.
        _ = self.remove_temporary_files();
    }
}

/// Removes the selections of `store`, if there are any.
///
/// # Errors
///
/// Returns an error if another process writes a selection of this store, or if a file cannot be removed.
pub fn remove_selections(storage: &dyn Storage, store: &Store) -> Result<()> {
    let _draft = SelectionDraft::begin(storage, store)?;
    for direction in store.stored_directions() {
        let path = store.place().join(file_name(direction));
        if exists(&path)? {
            storage.remove_file(&path)?;
            storage.sync_folder(store.place())?;
        }
    }
    Ok(())
}

fn exists(path: &Path) -> Result<bool> {
    match std::fs::symlink_metadata(path) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(Error::io("access", path, error)),
    }
}
