//! Stores opened for reading.

use crate::component::{Component, FileEntry, StoreId, UnitSeal};
use crate::manifest::{ChangeEntries, GraphEntry, MANIFEST_NAME, Manifest, not_a_store};
pub(crate) use crate::writer_lock::LOCK_NAME;
use crate::writer_lock::{WRITER_LOCK_NAME, WriterLock, lock_behind_writers, while_in_use};
use outcrop_io::{Device, FileLock, Folder, IoChoice};
use outcrop_types::{Cancellation, Direction, Error, MemoryBudget, Result, Stopwatch};
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use xxhash_rust::xxh3::xxh3_64;

/// Open store: its manifest, and the lock that excludes writers.
pub struct Store {
    folder: Arc<Folder>,
    manifest: Manifest,
    /// Start of the manifest's file, with its checksum.
    version: Vec<u8>,
    id: StoreId,
    notes: Arc<Mutex<Vec<String>>>,
    /// Lock that excludes writers; `None` in a store that is [`Store::unlocked`].
    lock: Option<Arc<FileLock>>,
    /// Open components, which a store that is [`Store::unlocked`] shares.
    open: Arc<OpenComponents>,
    unlocked: OnceLock<Arc<Self>>,
    /// Positions of the files in the manifest, by their names.
    names: OnceLock<HashMap<u64, usize>>,
}

/// Components that stay open, by name and I/O backend.
type OpenComponents = Mutex<Vec<(String, IoChoice, Component)>>;

/// Folder with the run history, which is not part of the graph.
pub const HISTORY_NAME: &str = "runs";
/// Number of attempts to lock a store that is replaced before it is locked; afterwards it counts as in use.
const ATTEMPTS: usize = 1000;

impl Store {
    /// Opens the store in `folder`; several readers may do so concurrently.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no store, if it is damaged or of a newer format, or if it is being replaced or
    /// updated.
    pub fn open(folder: &Path) -> Result<Self> {
        Self::open_locked(folder, lock_behind_writers)
    }

    fn open_alone(folder: &Path) -> Result<Self> {
        Self::open_locked(folder, Folder::lock_exclusive)
    }

    /// Opens the store in `folder` to change it, and waits up to `wait` for other processes: for all of them if it must
    /// be `alone`, otherwise for those that change it. Readers then keep the graph as it was.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`Store::open`] and [`WriterLock::wait`], or [`Error::InUse`]
    /// after that time.
    pub fn open_for_update(
        folder: &Path,
        alone: bool,
        wait: Duration,
        cancellation: &Cancellation,
    ) -> Result<(WriterLock, Self)> {
        let watch = Stopwatch::start();
        while_in_use(wait, cancellation, || {
            let left = wait.saturating_sub(watch.elapsed());
            if alone {
                let turn = WriterLock::wait(folder, left, cancellation)?;
                return Self::open_alone(folder).map(|store| (turn, store));
            }
            // Both locks are of files in the same folder, so that the store is not replaced from now on.
            let store = Self::open(folder)?;
            let turn = WriterLock::of_update(&store.folder)?;
            // Another update may have ended before.
            Ok((turn, store.refreshed()?))
        })
    }

    /// Makes the lock of this store exclusive; returns false if another process has the store open, and the store must
    /// then not be changed any more. Other stores that share the lock are then exclusive, too.
    pub fn try_alone(&self) -> bool {
        let upgraded = self.lock.as_ref().is_some_and(|lock| lock.try_upgrade());
        upgraded && self.folder.is_in_place()
    }

    fn open_locked(named: &Path, lock: impl Fn(&Folder, &str) -> Result<FileLock>) -> Result<Self> {
        for _ in 0..ATTEMPTS {
            let folder = Folder::open(named).map_err(|error| match error {
                Error::NotFound { .. } => not_a_store(named),
                _ if named.is_file() => {
                    let message = "it is a file, not a store; build a store from an edge file with `outcrop build`";
                    Error::io("open", named, std::io::Error::other(message))
                }
                other => other,
            })?;
            let (folder, opened) = Self::in_folder(folder, &lock);
            // A folder that was replaced before it was locked is being removed: discard everything read from it.
            if folder.is_in_place() {
                return opened;
            }
        }
        Err(Error::in_use(named.join(LOCK_NAME), String::new()))
    }

