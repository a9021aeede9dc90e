//! Unpublished store: a folder next to the target that becomes the target atomically.

use crate::checkpoint_folder::CheckpointFolder;
use crate::component::FileEntry;
use crate::manifest::{MANIFEST_NAME, Manifest};
use crate::owned::{Marker, foreign, is_store, require_name, require_own_place};
use crate::store::{HISTORY_NAME, Store};
use crate::writer_lock::LOCK_NAME;
use outcrop_io::{FileLock, Folder, Storage};
use outcrop_types::{Error, Result};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Infix in the names of folders of unpublished stores, after the name of the store.
const STAGING_MARK: &str = ".tmp-";

/// Folder that is removed unless it is published.
pub(super) struct Staging<'s> {
    storage: &'s dyn Storage,
    target: PathBuf,
    folder: PathBuf,
    /// True if an existing store at the target is replaced; below, its lock, unless the caller holds it.
    replaces: bool,
    replaced: Option<FileLock>,
    lock: Option<FileLock>,
    published: bool,
    /// True if a checkpoint needs the content of the folder.
    kept: AtomicBool,
}

impl<'s> Staging<'s> {
    /// Creates the folder of a store that will appear at `target`.
    ///
    /// # Errors
    ///
    /// Returns an error if the target exists and may not be overwritten or is in use, or if the folder cannot be
    /// created.
    pub(super) fn begin(storage: &'s dyn Storage, target: &Path, overwrite: bool) -> Result<Self> {
        let (target, replaced) = claim_target(target, overwrite)?;
        remove_stale(storage, &target);
        let folder = temporary_sibling(&target)?;
        storage.create_folder(&folder)?;
        let mut staging = Self::new(storage, target, replaced, folder);
        let lock = staging.folder.join(LOCK_NAME);
        storage.create(&lock)?.sync()?;
        staging.lock = Some(FileLock::exclusive(&lock)?);
        mark(storage, &staging.folder)?;
        // If a crash kept the components without the marker, no build would remove them.
        storage.sync_folder(&staging.folder)?;
        Ok(staging)
    }

    fn new(storage: &'s dyn Storage, target: PathBuf, replaced: Option<FileLock>, folder: PathBuf) -> Self {
        let (replaces, kept) = (replaced.is_some(), AtomicBool::new(false));
        Self { storage, target, folder, replaces, replaced, lock: None, published: false, kept }
    }

    /// Resumes an unpublished store that a checkpoint calls `name`, with these `files`; removes all others in the
    /// folder.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`Staging::begin`], or [`Error::Corrupt`] if the files are
    /// missing.
    pub(super) fn resume(
        storage: &'s dyn Storage,
        target: &Path,
        overwrite: bool,
        name: &str,
        files: &[FileEntry],
    ) -> Result<Self> {
        let (target, replaced) = claim_target(target, overwrite)?;
        let folder = parent_of(&target).join(name);
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
        let mut staging = Self::new(storage, target, replaced, folder);
        (staging.lock, staging.kept) = (Some(lock), AtomicBool::new(true));
        Ok(staging)
    }

    /// Makes the names of the files in the folder durable before a checkpoint lists them. The folder then remains if
    /// the build ends without a store. Returns the name of the folder.
    ///
    /// # Errors
    ///
    /// Returns an error if the system call fails.
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

    /// Returns the folder of the components.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes the manifest and publishes the store; all components must be durable.
    ///
    /// # Errors
    ///
    /// Returns an error if the manifest cannot be written, or if the target has appeared in the meantime.
    pub(super) fn publish(mut self, manifest: &Manifest) -> Result<()> {
        manifest.write(self.storage, &self.folder.join(MANIFEST_NAME))?;
        self.storage.sync_folder(&self.folder)?;
        // From here on, the manifest marks the folder as a store.
        self.storage.remove_file(&self.folder.join(Marker::STAGING.name))?;
        self.storage.sync_folder(&self.folder)?;
        self.appear()
    }

