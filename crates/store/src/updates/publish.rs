//! Puts updates in the place of those before: new files, then a new manifest, whole or not at all.

use super::changes::EdgeChanges;
use super::entry::{ChangedLists, DRAFT_NAME, UpdatesEntry, is_left_over};
use super::file::write;
use crate::component::ComponentWriter;
use crate::journal::{JournalUpdate, SegmentEntry, UpdatedJournal};
use crate::manifest::{FORMAT_VERSION, MANIFEST_NAME, Manifest};
use crate::store::Store;
use outcrop_io::Storage;
use outcrop_types::{Direction, MemoryBudget, Result, WeightRounding};
use std::path::PathBuf;

/// The next generation of the updates of a store that nobody else has open. Its files are removed again unless it is published.
pub(super) struct Generation<'s> {
    storage: &'s dyn Storage,
    store: &'s Store,
    entry: UpdatesEntry,
    files: Vec<crate::component::FileEntry>,
    journal: Option<UpdatedJournal>,
    /// Files to remove at the end: what was written, or what it replaces.
    surplus: Vec<PathBuf>,
}

impl<'s> Generation<'s> {
    /// Begins the next generation, and removes what a killed update has left.
    ///
    /// # Errors
    /// The folder cannot be read, or what is left not be removed.
    pub(super) fn begin(storage: &'s dyn Storage, store: &'s Store) -> Result<Self> {
        for name in left_over(store)? {
            storage.remove_file(&store.place().join(name))?;
        }
        let before = store.manifest().updates.as_ref().map_or(0, |entry| entry.generation);
        let entry = UpdatesEntry { generation: before.saturating_add(1), lists: Vec::new() };
        Ok(Self { storage, store, entry, files: Vec::new(), journal: None, surplus: Vec::new() })
    }

    /// Writes the changes of the lists of `direction`, durably.
    ///
    /// # Errors
    /// They cannot be written.
    pub(super) fn write(&mut self, direction: Direction, changes: &EdgeChanges) -> Result<()> {
        let name = self.entry.file_name(direction);
        let folder = self.store.place();
        self.surplus.push(folder.join(&name));
        let writer = ComponentWriter::create(self.storage, folder, self.store.id(), &name)?;
        self.files.push(write(changes, self.store.manifest().weights(), writer)?);
        let (counts, (removed_arcs, _)) = (changes.counts(), changes.arcs());
        let (changed, removed, added) = (counts.changed, counts.removed, counts.added);
        self.entry.lists.push(ChangedLists { direction, changed, removed, added, removed_arcs });
        Ok(())
    }

    /// Writes what the update was given into the journal, durably.
    ///
    /// # Errors
    /// It cannot be written; the budget is too small.
    pub(super) fn write_journal(&mut self, update: &JournalUpdate, budget: &MemoryBudget) -> Result<()> {
        let (storage, store, surplus) = (self.storage, self.store, &mut self.surplus);
        let written = update.write(store.manifest(), None, budget, |name| {
            surplus.push(store.place().join(name));
            ComponentWriter::create(storage, store.place(), store.id(), name)
        })?;
        self.files.extend(written.files.iter().cloned());
        self.journal = Some(written);
        Ok(())
    }

    /// Lets the changes that were written, of all stored directions, be those of the store, which then has so many edges, with
    /// weights of which so many more were rounded. Returns the manifest.
    ///
    /// # Errors
    /// The manifest cannot be written or put in its place: the store is as it was.
    pub(super) fn publish(mut self, edges: u64, rounding: &WeightRounding) -> Result<Manifest> {
        let (storage, store) = (self.storage, self.store);
        let old = store.manifest();
        let journal = self.journal.take();
        let dropped: Vec<String> =
            journal.iter().flat_map(|journal| &journal.dropped).flat_map(SegmentEntry::file_names).collect();
        let outdated = |name: &str| {
            let directions = [Direction::Out, Direction::In].into_iter();
            let entry = old.updates.as_ref();
            entry.is_some_and(|entry| directions.into_iter().any(|direction| entry.file_name(direction) == name))
                || dropped.iter().any(|dropped| dropped == name)
        };
        let kept = old.files.iter().filter(|file| !outdated(&file.name)).cloned();
        let manifest = Manifest {
            format_version: FORMAT_VERSION,
            weight_type: old.weights(),
            edges,
            weight_rounding: old.rounding_with(rounding),
            updates: Some(self.entry.clone()),
            // A segment that is too large to be kept goes at once.
            files: kept.chain(self.files.iter().filter(|file| !outdated(&file.name)).cloned()).collect(),
            journal: journal.map(|journal| journal.entry),
            ..old.clone()
        };
        let (draft, place) = (store.place().join(DRAFT_NAME), store.place().join(MANIFEST_NAME));
        let mut file = storage.create(&draft)?;
        self.surplus.push(draft.clone());
        file.write(manifest.to_text()?.as_bytes())?;
        file.sync()?;
        storage.sync_folder(store.place())?;
        storage.exchange(&draft, &place)?;
        if let Err(error) = storage.sync_folder(store.place()) {
            // What may not last is taken back, so that an error means that nothing has changed. Which of the two manifests a crash would
            // leave now, nobody knows: the files of both stay until the next update.
            _ = storage.exchange(&draft, &place);
            self.surplus.clear();
            return Err(error);
        }
        let replaced = old.files.iter().chain(&self.files).filter(|file| outdated(&file.name));
        self.surplus = replaced.map(|file| store.place().join(&file.name)).chain([draft]).collect();
        Ok(manifest)
    }
}

impl Drop for Generation<'_> {
    fn drop(&mut self) {
        for path in &self.surplus {
            // Nothing better can be done with a failure: the next update tries again.
            _ = self.storage.remove_file(path);
        }
    }
}

/// The files that a killed update has left in the folder of `store`.
fn left_over(store: &Store) -> Result<Vec<String>> {
    let names = store.files().names()?.into_iter().filter_map(|name| name.into_string().ok());
    let mut left: Vec<String> =
        names.filter(|name| is_left_over(name) && store.manifest().file(name).is_none()).collect();
    left.sort_unstable();
    Ok(left)
}