    fn in_folder(folder: Folder, lock: &impl Fn(&Folder, &str) -> Result<FileLock>) -> (Arc<Folder>, Result<Self>) {
        let folder = Arc::new(folder);
        let open = || {
            if matches!(folder.length(MANIFEST_NAME), Err(Error::NotFound { .. })) {
                return Err(not_a_store(folder.named()));
            }
            let lock = lock(&folder, LOCK_NAME).map_err(|error| match error {
                Error::NotFound { path, .. } => Error::missing(path, 0),
                other => other,
            })?;
            let (manifest, version) = Manifest::read(&folder)?;
            let malformed = || Error::corrupt(folder.named().join(MANIFEST_NAME), "its UUID is malformed");
            let id = manifest.store_id().ok_or_else(malformed)?;
            Ok(Self { version, ..Self::new(Arc::clone(&folder), manifest, id, Some(Arc::new(lock))) })
        };
        let outcome = open();
        (folder, outcome)
    }

    fn new(folder: Arc<Folder>, manifest: Manifest, id: StoreId, lock: Option<Arc<FileLock>>) -> Self {
        let (notes, open, unlocked, names) = (Arc::default(), Arc::default(), OnceLock::new(), OnceLock::new());
        Self { folder, manifest, version: Vec::new(), id, notes, lock, open, unlocked, names }
    }

    fn with(&self, manifest: Manifest) -> Self {
        let version = self.version.clone();
        Self { version, ..Self::new(Arc::clone(&self.folder), manifest, self.id, self.lock.clone()) }
    }

    /// Returns true if the store was updated, replaced or removed since it was opened, or if a process waits, up to its
    /// limit, to replace it once readers close it.
    pub fn is_outdated(&self) -> bool {
        let waits = || matches!(self.folder.lock_shared(WRITER_LOCK_NAME), Err(Error::InUse { .. }));
        let is_current = Manifest::version(&self.folder).is_ok_and(|version| version == self.version);
        !is_current || !self.folder.is_in_place() || waits()
    }

    /// Returns the same store without its lock, for results: its IDs and vertex order are open, read with `io` on the
    /// first call, and remain valid when the store is replaced or updated. Its other parts must not be used.
    ///
    /// # Errors
    ///
    /// Returns an error if a component is missing or has the wrong length.
    pub fn unlocked(&self, io: IoChoice) -> Result<Arc<Self>> {
        if let Some(known) = self.unlocked.get() {
            return Ok(Arc::clone(known));
        }
        self.id_components(io)?;
        let store = Self::new(Arc::clone(&self.folder), self.manifest.clone(), self.id, None);
        let store = Self { open: Arc::clone(&self.open), ..store };
        Ok(Arc::clone(self.unlocked.get_or_init(|| Arc::new(store))))
    }

    /// Opens all components with IDs or the vertex order.
    fn id_components(&self, io: IoChoice) -> Result<Vec<Component>> {
        let names = self.manifest.files.iter().map(|file| &file.name);
        names.filter(|name| is_of_ids(name)).map(|name| self.component(name, io)).collect()
    }

    /// Keeps the IDs, and the vertex order, that are read from now on in memory from `budget`, until
    /// [`Store::release_ids`].
    ///
    /// # Errors
    ///
    /// Returns an error if the budget cannot hold all of them, or under the conditions of [`Store::unlocked`].
    pub fn keep_ids(&self, io: IoChoice, budget: &MemoryBudget) -> Result<()> {
        let kept = self.id_components(io)?.iter().try_for_each(|component| component.keep(budget));
        kept.inspect_err(|_| self.release_ids())
    }

    /// Releases the IDs in memory.
    pub fn release_ids(&self) {
        self.open_components().iter().for_each(|(_, _, component)| component.release());
    }

    fn open_components(&self) -> MutexGuard<'_, Vec<(String, IoChoice, Component)>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the same store without its updates: the lists and their vertices as in their files. Layouts see only
    /// such a store; its open components and notes are shared.
    #[must_use]
    pub fn as_written(&self) -> Self {
        // Without a journal, only the updates show their number.
        let journal = self.manifest.changes.updates.as_ref().map(|_| self.manifest.journal_so_far());
        let journal = journal.or_else(|| self.manifest.changes.journal.clone());
        let graph = GraphEntry { vertices: self.manifest.listed_vertices(), ..self.manifest.graph.clone() };
        let changes = ChangeEntries { updates: None, journal };
        let written = self.with(Manifest { graph, changes, ..self.manifest.clone() });
        Self { open: Arc::clone(&self.open), notes: Arc::clone(&self.notes), ..written }
    }

    /// Returns the current state of the store after an update, under the same lock.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`Store::open`].
    pub fn refreshed(&self) -> Result<Self> {
        Manifest::read(&self.folder).map(|(manifest, version)| Self { version, ..self.with(manifest) })
    }

    /// Returns the path of its folder as given by the user, for messages.
    pub fn folder(&self) -> &Path {
        self.folder.named()
    }