    /// Renames the complete and durable folder to the target.
    fn appear(&mut self) -> Result<()> {
        self.put(&self.folder, &self.target)?;
        if let Err(error) = self.storage.sync_folder(parent_of(&self.target)) {
            // Undo a rename that may not be durable, so that an error means that nothing has changed. If that fails,
            // the store stays.
            if self.put(&self.target, &self.folder).is_ok() {
                return Err(error);
            }
        }
        // After overwriting a store, `folder` is the old one, which is removed on drop.
        self.published = !self.replaces;
        self.kept.store(false, Relaxed);
        Ok(())
    }

    /// Renames a store, or exchanges it with the one that it replaces.
    fn put(&self, from: &Path, to: &Path) -> Result<()> {
        if self.replaces { self.storage.exchange(from, to) } else { self.storage.rename(from, to) }
    }
}

impl Drop for Staging<'_> {
    fn drop(&mut self) {
        if !self.published && !self.kept.load(Relaxed) {
            // On FUSE and NFS, a folder whose lock is open cannot be removed.
            (self.lock, self.replaced) = (None, None);
            // A failure is ignored: the next build tries again.
            _ = remove(self.storage, &self.folder);
        }
    }
}

/// Moves a store that was built next to `target`, under the name of an unpublished store, to the target.
///
/// # Errors
///
/// Returns an error if the target exists and may not be overwritten or is in use, or if the folder cannot be renamed.
/// The target is then unchanged, and the new store may be removed.
pub fn publish(storage: &dyn Storage, made: &Path, target: &Path, overwrite: bool) -> Result<()> {
    let (target, replaced) = claim_target(target, overwrite)?;
    let mut staging = Staging::new(storage, target, replaced, made.to_owned());
    staging.lock = Some(FileLock::exclusive(&made.join(LOCK_NAME))?);
    staging.appear()?;
    remove_stale(storage, &staging.target);
    Ok(())
}

/// Same as [`publish`] to the location of `store`, which must be opened exclusively ([`Store::open_for_update`]); moves
/// the run history along.
///
/// # Errors
///
/// Returns [`Error::InUse`] if another folder has replaced the store, or an error if the folders cannot be exchanged.
/// `store` is then unchanged, and the new store is removed. On FUSE and NFS, a part of the replaced store stays as long
/// as `store` is open: then [`remove_left_over`] removes it.
pub fn publish_over(storage: &dyn Storage, made: &Path, store: &Store) -> Result<()> {
    let lock = Some(FileLock::exclusive(&made.join(LOCK_NAME))?);
    if !store.files().is_in_place() {
        return Err(Error::in_use(store.folder(), String::new()));
    }
    let mut staging = Staging::new(storage, store.place().to_owned(), None, made.to_owned());
    (staging.lock, staging.replaces) = (lock, true);
    staging.appear()?;
    // The graph is the same, so its run history and foreign files belong to the new store. No other process has it open
    // before the lock is released.
    let moved = foreign(made, Some(store.manifest())).and_then(|others| {
        std::iter::once(HISTORY_NAME.into()).chain(others).try_for_each(|name| {
            let [left, kept] = [made, store.place()].map(|folder| folder.join(&name));
            if std::fs::symlink_metadata(&left).is_ok() { storage.rename(&left, &kept) } else { Ok(()) }
        })
    });
    // The store is replaced regardless of the outcome; files that could not be moved stay in the folder of the old
    // store.
    staging.kept.store(moved.is_err(), Relaxed);
    Ok(())
}

/// Returns the manifest of the store at `target`.
pub(super) fn manifest_at(target: &Path) -> Result<Manifest> {
    Folder::open(&place_of(target)).and_then(|folder| Manifest::read(&folder)).map(|(manifest, _)| manifest)
}

/// Removes leftovers next to `target` of killed builds, and of updates that built a replacement store.
pub fn remove_left_over(storage: &dyn Storage, target: &Path) {
    remove_stale(storage, &place_of(target));
}

