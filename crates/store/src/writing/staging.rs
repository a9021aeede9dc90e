//! A store in the making: a folder beside the target that becomes the target whole or not at all.

use crate::checkpoint_folder::CheckpointFolder;
use crate::component::FileEntry;
use crate::manifest::{MANIFEST_NAME, Manifest};
use crate::owned::{Marker, foreign, is_store, require_own_place};
use crate::store::{HISTORY_NAME, Store};
use crate::turn::LOCK_NAME;
use outcrop_io::{FileLock, Folder, Storage};
use outcrop_types::{Error, Result};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Mark in the names of folders of stores in the making, behind the name of the store.
const STAGING_MARK: &str = ".tmp-";

/// A folder that is removed again unless it is published.
pub(super) struct Staging<'s> {
    storage: &'s dyn Storage,
    target: PathBuf,
    folder: PathBuf,
    /// True if a store stands at the target that will be replaced; below, its lock, where nobody else holds that for
    /// us.
    replaces: bool,
    _replaced: Option<FileLock>,
    lock: Option<FileLock>,
    published: bool,
    /// True if a checkpoint needs what is in the folder.
    kept: AtomicBool,
}

impl<'s> Staging<'s> {
    /// Begins a store that will appear at `target`.
    ///
    /// # Errors
    /// Something stands there that may not be replaced, or is in use; the folder cannot be made.
    pub(super) fn begin(storage: &'s dyn Storage, target: &Path, overwrite: bool) -> Result<Self> {
        let (target, replaced) = claim_target(target, overwrite)?;
        remove_stale(storage, &target);
        let folder = temporary_sibling(&target)?;
        storage.create_folder(&folder)?;
        let mut staging = Self::new(storage, (target, replaced), folder);
        let lock = staging.folder.join(LOCK_NAME);
        storage.create(&lock)?.sync()?;
        staging.lock = Some(FileLock::exclusive(&lock)?);
        mark(storage, &staging.folder)?;
        Ok(staging)
    }

    fn new(storage: &'s dyn Storage, (target, replaced): (PathBuf, Option<FileLock>), folder: PathBuf) -> Self {
        let (replaces, kept) = (replaced.is_some(), AtomicBool::new(false));
        Self { storage, target, folder, replaces, _replaced: replaced, lock: None, published: false, kept }
    }

    /// Goes on with a store in the making that a checkpoint calls `name`, and that has these `files`: what else is in
    /// it is removed.
    ///
    /// # Errors
    /// As for [`Staging::begin`]; [`Error::Corrupt`] where the files are not there.
    pub(super) fn resume(
        storage: &'s dyn Storage,
        target: &Path,
        overwrite: bool,
        (name, files): (&str, &[FileEntry]),
    ) -> Result<Self> {
        let claimed = claim_target(target, overwrite)?;
        let folder = parent_of(&claimed.0).join(name);
        let marked = name.split_once(STAGING_MARK).is_some_and(|(_, mark)| is_mark(mark));
        let missing = |message: String| CheckpointFolder::damaged(Error::corrupt(&folder, message));
        if !marked || !std::fs::symlink_metadata(&folder).is_ok_and(|found| found.is_dir()) || !is_ours(&folder) {
            return Err(missing("the checkpoint needs this folder, but it is missing".to_owned()));
        }
        let lock = FileLock::exclusive(&folder.join(LOCK_NAME))?;
        if !Marker::STAGING.is_in(&folder) {
            mark(storage, &folder)?;
        }
        for FileEntry { name, bytes, .. } in files {
            let found = std::fs::symlink_metadata(folder.join(name)).map(|found| found.len());
            if !found.is_ok_and(|found| found == *bytes) {
                return Err(missing(format!("the checkpoint needs {name} of {bytes} bytes in it, which is missing")));
            }
        }
        let failed = |error| Error::io("list", &folder, error);
        for entry in std::fs::read_dir(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name();
            let stays = [LOCK_NAME, Marker::STAGING.name].into_iter().any(|stays| name == stays);
            if !stays && !files.iter().any(|file| name == OsStr::new(&file.name)) {
                storage.remove_file(&entry.path())?;
            }
        }
        let mut staging = Self::new(storage, claimed, folder);
        (staging.lock, staging.kept) = (Some(lock), AtomicBool::new(true));
        Ok(staging)
    }

