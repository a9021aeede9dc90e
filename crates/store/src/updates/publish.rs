//! Atomic replacement of pending updates: new files, then a new manifest.

use super::changes::{ChangeCounts, EdgeChange};
use super::entry::{
    ChangedLists, DRAFT_NAME, LevelEntry, NewVerticesEntry, UpdatesEntry, is_left_over, is_update_name,
};
use super::level::write_level;
use super::new_vertices::NewVertices;
use crate::component::{ComponentWriter, FileEntry};
use crate::journal::{JournalEntry, JournalWriter, NewUpdate, SegmentEntry, is_journal_name};
use crate::manifest::{ChangeEntries, FORMAT_VERSION, GraphEntry, MANIFEST_NAME, Manifest};
use crate::owned::is_of_store;
use crate::store::Store;
use crate::work_context::WorkContext;
use outcrop_io::Storage;
use outcrop_types::{Error, Result, WeightRounding};
use std::ffi::OsStr;
use std::path::PathBuf;

/// Next generation of the updates of an exclusively opened store. Its files are removed unless it is published.
pub(super) struct Generation<'s> {
    storage: &'s dyn Storage,
    store: &'s Store,
    entry: UpdatesEntry,
    files: Vec<FileEntry>,
    journal: Option<JournalEntry>,
    /// Files to remove at the end: the new ones, or those that they replace.
    surplus: Vec<PathBuf>,
}

impl<'s> Generation<'s> {
    /// Starts the next generation, and removes leftovers of killed updates. Files of earlier generations stay, since
    /// readers may use them.
    ///
    /// # Errors
    ///
    /// Returns an error if the folder cannot be read or leftovers cannot be removed.
    pub(super) fn begin(storage: &'s dyn Storage, store: &'s Store) -> Result<Self> {
        for name in unlisted(store, store.manifest())? {
            if name == DRAFT_NAME || is_later(&name, store.manifest()) {
                storage.remove_file(&store.place().join(&name))?;
            }
        }
        let before = store.manifest().changes.updates.as_ref().map_or(0, |entry| entry.generation);
        let level = LevelEntry { generation: before.saturating_add(1), lists: Vec::new() };
        let (levels, generation) = (vec![level], before.saturating_add(1));
        let entry = UpdatesEntry { generation, lists: Vec::new(), levels, new_vertices: None };
        Ok(Self { storage, store, entry, files: Vec::new(), journal: None, surplus: Vec::new() })
    }

    /// Writes the newest level of the lists of a direction durably; all its levels then have the changes of `lists`.
    ///
    /// # Errors
    ///
    /// Returns an error if writing fails.
    pub(super) fn write(&mut self, lists: ChangedLists, changes: &[EdgeChange]) -> Result<()> {
        let newest = self.entry.levels.last_mut();
        let newest = newest.ok_or_else(|| Error::internal("an update has no level"))?;
        newest.lists.push(ChangeCounts::of(changes));
        let name = newest.file_name(lists.direction);
        let writer = self.create(&name)?;
        self.files.push(write_level(changes, self.store.manifest().weights(), writer)?);
        self.entry.lists.push(lists);
        Ok(())
    }

    /// Keeps the oldest `kept` levels of the store.
    ///
    /// # Errors
    ///
    /// Returns an error if a file of them is not listed.
    pub(super) fn keep_levels(&mut self, kept: usize) -> Result<()> {
        let (store, before) = (self.store, &self.store.manifest().changes.updates);
        let levels: Vec<LevelEntry> = before.iter().flat_map(|entry| entry.levels().into_owned()).take(kept).collect();
        let names = levels.iter().flat_map(|level| store.stored_directions().map(|side| level.file_name(side)));
        for name in names {
            let file = store.listed(&name).ok_or_else(|| Error::internal("a level has no file"))?;
            self.files.push(file.clone());
        }
        self.entry.levels.splice(..0, levels);
        if kept == 0 {
            // The only level has the generation of the updates.
            self.entry.levels.clear();
        }
        Ok(())
    }

    /// Writes the vertices without lists durably; `dense` IDs need no file.
    ///
    /// # Errors
    ///
    /// Returns an error if writing fails.
    pub(super) fn write_vertices(&mut self, new: &NewVertices, dense: bool) -> Result<()> {
        if !dense {
            let writer = self.create(&self.entry.ids_name())?;
            self.files.push(new.write(writer)?);
        }
        let (count, text_bytes, appended) = (new.count(), new.text_bytes(), new.are_appended());
        self.entry.new_vertices = Some(NewVerticesEntry { count, text_bytes, appended });
        Ok(())
    }

    fn create(&mut self, name: &str) -> Result<ComponentWriter> {
        create_in(self.storage, self.store, &mut self.surplus, name)
    }

