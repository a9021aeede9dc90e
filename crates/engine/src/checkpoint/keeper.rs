//! Saves the state of a run from time to time, and restores it once.

use super::saved::{self, CHECKPOINT, Saved};
use super::state::State;
use outcrop_io::Storage;
use outcrop_store::{CheckpointFolder, Contents, SavingPace};
use outcrop_types::{Cancellation, Error, Observer, Result, Stopwatch};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Account of the checkpoints of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SavedStates {
    /// Number of times that the state was saved.
    pub saved: u32,
    /// Seconds that saving took.
    pub seconds: f64,
    /// Iteration that the run went on after; none where it began from the beginning.
    pub resumed_after: Option<u32>,
}

/// The checkpoints of a run.
pub struct Checkpoints(Mutex<Kept>);

struct Kept {
    folder: CheckpointFolder,
    /// Text on which run this is.
    run: String,
    /// The checkpoint to go on from, until that is done.
    waiting: Option<Saved>,
    pace: SavingPace,
    account: SavedStates,
}

impl Checkpoints {
    /// Memory that saving and restoring take, in bytes.
    pub const MEMORY_BYTES: u64 = saved::MEMORY_BYTES;

    /// Checkpoints in the folder `path` of the run that the text `run` tells of, one as soon as `every` is over. With
    /// `resume` of a run that was stopped: the text that the one there carries has to be found right by `check`.
    ///
    /// # Errors
    /// [`Error::Usage`] where there is a checkpoint and no `resume`; what `check` returns; [`Error::InUse`]; a damaged
    /// checkpoint, or one of another version.
    pub fn open(
        storage: Box<dyn Storage>,
        path: &Path,
        run: String,
        (every, resume): (Duration, bool),
        check: impl FnOnce(&str) -> Result<()>,
    ) -> Result<Self> {
        let folder = CheckpointFolder::open(storage, path, Contents::CHECKPOINTS)?;
        let found = folder.read()?.map(|reader| Saved::open(reader, CHECKPOINT, check)).transpose();
        let waiting = match (found, resume) {
            (Ok(Some(_)), false) => return Err(folder.not_asked_for()),
            (found, _) => found?,
        };
        let (pace, account) = (SavingPace::new(every), SavedStates::default());
        Ok(Self(Mutex::new(Kept { folder, run, waiting, pace, account })))
    }

    /// True if a run goes on from one.
    pub fn resumes(&self) -> bool {
        self.kept().waiting.is_some()
    }

    /// Account of what was saved so far.
    pub fn account(&self) -> SavedStates {
        self.kept().account
    }

    /// True if it does, and `place` is where.
    pub(crate) fn waits_at(&self, place: &str) -> bool {
        self.kept().waiting.as_ref().is_some_and(|waiting| waiting.place == place)
    }

    /// The run has ended and its result is safe: removes the checkpoint.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn clear(&self) -> Result<()> {
        self.kept().folder.clear()
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The run is at `place` behind an iteration: its state is restored where it is to go on from here, and saved where
    /// that is due. The iteration where it was restored. A disk that is full or fails is noted, and the run goes on.
    pub(crate) fn at(
        &self,
        (place, iteration): (&str, u32),
        (cancellation, observer): (&Cancellation, &dyn Observer),
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
                let Kept { folder, run, .. } = &mut *kept;
                match saved::save(folder, (CHECKPOINT, run), (place, iteration), cancellation, visit) {
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