    /// Returns the absolute path of its folder, without links, for changing it.
    pub fn place(&self) -> &Path {
        self.folder.place()
    }

    /// Returns the open folder.
    pub(crate) fn files(&self) -> &Folder {
        &self.folder
    }

    /// Returns the manifest.
    pub const fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Returns the direction in which the lists of `direction` are stored: undirected stores have one for both.
    pub const fn stored(&self, direction: Direction) -> Direction {
        if self.manifest.graph.directed { direction } else { Direction::Out }
    }

    /// Returns the stored directions, out before in.
    pub fn stored_directions(&self) -> impl Iterator<Item = Direction> {
        [Direction::Out, Direction::In].into_iter().filter(|direction| self.stored(*direction) == *direction)
    }

    /// Opens the component file `name`, if it is not open. Those of IDs, the vertex order and degrees stay open.
    ///
    /// # Errors
    ///
    /// Returns an error if it is not listed, missing, or of another length.
    pub fn component(&self, name: &str, io: IoChoice) -> Result<Component> {
        let known = self
            .open_components()
            .iter()
            .find(|(open, with, _)| open == name && *with == io)
            .map(|open| open.2.clone());
        if let Some(known) = known {
            return Ok(known);
        }
        let entry = self
            .listed(name)
            .ok_or_else(|| Error::corrupt(self.folder().join(MANIFEST_NAME), format!("it lists no {name}")))?;
        let mut note = |sentence: &str| self.note(sentence);
        let unit_bytes = self.manifest.unit_bytes(name);
        let component = Component::open(&self.folder, entry, UnitSeal::new(self.id, name), unit_bytes, io, &mut note)?;
        if is_of_ids(name) || name.ends_with(".degrees") {
            self.open_components().push((name.to_owned(), io, component.clone()));
        }
        Ok(component)
    }

    /// Returns the file `name` if the manifest lists it: a faster [`Manifest::file`] for repeated queries.
    pub(crate) fn listed(&self, name: &str) -> Option<&FileEntry> {
        let hash = |name: &str| xxh3_64(name.as_bytes());
        let files = &self.manifest.files;
        let names = self.names.get_or_init(|| files.iter().map(|file| hash(&file.name)).zip(0..).collect());
        files.get(*names.get(&hash(name))?).filter(|file| file.name == name)
    }

    /// Opens a file of the store's folder that need not be listed.
    pub(crate) fn device(&self, name: &str, io: IoChoice) -> Result<Arc<dyn Device>> {
        self.folder.device(name, io, &mut |sentence| self.note(sentence))
    }

    /// Returns the store's identity.
    pub(crate) const fn id(&self) -> StoreId {
        self.id
    }

    fn note(&self, sentence: &str) {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        if !notes.iter().any(|known| known == sentence) {
            notes.push(sentence.to_owned());
        }
    }

    /// Takes the notes on opened files, such as a refused I/O backend; each note occurs once.
    pub fn take_notes(&self) -> Vec<String> {
        std::mem::take(&mut *self.notes.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Returns true for components with IDs or the vertex order.
fn is_of_ids(name: &str) -> bool {
    name.starts_with("ids.") || name.starts_with("order.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    fn copy_of(fixture: &str, to: &Path) {
        std::fs::create_dir(to).unwrap();
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(fixture);
        for entry in std::fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }

    #[test]
    fn a_store_that_is_replaced_while_it_is_opened_is_the_new_one_in_all_parts() {
        let parent = tempfile::tempdir().unwrap();
        let [place, new, old] = ["g.outcrop", "new", "old"].map(|name| parent.path().join(name));
        copy_of("v1/integers", &place);
        copy_of("v6/weighted", &new);
        let uuid = Store::open(&new).unwrap().manifest().uuid.clone();
        for lock in [Folder::lock_shared, Folder::lock_exclusive] {
            let calls = Cell::new(0);
            let store = Store::open_locked(&place, |folder, name| {
                if calls.replace(calls.get() + 1) == 0 {
                    std::fs::rename(&place, &old).unwrap();
                    std::fs::rename(&new, &place).unwrap();
                }
                lock(folder, name)
            });
            let store = store.unwrap();
            assert_eq!((calls.get(), &store.manifest().uuid), (2, &uuid));
            for entry in &store.manifest().files {
                assert_eq!(store.component(&entry.name, IoChoice::Buffered).unwrap().device().len(), entry.bytes);
            }
            // The lock belongs to the store that is in place now.
            assert!(matches!(FileLock::try_exclusive(&place.join(LOCK_NAME)), Ok(None)));
            std::fs::rename(&place, &new).unwrap();
            std::fs::rename(&old, &place).unwrap();
        }
    }
}