    /// Makes the names of the files in the folder durable, which a checkpoint is to list: the folder stays where the
    /// build ends without a store. The folder's name.
    ///
    /// # Errors
    /// The system could not.
    pub(super) fn keep(&self) -> Result<String> {
        self.storage.sync_folder(&self.folder)?;
        self.storage.sync_folder(parent_of(&self.folder))?;
        let name = self.folder.file_name().and_then(OsStr::to_str);
        let name = name.ok_or_else(|| {
            let message = "the name of the store is not UTF-8, which checkpoints need; choose another name";
            Error::Usage(format!("{}: {message}", self.target.display()))
        })?;
        let name = name.to_owned();
        self.kept.store(true, Relaxed);
        Ok(name)
    }

    /// Folder of the components.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes the manifest and makes the store appear; all components are durable already.
    ///
    /// # Errors
    /// The manifest cannot be written, or something has come to stand at the target meanwhile.
    pub(super) fn publish(mut self, manifest: &Manifest) -> Result<()> {
        manifest.write(self.storage, &self.folder.join(MANIFEST_NAME))?;
        self.storage.sync_folder(&self.folder)?;
        // From here on the manifest tells that the folder is a store.
        self.storage.remove_file(&self.folder.join(Marker::STAGING.name))?;
        self.storage.sync_folder(&self.folder)?;
        self.appear()
    }

    /// Lets the folder, which is complete and durable, become the target.
    fn appear(&mut self) -> Result<()> {
        self.put(&self.folder, &self.target)?;
        if let Err(error) = self.storage.sync_folder(parent_of(&self.target)) {
            // What may not last is taken back, so that an error means that nothing has changed. Where it cannot be, the
            // store stands.
            if self.put(&self.target, &self.folder).is_ok() {
                return Err(error);
            }
        }
        // Of an overwritten store `folder` is now the old one, which is removed when this is dropped.
        self.published = !self.replaces;
        self.kept.store(false, Relaxed);
        Ok(())
    }

    /// Gives a store another name, or exchanges it with the one that it replaces.
    fn put(&self, from: &Path, to: &Path) -> Result<()> {
        if self.replaces { self.storage.exchange(from, to) } else { self.storage.rename(from, to) }
    }
}

impl Drop for Staging<'_> {
    fn drop(&mut self) {
        if !self.published && !self.kept.load(Relaxed) {
            // Nothing better can be done with a failure: the next build tries again.
            _ = remove(self.storage, &self.folder);
        }
    }
}

/// Lets a store that was made beside `target`, under the name of one in the making, become the target.
///
/// # Errors
/// Something stands at the target that may not be replaced, or is in use; the folder cannot be renamed. What stood at
/// the target is as it was, and what was made may be gone.
pub fn publish(storage: &dyn Storage, made: &Path, target: &Path, overwrite: bool) -> Result<()> {
    let (target, replaced) = claim_target(target, overwrite)?;
    let mut staging = Staging::new(storage, (target, replaced), made.to_owned());
    staging.lock = Some(FileLock::exclusive(&made.join(LOCK_NAME))?);
    staging.appear()
}

/// [`publish`] in the place of `store`, which is open alone ([`Store::open_alone`]); the history of its runs goes
/// along.
///
/// # Errors
/// [`Error::InUse`] where another folder has been put in the place of the store; the folders cannot be exchanged.
/// `store` is as it was, and what was made is gone.
pub fn publish_over(storage: &dyn Storage, made: &Path, store: &Store) -> Result<()> {
    let lock = Some(FileLock::exclusive(&made.join(LOCK_NAME))?);
    if !store.files().is_in_place() {
        return Err(Error::in_use(store.folder(), String::new()));
    }
    let mut staging = Staging::new(storage, (store.place().to_owned(), None), made.to_owned());
    (staging.lock, staging.replaces) = (lock, true);
    staging.appear()?;
    // The graph is the same, and so are its runs, and what somebody else has put there. Nobody has it open before the
    // lock is let go.
    let moved = foreign(made, Some(store.manifest())).and_then(|others| {
        std::iter::once(HISTORY_NAME.into()).chain(others).try_for_each(|name| {
            let [left, kept] = [made, store.place()].map(|folder| folder.join(&name));
            if std::fs::symlink_metadata(&left).is_ok() { storage.rename(&left, &kept) } else { Ok(()) }
        })
    });
    // The store is replaced whatever comes of that; what could not be moved stays in the folder of the old one.
    staging.kept.store(moved.is_err(), Relaxed);
    Ok(())
}

