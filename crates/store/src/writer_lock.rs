//! Locks of readers and writers: a waiting writer has priority over readers that have not started (decision 0007).

use outcrop_io::{FileLock, Folder};
use outcrop_types::{Cancellation, Error, Result, Stopwatch};
use std::path::Path;
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

/// Empty file that readers and writers of a store lock.
pub(crate) const LOCK_NAME: &str = "lock";
/// File that a writer locks exclusively while it waits and writes; it exists only then.
pub(crate) const WRITER_LOCK_NAME: &str = "lock.writer";
/// File that an update locks exclusively; readers need not wait for it. It exists only then.
pub(crate) const UPDATE_LOCK_NAME: &str = "lock.update";
/// Time between attempts.
const PAUSE: Duration = Duration::from_millis(5);
/// Maximum time that a reader waits behind a writer.
const PATIENCE: Duration = Duration::from_secs(5);

/// Lock of a process that changes a store.
pub struct WriterLock {
    /// Lock, and the folder and name of its file; `None` if there is no store, or no time to wait.
    taken: Option<(FileLock, Arc<Folder>, &'static str)>,
}

impl WriterLock {
    /// Waits at most `wait` until no other process has the store in `folder` open. New readers are blocked while the
    /// lock is held. Does not wait if there is no store or `wait` is zero.
    ///
    /// # Errors
    ///
    /// Returns [`Error::InUse`] after that time, or an error if the wait is interrupted or the lock file cannot be
    /// created.
    pub fn wait(folder: &Path, wait: Duration, cancellation: &Cancellation) -> Result<Self> {
        let watch = Stopwatch::start();
        loop {
            let left = wait.saturating_sub(watch.elapsed());
            match Self::attempt(folder, cancellation, &|| watch.elapsed() < wait) {
                // The store was replaced in the meantime.
                Ok(None) if !left.is_zero() => {}
                Ok(None) => return Ok(Self { taken: None }),
                Ok(Some(turn)) => return Ok(turn),
                Err(error) => return Err(error),
            }
            sleep(PAUSE);
        }
    }

    /// Locks an open store for an update, without waiting; readers are not blocked.
    ///
    /// # Errors
    ///
    /// Returns [`Error::InUse`] if another process updates the store, or an error if the lock file cannot be created.
    pub(crate) fn of_update(folder: &Arc<Folder>) -> Result<Self> {
        match folder.try_lock_created(UPDATE_LOCK_NAME)? {
            Some(held) => Ok(Self { taken: Some((held, Arc::clone(folder), UPDATE_LOCK_NAME)) }),
            None => Err(Error::in_use(folder.named().join(UPDATE_LOCK_NAME), String::new())),
        }
    }

    /// Returns the lock, or `None` if another store has replaced this one.
    fn attempt(folder: &Path, cancellation: &Cancellation, in_time: &dyn Fn() -> bool) -> Result<Option<Self>> {
        let Ok(store) = Folder::open(folder).map(Arc::new) else { return Ok(Some(Self { taken: None })) };
        if !in_time() || !matches!(store.length(LOCK_NAME), Ok(Some(_))) {
            return Ok(Some(Self { taken: None }));
        }
        let until = |name, attempt: &dyn Fn() -> Result<Option<FileLock>>| loop {
            cancellation.check()?;
            match attempt()? {
                Some(held) => return Ok(held),
                None if in_time() => sleep(PAUSE),
                // Names the process that has the lock.
                None => return store.lock_exclusive(name),
            }
        };
        let both = || {
            let held = until(WRITER_LOCK_NAME, &|| store.try_lock_created(WRITER_LOCK_NAME))?;
            let taken = Self { taken: Some((held, Arc::clone(&store), WRITER_LOCK_NAME)) };
            // The writer itself takes this lock next: it is free, and stays free except for writers that do not wait.
            until(LOCK_NAME, &|| store.try_lock_exclusive(LOCK_NAME)).map(|_| taken)
        };
        match both() {
            // In a folder that was replaced and removed, no file can be created.
            Err(Error::NotFound { .. }) => Ok(None),
            outcome => outcome.map(|taken| Some(taken).filter(|_| store.is_in_place())),
        }
    }
}

impl Drop for WriterLock {
    fn drop(&mut self) {
        if let Some((_held, folder, name)) = &self.taken {
            // The file in this folder, even if a merge has replaced it. A failure is ignored: an unlocked file has no
            // effect.
            _ = folder.remove(name);
        }
    }
}

/// Repeats `work` while it returns [`Error::InUse`], for at most `wait`.
///
/// # Errors
///
/// Returns the error of `work`, or an error if the wait is interrupted.
pub fn while_in_use<T>(wait: Duration, cancellation: &Cancellation, mut work: impl FnMut() -> Result<T>) -> Result<T> {
    let watch = Stopwatch::start();
    loop {
        match work() {
            Err(Error::InUse { .. }) if watch.elapsed() < wait => cancellation.check()?,
            outcome => return outcome,
        }
        sleep(PAUSE);
    }
}

/// Maximum time that a reader waits for an exclusive lock of unknown purpose, such as that of an update at its end.
const SHORT_PATIENCE: Duration = Duration::from_millis(500);

/// Locks `name` of a store in `folder` in shared mode, after any waiting writer, and after an update that removes files
/// that no reader uses.
pub(crate) fn lock_behind_writers(folder: &Folder, name: &str) -> Result<FileLock> {
    let watch = Stopwatch::start();
    loop {
        match lock_behind_waiting_writers(folder, name, &watch) {
            Err(Error::InUse { .. }) if watch.elapsed() < SHORT_PATIENCE => {}
            Err(Error::InUse { .. }) if watch.elapsed() < PATIENCE && folder.length(UPDATE_LOCK_NAME).is_ok() => {}
            outcome => return outcome,
        }
        sleep(PAUSE);
    }
}

fn lock_behind_waiting_writers(folder: &Folder, name: &str, watch: &Stopwatch) -> Result<FileLock> {
    let _passing = loop {
        match folder.lock_shared(WRITER_LOCK_NAME) {
            Err(error @ Error::InUse { .. }) if watch.elapsed() >= PATIENCE => return Err(error),
            Err(Error::InUse { .. }) => sleep(PAUSE),
            // The file does not exist or is not readable: then no writer waits for this reader.
            passing => break passing.ok(),
        }
    };
    folder.lock_shared(name)
}