    /// Writes the input of the update to the journal durably. Returns a note, if any.
    ///
    /// # Errors
    /// Returns an error if writing fails, if the budget is too small, or if the run is interrupted.
    pub(super) fn write_journal(&mut self, update: NewUpdate<'_>, work: WorkContext<'_>) -> Result<Option<String>> {
        let (io, budget, cancellation) = (work.io, work.budget, work.cancellation());
        let (storage, store, surplus) = (self.storage, self.store, &mut self.surplus);
        let create = &mut |name: &str| create_in(storage, store, surplus, name);
        let keep = &mut |segment: &SegmentEntry| {
            let names = segment.file_names().into_iter();
            Ok(names.filter_map(|name| store.listed(&name).cloned()).collect())
        };
        let mut writer = JournalWriter { store, io, budget, cancellation, create, keep };
        let written = writer.write_beside(store.manifest().journal_so_far(), update)?;
        self.files.extend(written.files);
        self.journal = Some(written.entry);
        Ok(written.note)
    }

    /// Publishes the written changes of all stored directions; the store then has `vertices` vertices and `edges`
    /// edges, and `rounding` more rounded weights. Returns the manifest, and a note if durability is not guaranteed.
    ///
    /// # Errors
    ///
    /// Returns an error if the manifest cannot be written or replaced: the store is then unchanged.
    pub(super) fn publish(
        mut self,
        vertices: u32,
        edges: u64,
        rounding: &WeightRounding,
    ) -> Result<(Manifest, Option<String>)> {
        let (storage, store) = (self.storage, self.store);
        let old = store.manifest();
        let replaced = |name: &str| is_update_name(name) || is_journal_name(name);
        let kept = old.files.iter().filter(|file| !replaced(&file.name));
        let manifest = Manifest {
            format_version: FORMAT_VERSION,
            graph: GraphEntry {
                weight_type: old.weights(),
                vertices,
                edges,
                weight_rounding: old.rounding_with(rounding),
                ..old.graph.clone()
            },
            changes: ChangeEntries { updates: Some(self.entry.clone()), journal: self.journal.take() },
            files: kept.chain(&self.files).cloned().collect(),
            built: None,
            ..old.clone()
        };
        let (draft, place) = (store.place().join(DRAFT_NAME), store.place().join(MANIFEST_NAME));
        self.surplus.push(draft.clone());
        manifest.write(storage, &draft)?;
        storage.sync_folder(store.place())?;
        storage.exchange(&draft, &place)?;
        if let Err(error) = storage.sync_folder(store.place()) {
            // Undo a change that may not be durable, so that an error means that nothing has changed, unless a reader
            // may have opened it. A crash could now leave either of the two manifests: the files of both stay until the
            // next update.
            let taken_back = store.try_alone() && storage.exchange(&draft, &place).is_ok();
            self.surplus.clear();
            if taken_back {
                return Err(error);
            }
            // The update is applied and visible to readers: an error would be wrong.
            let note = format!("the update is applied, but a system crash could undo it: {error}");
            return Ok((manifest, Some(note)));
        }
        // Files that the manifest does not list are removed if no reader uses them: no reader uses new ones.
        let is_new =
            |path: &PathBuf| path.file_name().and_then(OsStr::to_str).is_some_and(|name| manifest.file(name).is_none());
        self.surplus.retain(is_new);
        if store.try_alone() {
            // A failure is ignored: the next update tries again.
            let unlisted = unlisted(store, &manifest).unwrap_or_else(|_| Vec::new());
            self.surplus.extend(unlisted.iter().map(|name| store.place().join(name)));
        }
        Ok((manifest, None))
    }
}

impl Drop for Generation<'_> {
    fn drop(&mut self) {
        for path in &self.surplus {
            // A failure is ignored: the next update tries again.
            _ = self.storage.remove_file(path);
        }
    }
}

/// Creates a file, and adds it to the `surplus` of an update that fails.
fn create_in(storage: &dyn Storage, store: &Store, surplus: &mut Vec<PathBuf>, name: &str) -> Result<ComponentWriter> {
    let writer = ComponentWriter::create(storage, store.place(), store.id(), name)?;
    surplus.push(store.place().join(name));
    Ok(writer)
}

/// Returns true if the file of an update or journal is of a generation after that of `manifest`.
fn is_later(name: &str, manifest: &Manifest) -> bool {
    let updates = manifest.changes.updates.as_ref().map_or(0, |updates| updates.generation);
    let now = if is_update_name(name) { updates } else { manifest.generation() };
    let number = name.trim_end_matches(".index").rsplit('-').next().and_then(|number| number.parse::<u64>().ok());
    number.is_some_and(|number| number > now)
}

/// Returns the files of updates in the folder of `store` that `manifest` does not list.
fn unlisted(store: &Store, manifest: &Manifest) -> Result<Vec<String>> {
    let names = store.files().names()?.into_iter().filter_map(|name| name.into_string().ok());
    let mut left: Vec<String> = names
        .filter(|name| is_left_over(name) && manifest.file(name).is_none())
        .filter(|name| is_of_store(store.place(), Some(manifest), OsStr::new(name)))
        .collect();
    left.sort_unstable();
    Ok(left)
}
