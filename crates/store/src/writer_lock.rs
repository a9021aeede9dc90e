//! Locks of readers and writers: a waiting writer has priority over readers that have not started (decision 0007).

use outcrop_io::{FileLock, Folder};
use outcrop_types::{Cancellation, Error, Result, Stopwatch};
use std::fs::File;
use std::path::{Path, PathBuf};
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

/// Lock of a writer, which blocks new readers.
pub struct WriterLock {
    taken: Option<(FileLock, PathBuf)>,
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

    /// Waits at most `wait` for other updates of the store in `folder`; readers are not blocked.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`WriterLock::wait`], or if there is no store.
    pub(crate) fn of_update(folder: &Path, wait: Duration, cancellation: &Cancellation) -> Result<Self> {
        let (path, named) = (Folder::open(folder)?.place().join(UPDATE_LOCK_NAME), folder.join(UPDATE_LOCK_NAME));
        let held = while_in_use(wait, cancellation, || {
            create(&path).map_err(|error| Error::io("lock", &named, error))?;
            match FileLock::exclusive(&path) {
                // The update that had the lock has removed the file.
                Err(Error::NotFound { .. }) => Err(Error::in_use(&named, String::new())),
                Err(Error::InUse { by, .. }) => Err(Error::in_use(&named, by)),
                outcome => outcome,
            }
        })?;
        Ok(Self { taken: Some((held, path)) })
    }

    /// Returns the lock, or `None` if another store has replaced this one.
    fn attempt(folder: &Path, cancellation: &Cancellation, in_time: &dyn Fn() -> bool) -> Result<Option<Self>> {
        let Ok(store) = Folder::open(folder) else { return Ok(Some(Self { taken: None })) };
        let [turn, lock] = [WRITER_LOCK_NAME, LOCK_NAME].map(|name| store.place().join(name));
        if !in_time() || !lock.is_file() {
            return Ok(Some(Self { taken: None }));
        }
        let until = |path: &Path, creates: bool| loop {
            cancellation.check()?;
            if creates {
                create(path).map_err(|error| Error::io("create", path, error))?;
            }
            match FileLock::try_exclusive(path) {
                Ok(Some(held)) => return Ok(Some(held)),
                Err(Error::NotFound { .. }) if !creates => return Ok(None),
                Err(Error::NotFound { .. }) | Ok(None) if in_time() => sleep(PAUSE),
                Err(Error::NotFound { .. }) | Ok(None) => return FileLock::exclusive(path).map(Some),
                Err(error) => return Err(error),
            }
        };
        let Some(held) = until(&turn, true)? else { return Ok(None) };
        let taken = Self { taken: Some((held, turn)) };
        // The writer itself takes this lock next: it is free, and stays free except for writers that do not wait.
        let free = until(&lock, false)?;
        Ok(Some(taken).filter(|_| free.is_some() && store.is_in_place()))
    }
}

impl Drop for WriterLock {
    fn drop(&mut self) {
        if let Some((_held, path)) = &self.taken {
            // A failure is ignored: an unlocked file has no effect.
            _ = std::fs::remove_file(path);
        }
    }
}

/// Creates a lock file, if there is none: other writers remove it when they finish.
fn create(path: &Path) -> std::io::Result<()> {
    File::options().create(true).append(true).open(path).map(drop)
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

/// Locks `name` of a store in `folder` in shared mode, after any waiting writer, and after an update that removes files
/// that no reader uses.
pub(crate) fn lock_behind_writers(folder: &Folder, name: &str) -> Result<FileLock> {
    let watch = Stopwatch::start();
    loop {
        match lock_behind_waiting_writers(folder, name, &watch) {
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
