//! Turns of readers and writers: a writer that waits for a store comes before readers that have not begun (decision
//! 0007).

use outcrop_io::{FileLock, Folder};
use outcrop_types::{Cancellation, Error, Result, Stopwatch};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

/// The empty file that readers and writers of a store lock.
pub(crate) const LOCK_NAME: &str = "lock";
/// The file that a writer holds alone while it waits and writes; there only then.
pub(crate) const TURN_NAME: &str = "lock.writer";
/// Time from one try to the next.
const PAUSE: Duration = Duration::from_millis(5);
/// Maximum time that a reader waits behind a writer.
const PATIENCE: Duration = Duration::from_secs(5);

/// The turn of a writer, for which new readers wait.
pub struct WriterTurn {
    taken: Option<(FileLock, PathBuf)>,
}

impl WriterTurn {
    /// Waits until nobody has the store in `folder` open, for at most `wait`; new readers stay behind as long as the
    /// turn is held. Nothing is waited for where there is no store, or no time.
    ///
    /// # Errors
    /// [`Error::InUse`] after that time; interruption; the file of the turn cannot be made.
    pub fn wait(folder: &Path, wait: Duration, cancellation: &Cancellation) -> Result<Self> {
        let watch = Stopwatch::start();
        loop {
            let left = wait.saturating_sub(watch.elapsed());
            match Self::attempt(folder, cancellation, &|| watch.elapsed() < wait) {
                // The store was replaced meanwhile.
                Ok(None) if !left.is_zero() => {}
                Ok(None) => return Ok(Self { taken: None }),
                Ok(Some(turn)) => return Ok(turn),
                Err(error) => return Err(error),
            }
            sleep(PAUSE);
        }
    }

    /// The turn; none where another store has taken the place of this one.
    fn attempt(folder: &Path, cancellation: &Cancellation, in_time: &dyn Fn() -> bool) -> Result<Option<Self>> {
        let Ok(store) = Folder::open(folder) else { return Ok(Some(Self { taken: None })) };
        let [turn, lock] = [TURN_NAME, LOCK_NAME].map(|name| store.place().join(name));
        if !in_time() || !lock.is_file() {
            return Ok(Some(Self { taken: None }));
        }
        let until = |path: &Path, create: bool| loop {
            cancellation.check()?;
            if create {
                // Another writer removes it at its end.
                let made = File::options().create(true).append(true).open(path);
                made.map_err(|error| Error::io("create", path, error))?;
            }
            match FileLock::try_exclusive(path) {
                Ok(Some(held)) => return Ok(Some(held)),
                Err(Error::NotFound { .. }) if !create => return Ok(None),
                Err(Error::NotFound { .. }) | Ok(None) if in_time() => sleep(PAUSE),
                Err(Error::NotFound { .. }) | Ok(None) => return FileLock::exclusive(path).map(Some),
                Err(error) => return Err(error),
            }
        };
        let Some(held) = until(&turn, true)? else { return Ok(None) };
        let taken = Self { taken: Some((held, turn)) };
        // Whoever writes next takes the lock itself: it is free, and stays so but for writers that do not wait.
        let free = until(&lock, false)?;
        Ok(Some(taken).filter(|_| free.is_some() && store.is_in_place()))
    }
}

impl Drop for WriterTurn {
    fn drop(&mut self) {
        if let Some((_held, path)) = &self.taken {
            // Nothing better can be done with a failure: a file that nobody holds keeps nobody away.
            _ = std::fs::remove_file(path);
        }
    }
}

/// Repeats `work` while it finds something in use, for at most `wait`.
///
/// # Errors
/// What `work` returns; interruption.
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

/// Shares the lock `name` of a store in `folder`, behind a writer that waits for it.
pub(crate) fn lock_behind_writers(folder: &Folder, name: &str) -> Result<FileLock> {
    let watch = Stopwatch::start();
    let _passing = loop {
        match folder.lock_shared(TURN_NAME) {
            Err(error @ Error::InUse { .. }) if watch.elapsed() >= PATIENCE => return Err(error),
            Err(Error::InUse { .. }) => sleep(PAUSE),
            // There is none, or it may not be looked at: then nobody waits for readers like this.
            passing => break passing.ok(),
        }
    };
    folder.lock_shared(name)
}