/// Removes the complete store `folder`, which was built under the name of an unpublished store; its lock last, so that
/// after a kill the next build finds the rest.
///
/// # Errors
///
/// Returns an error if the folder cannot be removed.
pub fn remove_unpublished(storage: &dyn Storage, folder: &Path) -> Result<()> {
    remove(storage, folder)
}

/// Returns a name next to `target` for an unpublished store; the next build of `target` removes leftovers with such
/// names.
///
/// # Errors
///
/// Returns an error if `target` cannot be the name of a store, or if there are no random numbers.
pub fn temporary_sibling(target: &Path) -> Result<PathBuf> {
    let place = place_of(target);
    let name = place.file_name();
    let name = name.ok_or_else(|| Error::Usage(format!("{} is not a valid name for a store", target.display())))?;
    let mark = crate::component::StoreId::random()?.to_hex();
    let mut sibling = name.to_owned();
    sibling.push(format!("{STAGING_MARK}{}", &mark[..16]));
    Ok(parent_of(&place).join(sibling))
}

/// Returns the path without links at which `target` is created or replaced: the destination if `target` is a link,
/// which stays. Returns `target` as given, for messages, if it contains no link or leads nowhere.
pub(super) fn place_of(target: &Path) -> PathBuf {
    let Some(name) = target.file_name() else { return target.to_owned() };
    // Without a trailing slash, which would hide a link.
    let named = target.with_file_name(name);
    let is_link = std::fs::symlink_metadata(&named).is_ok_and(|found| found.is_symlink());
    let place = match is_link {
        true => named.canonicalize(),
        false => parent_of(&named).canonicalize().map(|parent| parent.join(name)),
    };
    let is_plain = |place: &PathBuf| std::path::absolute(&named).is_ok_and(|named| named == *place);
    place.ok().filter(|place| !is_plain(place)).unwrap_or(named)
}