/// The manifest of the store at `target`.
pub(super) fn manifest_at(target: &Path) -> Result<Manifest> {
    Folder::open(&place_of(target)).and_then(|folder| Manifest::read(&folder))
}

/// Removes what killed builds of `target`, and updates that made another store in its place, have left beside it.
pub fn remove_left_over(storage: &dyn Storage, target: &Path) {
    remove_stale(storage, &place_of(target));
}

/// A name beside `target` for a store in the making: what is left of it is removed by the next build of `target`.
///
/// # Errors
/// `target` cannot be the name of a store; no random numbers.
pub fn temporary_sibling(target: &Path) -> Result<PathBuf> {
    let place = place_of(target);
    let name = place.file_name();
    let name = name.ok_or_else(|| Error::Usage(format!("{} is not a valid name for a store", target.display())))?;
    let mark = crate::component::StoreId::random()?.to_hex();
    let mut sibling = name.to_owned();
    sibling.push(format!("{STAGING_MARK}{}", &mark[..16]));
    Ok(parent_of(&place).join(sibling))
}

/// The path without links at which `target` is made or replaced: where it leads to if it is a link, which stays. It is
/// `target` as it was named, for messages, where there is no link in it; a link to nothing is left as it is.
pub(super) fn place_of(target: &Path) -> PathBuf {
    let Some(name) = target.file_name() else { return target.to_owned() };
    // Without the slash that may stand at its end, behind which a link is not seen.
    let named = target.with_file_name(name);
    let is_link = std::fs::symlink_metadata(&named).is_ok_and(|found| found.is_symlink());
    let place = match is_link {
        true => named.canonicalize(),
        false => parent_of(&named).canonicalize().map(|parent| parent.join(name)),
    };
    let is_plain = |place: &PathBuf| std::path::absolute(&named).is_ok_and(|named| named == *place);
    place.ok().filter(|place| !is_plain(place)).unwrap_or(named)
}

/// Makes sure that `target` may be written: where it lies, and the lock of the store that stands there.
fn claim_target(target: &Path, overwrite: bool) -> Result<(PathBuf, Option<FileLock>)> {
    let place = place_of(target);
    require_own_place(parent_of(&place))?;
    match std::fs::symlink_metadata(&place) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok((place, None)),
        Err(source) => Err(Error::io("access", target, source)),
        Ok(_) if !overwrite => Err(Error::AlreadyExists { path: target.to_owned() }),
        Ok(found) if found.is_dir() && is_store(&place) => {
            // Of a store that is damaged only the names tell what is of it.
            let manifest = Folder::open(&place).and_then(|folder| Manifest::read(&folder)).ok();
            if let Some(name) = foreign(&place, manifest.as_ref())?.first() {
                return Err(Error::Usage(format!(
                    "{} contains a foreign file, which --overwrite would remove: {}; move it elsewhere",
                    target.display(),
                    name.display()
                )));
            }
            let lock = FileLock::exclusive(&place.join(LOCK_NAME)).map_err(|error| match error {
                Error::InUse { by, .. } => Error::in_use(target.join(LOCK_NAME), by),
                other => other,
            })?;
            Ok((place, Some(lock)))
        }
        Ok(_) => Err(Error::Usage(format!("{} is not a store, so --overwrite does not replace it", target.display()))),
    }
}

