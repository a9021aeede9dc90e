//! A state in a file: of which run it is, where it was taken, and the state.

use super::state::{State, Way};
use outcrop_store::{CheckpointFolder, Component, ComponentReader, ComponentWriter};
use outcrop_types::{Cancellation, Error, Result};

const MAGIC: [u8; 8] = *b"outcckpt";
/// The version of checkpoints that this build writes, and the only one that it reads. It rises with every change of
/// what an algorithm shows of its state, and of the facts by which a run is known again.
pub(super) const CHECKPOINT: u32 = 2;
/// The version of results, likewise.
pub(super) const RESULT: u32 = 2;
/// Most bytes of the text that says of which run a state is.
const LONGEST_TEXT: u64 = 1 << 20;
/// Number behind the state.
const END: u64 = u64::from_le_bytes(*b"complete");
/// Memory that saving and restoring take, in bytes.
pub(super) const MEMORY_BYTES: u64 = Component::READER_BYTES + ComponentWriter::MEMORY_BYTES + State::MEMORY_BYTES;

/// Puts the state that `visit` shows, of the run that the text `run` tells of, into `folder`.
pub(super) fn save(
    folder: &mut CheckpointFolder,
    (mut version, run): (u32, &str),
    (place, mut iteration): (&str, u32),
    cancellation: &Cancellation,
    visit: &mut dyn FnMut(&mut State<'_>) -> Result<()>,
) -> Result<()> {
    let mut texts = [run, place].map(|text| text.as_bytes().to_vec());
    folder.write(|writer| {
        let mut state = State { way: Way::Save(writer), cancellation };
        state.number(&mut { MAGIC })?;
        state.number(&mut version)?;
        texts.iter_mut().try_for_each(|text| state.list(text, LONGEST_TEXT))?;
        state.number(&mut iteration)?;
        visit(&mut state)?;
        state.number(&mut { END })
    })
}

/// A file that was read up to the state.
pub(super) struct Saved {
    reader: ComponentReader,
    position: u64,
    /// Place in the algorithm, and the last iteration before it.
    pub(super) place: String,
    pub(super) iteration: u32,
}

impl Saved {
    /// Reads what stands before the state, which is of this `version`; `check` hears of which run it is.
    pub(super) fn open(
        mut reader: ComponentReader,
        supported: u32,
        check: impl FnOnce(&str) -> Result<()>,
    ) -> Result<Self> {
        let cancellation = &Cancellation::new();
        let (mut magic, mut version, mut iteration) = ([0; 8], 0, 0);
        let mut texts = [Vec::new(), Vec::new()];
        let mut state = State { way: Way::Restore { reader: &mut reader, position: 0 }, cancellation };
        state.number(&mut magic)?;
        if magic != MAGIC {
            return Err(state.damaged("it is not a checkpoint"));
        }
        state.number(&mut version)?;
        texts.iter_mut().try_for_each(|text| state.list(text, LONGEST_TEXT))?;
        state.number(&mut iteration)?;
        let position = state.position();
        let [run, place] = texts.map(|text| String::from_utf8_lossy(&text).into_owned());
        if version != supported {
            return Err(Error::FormatVersion { path: reader.path().to_owned(), found: version, supported });
        }
        check(&run)?;
        Ok(Self { reader, position, place, iteration })
    }

    /// Fills what `visit` shows.
    pub(super) fn restore(
        mut self,
        cancellation: &Cancellation,
        visit: &mut dyn FnMut(&mut State<'_>) -> Result<()>,
    ) -> Result<()> {
        let way = Way::Restore { reader: &mut self.reader, position: self.position };
        let (mut state, mut end) = (State { way, cancellation }, 0);
        visit(&mut state)?;
        state.number(&mut end)?;
        if end == END { Ok(()) } else { Err(state.damaged("it contains more data than the state of this run")) }
    }
}
