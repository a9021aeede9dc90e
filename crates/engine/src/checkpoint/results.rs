//! The result of the last run of an algorithm, from which the next goes on after updates (decision 0041).

use super::saved::{self, RESULT, Saved};
use super::state::State;
use outcrop_io::Storage;
use outcrop_store::{CheckpointFolder, Contents};
use outcrop_types::{Cancellation, Error, Observer, Reservation, Result, VertexId};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The one place in which results are saved.
const PLACE: &str = "result";

/// Arc from the first vertex to the second.
pub type Arc = (VertexId, VertexId);

/// Arcs between vertices that may be others than they were, of undirected graphs in both directions. What is there now,
/// and with what weight, the lists say: an arc may be named that came and went again, or was there all along.
#[derive(Debug)]
pub struct Changes {
    /// Arcs that may have come, in order.
    pub added: Vec<Arc>,
    /// Arcs that may have gone, or have another weight, in order.
    pub removed: Vec<Arc>,
    /// Memory of the arcs.
    pub held: Reservation,
}

impl Changes {
    /// Memory of so many arcs, and of what an algorithm picks of them, in bytes.
    pub const fn bytes(arcs: u64) -> u64 {
        3 * arcs * size_of::<Arc>() as u64
    }
}

/// Account of how a run went on from the last result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repair {
    /// Vertices whose values, or lists, were looked at again.
    pub touched: u64,
    /// Reason that everything was computed anew.
    pub fresh: Option<String>,
}

/// The last result of an algorithm, in a folder.
pub struct LastResult {
    kept: Mutex<Kept>,
    /// Changes of the graph since then; none where it cannot be gone on from.
    changes: Option<Changes>,
}

struct Kept {
    folder: CheckpointFolder,
    /// Text on which run this is.
    run: String,
    /// The result, until it was read.
    last: Option<Saved>,
    repair: Repair,
}

impl LastResult {
    /// Memory that saving and restoring take, in bytes.
    pub const MEMORY_BYTES: u64 = saved::MEMORY_BYTES;

    /// The folder `path` for results of the run that the text `run` tells of. `since` gets the text that the one there
    /// carries, and finds what changed since, or why that cannot be gone on from.
    ///
    /// # Errors
    /// What `since` returns; [`Error::InUse`]; a damaged result. One of another version is nothing to go on from.
    pub fn open(
        storage: Box<dyn Storage>,
        path: &Path,
        run: String,
        since: impl FnOnce(Option<&str>) -> Result<std::result::Result<Changes, String>>,
    ) -> Result<Self> {
        let folder = CheckpointFolder::open(storage, path, Contents::RESULTS)?;
        let mut told = None;
        let take = |text: &str| {
            told = Some(text.to_owned());
            Ok(())
        };
        let last = match folder.read()?.map(|reader| Saved::open(reader, RESULT, take)).transpose() {
            Err(Error::FormatVersion { found, .. }) => Err(found),
            last => Ok(last?),
        };
        let (last, changes) = match last {
            Ok(last) => (last, since(told.as_deref())?),
            Err(found) => (
                None,
                Err(format!("the previous result in {} has format version {found}, not {RESULT}", path.display())),
            ),
        };
        let (changes, fresh) = match changes {
            Ok(changes) => (Some(changes), None),
            Err(reason) => (None, Some(reason)),
        };
        let last = last.filter(|_| changes.is_some());
        let kept = Kept { folder, run, last, repair: Repair { touched: 0, fresh } };
        Ok(Self { kept: Mutex::new(kept), changes })
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes since the result; none where it cannot be gone on from.
    pub const fn changes(&self) -> Option<&Changes> {
        self.changes.as_ref()
    }

    /// Account of the run.
    pub fn repair(&self) -> Repair {
        self.kept().repair.clone()
    }

    /// Fills what `visit` shows with the last result; the changes since, or none where there is nothing to go on from.
    pub(crate) fn restore(
        &self,
        cancellation: &Cancellation,
        visit: &mut dyn FnMut(&mut State<'_>) -> Result<()>,
    ) -> Result<Option<&Changes>> {
        let Some(last) = self.kept().last.take() else { return Ok(None) };
        last.restore(cancellation, visit)?;
        Ok(self.changes.as_ref())
    }

    /// Counts `vertices` as examined again.
    pub(crate) fn touch(&self, vertices: u64) {
        self.kept().repair.touched += vertices;
    }

    /// Records that everything is recomputed, for this `reason`.
    pub(crate) fn give_up(&self, reason: &str) {
        self.kept().repair.fresh = Some(reason.to_owned());
    }

    /// Puts the result that `visit` shows in the place of the last. A disk that is full or fails is noted, and the last
    /// one stands.
    pub(crate) fn save(
        &self,
        (cancellation, observer): (&Cancellation, &dyn Observer),
        visit: &mut dyn FnMut(&mut State<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut kept = self.kept();
        let Kept { folder, run, .. } = &mut *kept;
        match saved::save(folder, (RESULT, run), (PLACE, 0), cancellation, visit) {
            Err(error @ (Error::DiskFull { .. } | Error::Io { .. })) => {
                observer.note(&format!(
                    "could not store the result for the next run ({error}); the previous one is still valid"
                ));
                Ok(())
            }
            outcome => outcome,
        }
    }
}