/// Removes what builds of the same target that were killed have left.
fn remove_stale(storage: &dyn Storage, target: &Path) {
    let Ok(entries) = std::fs::read_dir(parent_of(target)) else { return };
    let Some(name) = target.file_name() else { return };
    let prefix = [name.as_encoded_bytes(), STAGING_MARK.as_bytes()].concat();
    for entry in entries.flatten() {
        let found = entry.file_name();
        let mark = found.as_encoded_bytes().strip_prefix(&*prefix).and_then(|mark| std::str::from_utf8(mark).ok());
        let ours = mark.is_some_and(is_mark);
        // A folder whose lock can be had belongs to no running build; one without a lock was killed before it had
        // written anything.
        let lock = entry.path().join(LOCK_NAME);
        if ours && entry.file_type().is_ok_and(|kind| kind.is_dir()) && is_ours(&entry.path()) {
            match FileLock::try_exclusive(&lock) {
                Ok(Some(_held)) => _ = remove(storage, &entry.path()),
                Ok(None) => {}
                Err(_) => _ = std::fs::remove_dir(entry.path()),
            }
        }
    }
}

/// Puts the marker of a store in the making into `folder`.
fn mark(storage: &dyn Storage, folder: &Path) -> Result<()> {
    let mut file = storage.create(&folder.join(Marker::STAGING.name))?;
    file.write(Marker::STAGING.line.as_bytes())?;
    file.sync()
}

/// True if the folder, which has the name of a store in the making, is one: it has our marker, or our manifest, or
/// nothing was written to it yet.
fn is_ours(folder: &Path) -> bool {
    let is_nothing = |name: OsString| match name.to_str() {
        Some(LOCK_NAME) => {
            std::fs::symlink_metadata(folder.join(name)).is_ok_and(|lock| lock.is_file() && lock.len() == 0)
        }
        Some(name) if name == Marker::STAGING.name => {
            Marker::STAGING.read(folder, 64).is_some_and(|found| Marker::STAGING.is_begun_in(&found))
        }
        _ => false,
    };
    let skeleton =
        || Folder::open(folder).and_then(|folder| folder.names()).is_ok_and(|names| names.into_iter().all(is_nothing));
    Marker::STAGING.is_in(folder) || is_store(folder) || skeleton()
}

/// Removes a store in the making, what tells that it is one and its lock last: where a kill cuts this short, the next
/// build finds these or an empty folder. What a link leads to is nothing that we made: it stays.
fn remove(storage: &dyn Storage, folder: &Path) -> Result<()> {
    let failed = |error| Error::io("remove", folder, error);
    if !std::fs::symlink_metadata(folder).map_err(failed)?.is_dir() {
        return Err(failed(std::io::ErrorKind::NotADirectory.into()));
    }
    let last = [Marker::STAGING.name, MANIFEST_NAME];
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if name != LOCK_NAME && last.iter().all(|last| name != *last) {
            // What stays is removed with the folder, or keeps it from being removed, which is then the error.
            _ = storage.remove_file(&entry.path());
        }
    }
    for name in last.map(|name| folder.join(name)) {
        if std::fs::symlink_metadata(&name).is_ok() {
            _ = storage.remove_file(&name);
        }
    }
    storage.remove_folder(folder)
}

/// True of text behind a mark: 16 digits, and of a store that was in the making beside one in the making, both.
fn is_mark(text: &str) -> bool {
    text.split(STAGING_MARK).all(|mark| mark.len() == 16 && mark.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

pub(super) fn parent_of(target: &Path) -> &Path {
    target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use outcrop_io::{Disk, FaultyStorage, StorageFault};
    use std::sync::Arc;

    #[test]
    fn what_a_link_leads_to_is_not_removed() {
        let parent = tempfile::tempdir().unwrap();
        let [real, link] = ["real", "link"].map(|name| parent.path().join(name));
        std::fs::create_dir(&real).unwrap();
        std::fs::write(real.join("kept"), "kept").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        remove(&Disk, &link).unwrap_err();
        assert_eq!(std::fs::read(real.join("kept")).unwrap(), b"kept");
    }

    #[test]
    fn the_lock_is_removed_last() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("g.outcrop.tmp-0123456789abcdef");
        std::fs::create_dir(&folder).unwrap();
        let names = ["a", LOCK_NAME, "z"];
        names.iter().for_each(|name| std::fs::write(folder.join(name), name).unwrap());
        let fault = StorageFault::Fail(std::io::ErrorKind::PermissionDenied);
        remove(&FaultyStorage::new(Arc::new(Disk), 2, fault), &folder).unwrap_err();
        let left: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, [LOCK_NAME]);
        remove(&Disk, &folder).unwrap();
        assert!(!folder.exists());
    }
}
