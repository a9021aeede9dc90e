//! Saves the state of a run from time to time, and restores it once.

use super::state::{State, Way};
use outcrop_io::Storage;
use outcrop_store::{CheckpointFolder, Component, ComponentReader, ComponentWriter};
use outcrop_types::{Cancellation, Error, Observer, Result, Stopwatch};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

const MAGIC: [u8; 8] = *b"outcckpt";
/// The version that this build writes, and the only one that it reads.
const VERSION: u32 = 1;
/// Most bytes of the text that says of which run a checkpoint is.
const LONGEST_TEXT: u64 = 1 << 20;
/// Number behind the state.
const END: u64 = u64::from_le_bytes(*b"complete");
/// Part of the time of a run that goes to saving at the most, but where each round is saved: one so many'th.
const SHARE: u32 = 50;

/// The checkpoints of a run.
pub struct Checkpoints {
    every: Duration,
    kept: Mutex<Kept>,
}

struct Kept {
    folder: CheckpointFolder,
    /// Text on which run this is.
    run: String,
    /// The checkpoint to go on from, until that is done.
    waiting: Option<Waiting>,
    /// Time of the last save, and time to the next.
    saved: Stopwatch,
    pause: Duration,
}

/// A checkpoint that was read up to the state.
struct Waiting {
    reader: ComponentReader,
    position: u64,
    /// Place in the algorithm, and the last iteration before it.
    place: String,
    iteration: u32,
}

impl Checkpoints {
    /// Memory that saving and restoring take, in bytes.
    pub const MEMORY_BYTES: u64 = Component::READER_BYTES + ComponentWriter::MEMORY_BYTES + State::MEMORY_BYTES;

    /// Checkpoints in the folder `path` of the run that the text `run` tells of, one as soon as `every` is over. With `resume` of a run that
    /// was stopped: the text that the one there carries has to be found right by `check`.
    ///
    /// # Errors
    /// [`Error::Usage`] where there is a checkpoint and no `resume`; what `check` returns; [`Error::InUse`]; a damaged checkpoint, or one of
    /// another version.
    pub fn open(
        storage: Box<dyn Storage>,
        path: &Path,
        run: String,
        (every, resume): (Duration, bool),
        check: impl FnOnce(&str) -> Result<()>,
    ) -> Result<Self> {
        let folder = CheckpointFolder::open(storage, path)?;
        let found = folder.read()?.map(|reader| Waiting::open(reader, check)).transpose();
        let waiting = match (found, resume) {
            (Ok(Some(_)), false) => return Err(folder.not_asked_for()),
            (found, _) => found?,
        };
        let kept = Kept { folder, run, waiting, saved: Stopwatch::start(), pause: every };
        Ok(Self { every, kept: Mutex::new(kept) })
    }

    /// True if a run goes on from one.
    pub fn resumes(&self) -> bool {
        self.kept().waiting.is_some()
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
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The run is at `place` behind an iteration: its state is restored where it is to go on from here, and saved where that is due. The
    /// iteration where it was restored. A disk that is full or fails is noted, and the run goes on.
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
                kept.saved = Stopwatch::start();
                observer.note(&format!("the run goes on from a checkpoint, after iteration {iteration}"));
                return Ok(Some(iteration));
            }
            None if kept.saved.elapsed() < kept.pause && !cancellation.is_stopping() => {}
            None => {
                let watch = Stopwatch::start();
                match kept.save((place, iteration), cancellation, visit) {
                    Err(error @ (Error::DiskFull { .. } | Error::Io { .. })) => {
                        observer.note(&format!("no checkpoint could be written, the one before stands: {error}"));
                    }
                    outcome => outcome?,
                }
                if cancellation.is_stopping() {
                    observer
                        .note("the run was asked to stop, and ends behind its checkpoint: --resume goes on from there");
                    return Err(Error::Interrupted);
                }
                kept.pause = if self.every.is_zero() { self.every } else { self.every.max(watch.elapsed() * SHARE) };
                kept.saved = Stopwatch::start();
            }
        }
        Ok(None)
    }
}

impl Kept {
    fn save(
        &mut self,
        (place, iteration): (&str, u32),
        cancellation: &Cancellation,
        visit: &mut dyn FnMut(&mut State<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut texts = [self.run.clone().into_bytes(), place.as_bytes().to_vec()];
        self.folder.write(|writer| {
            let mut state = State { way: Way::Save(writer), cancellation };
            state.number(&mut { MAGIC })?;
            state.number(&mut { VERSION })?;
            texts.iter_mut().try_for_each(|text| state.list(text, LONGEST_TEXT))?;
            state.number(&mut { iteration })?;
            visit(&mut state)?;
            state.number(&mut { END })
        })
    }
}

impl Waiting {
    /// Reads what stands before the state.
    fn open(mut reader: ComponentReader, check: impl FnOnce(&str) -> Result<()>) -> Result<Self> {
        let cancellation = &Cancellation::new();
        let (mut magic, mut version, mut iteration) = ([0; 8], 0, 0);
        let mut texts = [Vec::new(), Vec::new()];
        let mut state = State { way: Way::Restore { reader: &mut reader, position: 0 }, cancellation };
        state.number(&mut magic)?;
        if magic != MAGIC {
            return Err(state.damaged("it is no checkpoint"));
        }
        state.number(&mut version)?;
        texts.iter_mut().try_for_each(|text| state.list(text, LONGEST_TEXT))?;
        state.number(&mut iteration)?;
        let position = state.position();
        let [run, place] = texts.map(|text| String::from_utf8_lossy(&text).into_owned());
        if version != VERSION {
            return Err(Error::FormatVersion { path: reader.path().to_owned(), found: version, supported: VERSION });
        }
        check(&run)?;
        Ok(Self { reader, position, place, iteration })
    }

    fn restore(
        mut self,
        cancellation: &Cancellation,
        visit: &mut dyn FnMut(&mut State<'_>) -> Result<()>,
    ) -> Result<()> {
        let way = Way::Restore { reader: &mut self.reader, position: self.position };
        let (mut state, mut end) = (State { way, cancellation }, 0);
        visit(&mut state)?;
        state.number(&mut end)?;
        if end == END { Ok(()) } else { Err(state.damaged("it holds more than the state of this run")) }
    }
}