/// Checks that `target` may be written; returns its location, and the lock of the existing store.
fn claim_target(target: &Path, overwrite: bool) -> Result<(PathBuf, Option<FileLock>)> {
    require_name(target)?;
    let place = place_of(target);
    require_own_place(parent_of(&place))?;
    match std::fs::symlink_metadata(&place) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok((place, None)),
        Err(source) => Err(Error::io("access", target, source)),
        Ok(_) if !overwrite => Err(Error::AlreadyExists { path: target.to_owned() }),
        Ok(found) if found.is_dir() && is_store(&place) => {
            // In a damaged store, only the names show which files belong to it.
            let manifest = manifest_at(&place).ok();
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

/// Removes leftovers of killed builds of the same target, but none with files of others: these are there if they could
/// not be moved to the store that replaced theirs.
fn remove_stale(storage: &dyn Storage, target: &Path) {
    let Ok(entries) = std::fs::read_dir(parent_of(target)) else { return };
    let Some(name) = target.file_name() else { return };
    let prefix = [name.as_encoded_bytes(), STAGING_MARK.as_bytes()].concat();
    for entry in entries.flatten() {
        let found = entry.file_name();
        let mark = found.as_encoded_bytes().strip_prefix(&*prefix).and_then(|mark| std::str::from_utf8(mark).ok());
        let ours = mark.is_some_and(is_mark);
        // A folder whose lock is free or missing belongs to no running build: a build creates the lock first.
        let lock = entry.path().join(LOCK_NAME);
        let manifest = || manifest_at(&entry.path()).ok();
        let only_ours = || foreign(&entry.path(), manifest().as_ref()).is_ok_and(|others| others.is_empty());
        if ours && entry.file_type().is_ok_and(|kind| kind.is_dir()) && is_ours(&entry.path()) && only_ours() {
            let free = match FileLock::try_exclusive(&lock) {
                // On FUSE and NFS, a folder whose lock is open cannot be removed.
                Ok(held) => held.map(drop).is_some(),
                Err(error) => matches!(error, Error::NotFound { .. }),
            };
            if free {
                _ = remove(storage, &entry.path());
            }
        }
    }
}

/// Writes the marker of an unpublished store to `folder`.
fn mark(storage: &dyn Storage, folder: &Path) -> Result<()> {
    let mut file = storage.create(&folder.join(Marker::STAGING.name))?;
    file.write(Marker::STAGING.line.as_bytes())?;
    file.sync()
}

/// Returns true if a folder with the name of an unpublished store is one: it contains our marker or our manifest, or is
/// empty.
fn is_ours(folder: &Path) -> bool {
    let is_nothing = |name: OsString| match name.to_str() {
        Some(LOCK_NAME) => {
            std::fs::symlink_metadata(folder.join(name)).is_ok_and(|lock| lock.is_file() && lock.len() == 0)
        }
        Some(name) if name == Marker::STAGING.name => {
            Marker::STAGING.read(folder, 64).is_some_and(|found| Marker::STAGING.is_partly_written(&found))
        }
        _ => false,
    };
    let skeleton =
        || Folder::open(folder).and_then(|folder| folder.names()).is_ok_and(|names| names.into_iter().all(is_nothing));
    Marker::STAGING.is_in(folder) || is_store(folder) || skeleton()
}

/// Removes an unpublished store, its marker and lock last: after a kill, the next build finds these or an empty folder.
/// The destination of a link is not ours and stays.
fn remove(storage: &dyn Storage, folder: &Path) -> Result<()> {
    let failed = |error| Error::io("remove", folder, error);
    if !std::fs::symlink_metadata(folder).map_err(failed)?.is_dir() {
        return Err(failed(std::io::ErrorKind::NotADirectory.into()));
    }
    let last = [Marker::STAGING.name, MANIFEST_NAME];
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if name != LOCK_NAME && last.iter().all(|last| name != *last) {
            // Remaining files are removed with the folder, or prevent its removal, which is then the reported error.
            _ = match entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                true => storage.remove_folder(&entry.path()),
                false => storage.remove_file(&entry.path()),
            };
        }
    }
    // If a crash kept the others without the marker, no build would remove them.
    _ = storage.sync_folder(folder);
    for name in last.map(|name| folder.join(name)) {
        if std::fs::symlink_metadata(&name).is_ok() {
            _ = storage.remove_file(&name);
        }
    }
    storage.remove_folder(folder)
}

/// Returns true if the text after the first infix is 16 hexadecimal digits; a temporary sibling of an unpublished store
/// has two such suffixes.
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
        std::fs::create_dir_all(folder.join("runs/deep")).unwrap();
        let fault = StorageFault::Fail(std::io::ErrorKind::PermissionDenied);
        // Both files, the inner folder and the sync of the folder come first.
        remove(&FaultyStorage::new(Arc::new(Disk), 4, fault), &folder).unwrap_err();
        let left: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, [LOCK_NAME]);
        remove(&Disk, &folder).unwrap();
        assert!(!folder.exists());
    }

    #[test]
    fn an_unpublished_store_without_its_lock_is_a_leftover() {
        let parent = tempfile::tempdir().unwrap();
        let target = parent.path().join("g.outcrop");
        let folder = |mark: &str, manifest: &str| {
            let folder = parent.path().join(format!("g.outcrop.tmp-{mark}"));
            std::fs::create_dir(&folder).unwrap();
            std::fs::write(folder.join(MANIFEST_NAME), manifest).unwrap();
            std::fs::write(folder.join("out.degrees"), "degrees").unwrap();
            folder
        };
        let ours = folder("0123456789abcdef", crate::manifest::FIRST_KEY);
        let foreign = folder("fedcba9876543210", "{}");
        let with_notes = folder("0000000000000000", crate::manifest::FIRST_KEY);
        std::fs::write(with_notes.join("notes.txt"), "mine").unwrap();
        remove_left_over(&Disk, &target);
        assert_eq!((ours.exists(), foreign.exists()), (false, true));
        assert_eq!(std::fs::read(with_notes.join("notes.txt")).unwrap(), b"mine");
    }
}
