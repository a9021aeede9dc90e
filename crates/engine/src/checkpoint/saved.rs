//! State in a file: the identity of its run, its location in the algorithm, and its content.

use super::state::{State, StateAccess};
use outcrop_store::{CheckpointFolder, Component, ComponentReader, ComponentWriter};
use outcrop_types::{Cancellation, Error, Result};

const MAGIC: [u8; 8] = *b"outcckpt";
/// Version of checkpoints that this program writes, and the only one that it reads. It increases with every change of
/// an algorithm's serialized state, or of the facts that identify a run.
pub(super) const CHECKPOINT: u32 = 3;
/// Version of results, likewise.
pub(super) const RESULT: u32 = 3;
/// Maximum bytes of the text that identifies the run of a state.
const LONGEST_TEXT: u64 = 1 << 20;
/// Marker after the state.
const END: u64 = u64::from_le_bytes(*b"complete");
/// Memory for saving and restoring, in bytes.
pub(super) const MEMORY_BYTES: u64 = Component::READER_BYTES + ComponentWriter::MEMORY_BYTES + State::MEMORY_BYTES;

/// Writes the state that `visit` serializes, of the run described by the text `run`, to `folder`.
pub(super) fn save(
    folder: &mut CheckpointFolder,
    mut version: u32,
    run: &str,
    place: &str,
    mut iteration: u32,
    cancellation: &Cancellation,
    visit: &mut dyn FnMut(&mut State<'_>) -> Result<()>,
) -> Result<()> {
    let mut texts = [run, place].map(|text| text.as_bytes().to_vec());
    folder.write(|writer| {
        let mut state = State { way: StateAccess::Save(writer), cancellation };
        state.number(&mut { MAGIC })?;
        state.number(&mut version)?;
        texts.iter_mut().try_for_each(|text| state.list(text, LONGEST_TEXT))?;
        state.number(&mut iteration)?;
        visit(&mut state)?;
        state.number(&mut { END })
    })
}

/// File that was read up to the state.
pub(super) struct Saved {
    reader: ComponentReader,
    position: u64,
    /// Location in the algorithm, and the last iteration before it.
    pub(super) place: String,
    pub(super) iteration: u32,
}

impl Saved {
    /// Reads the part before the state, which must have this `version`; passes the identity of its run to `check`.
    pub(super) fn open(
        mut reader: ComponentReader,
        supported: u32,
        check: impl FnOnce(&str) -> Result<()>,
    ) -> Result<Self> {
        let cancellation = &Cancellation::new();
        let (mut magic, mut version, mut iteration) = ([0; 8], 0, 0);
        let mut texts = [Vec::new(), Vec::new()];
        let mut state = State { way: StateAccess::Restore { reader: &mut reader, position: 0 }, cancellation };
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

    /// Fills the values passed by `visit`.
    pub(super) fn restore(
        mut self,
        cancellation: &Cancellation,
        visit: &mut dyn FnMut(&mut State<'_>) -> Result<()>,
    ) -> Result<()> {
        let way = StateAccess::Restore { reader: &mut self.reader, position: self.position };
        let (mut state, mut end) = (State { way, cancellation }, 0);
        visit(&mut state)?;
        state.number(&mut end)?;
        if end == END { Ok(()) } else { Err(state.damaged("it contains more data than the state of this run")) }
    }
}
