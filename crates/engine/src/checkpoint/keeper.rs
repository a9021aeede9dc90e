//! Periodic saving of the state of a run, and restoring it once.

use super::saved::{self, CHECKPOINT, Saved};
use super::state::State;
use outcrop_io::Storage;
use outcrop_store::{CheckpointFolder, Contents, SavingPace};
use outcrop_types::{Cancellation, Error, Observer, Result, Stopwatch};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Statistics of the checkpoints of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SavedStates {
    /// Number of saves.
    pub saved: u32,
    /// Seconds spent on saving.
    pub seconds: f64,
    /// Iteration after which the run was resumed; `None` if it started from the beginning.
    pub resumed_after: Option<u32>,
}

/// Checkpoints of a run.
pub struct Checkpoints(Mutex<CheckpointState>);

struct CheckpointState {
    folder: CheckpointFolder,
    /// Text that identifies the run.
    run: String,
    /// Checkpoint to resume from, until it is restored.
    waiting: Option<Saved>,
    pace: SavingPace,
    account: SavedStates,
}

impl Checkpoints {
    /// Memory for saving and restoring, in bytes.
    pub const MEMORY_BYTES: u64 = saved::MEMORY_BYTES;

    /// Opens the checkpoints in the folder `path` of the run described by the text `run`; one is saved whenever `every`
    /// has elapsed. With `resume`, continues a stopped run if `check` accepts the text of its checkpoint.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Usage`] if there is a checkpoint but no `resume`, the error of `check`, [`Error::InUse`], or an
    /// error if the checkpoint is damaged or of another version.
    pub fn open(
        storage: Box<dyn Storage>,
        path: &Path,
        run: String,
        every: Duration,
        resume: bool,
        check: impl FnOnce(&str) -> Result<()>,
    ) -> Result<Self> {
        let folder = CheckpointFolder::open(storage, path, Contents::CHECKPOINTS)?;
        let found = folder.read()?.map(|reader| Saved::open(reader, CHECKPOINT, check)).transpose();
        let waiting = match (found, resume) {
            (Ok(Some(_)), false) => return Err(folder.resume_not_requested()),
            (found, _) => found?,
        };
        let (pace, account) = (SavingPace::new(every), SavedStates::default());
        Ok(Self(Mutex::new(CheckpointState { folder, run, waiting, pace, account })))
    }

    /// Returns true if a run is resumed from a checkpoint.
    pub fn resumes(&self) -> bool {
        self.kept().waiting.is_some()
    }

    /// Returns statistics of the saves so far.
    pub fn account(&self) -> SavedStates {
        self.kept().account
    }

    /// Returns true if there is a checkpoint to resume from at `place`.
    pub(crate) fn resumes_at(&self, place: &str) -> bool {
        self.kept().waiting.as_ref().is_some_and(|waiting| waiting.place == place)
    }

    /// Removes the checkpoint after the run has ended and its result is safe.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Io`] if a file cannot be removed.
    pub fn clear(&self) -> Result<()> {
        self.kept().folder.clear()
    }

    fn kept(&self) -> MutexGuard<'_, CheckpointState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Handles the arrival of the run at `place` after an iteration: restores its state if it is to be resumed here,
    /// and saves it if that is due. Returns the iteration if the state was restored. If the disk is full or fails, adds
    /// a note, and the run continues.
    pub(crate) fn at(
        &self,
        place: &str,
        iteration: u32,
        cancellation: &Cancellation,
        observer: &dyn Observer,
        visit: &mut dyn FnMut(&mut State<'_>) -> Result<()>,
    ) -> Result<Option<u32>> {
        let mut kept = self.kept();
        match kept.waiting.take() {
            Some(waiting) if waiting.place != place => kept.waiting = Some(waiting),
            Some(waiting) => {
                let iteration = waiting.iteration;
                waiting.restore(cancellation, visit)?;
                kept.pace.begin();
                kept.account.resumed_after = Some(iteration);
                observer.note(&format!("resumed from a checkpoint after iteration {iteration}"));
                return Ok(Some(iteration));
            }
            None if !kept.pace.is_due() && !cancellation.is_stopping() => {}
            None => {
                let watch = Stopwatch::start();
                let CheckpointState { folder, run, .. } = &mut *kept;
                match saved::save(folder, CHECKPOINT, run, place, iteration, cancellation, visit) {
                    Err(error @ (Error::DiskFull { .. } | Error::Io { .. })) => {
                        observer
                            .note(&format!("could not write a checkpoint ({error}); the previous one is still valid"));
                    }
                    outcome => {
                        outcome?;
                        kept.account.saved += 1;
                    }
                }
                kept.account.seconds += watch.seconds();
                if cancellation.is_stopping() {
                    observer.note("stopped after writing a checkpoint; use --resume to continue");
                    return Err(Error::Interrupted);
                }
                kept.pace.end(watch.elapsed());
            }
        }
        Ok(None)
    }
}
