//! Previous result of an algorithm, from which the next run starts after updates (decision 0041).

use super::saved::{self, RESULT, Saved};
use super::state::State;
use outcrop_io::Storage;
use outcrop_store::{CheckpointFolder, Contents};
use outcrop_types::{Cancellation, Error, Observer, Reservation, Result, VertexId};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Single location at which results are saved.
const PLACE: &str = "result";

/// Arc from the first vertex to the second.
pub(super) type Arc = (VertexId, VertexId);

/// Arcs that may have changed; of undirected graphs, in both directions. The current state and weights are in the
/// lists: an arc may be included although it was inserted and deleted again, or existed all along.
#[derive(Debug)]
pub struct Changes {
    /// Possibly inserted arcs, in order.
    pub added: Vec<Arc>,
    /// Possibly deleted or reweighted arcs, in order.
    pub removed: Vec<Arc>,
    /// Reservation of the arcs.
    pub held: Reservation,
}

impl Changes {
    /// Returns the memory of `arcs` arcs, and of an algorithm's selection of them, in bytes.
    pub const fn bytes(arcs: u64) -> u64 {
        3 * arcs * size_of::<Arc>() as u64
    }
}

/// Statistics of a run that started from a previous result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repair {
    /// Number of vertices whose values or lists were examined again.
    pub touched: u64,
    /// Reason why everything was recomputed.
    pub fresh: Option<String>,
}

/// Previous result of an algorithm, in a folder.
pub struct LastResult {
    kept: Mutex<ResultState>,
    /// Changes of the graph since then; `None` if the run cannot start from the result.
    changes: Option<Changes>,
}

struct ResultState {
    folder: CheckpointFolder,
    /// Text that identifies the run.
    run: String,
    /// Result, until it is read.
    last: Option<Saved>,
    repair: Repair,
}

impl LastResult {
    /// Memory for saving and restoring, in bytes.
    pub const MEMORY_BYTES: u64 = saved::MEMORY_BYTES;

    /// Opens the folder `path` for results of the run described by the text `run`. `since` receives the text of the
    /// previous result and returns the changes since then, or the reason why the run cannot start from it.
    ///
    /// # Errors
    ///
    /// Returns the error of `since`, [`Error::InUse`], or an error if the result is damaged. A result of another
    /// version is ignored.
    pub fn open(
        storage: Box<dyn Storage>,
        path: &Path,
        run: String,
        since: impl FnOnce(Option<&str>) -> Result<std::result::Result<Changes, String>>,
    ) -> Result<Self> {
        let folder = CheckpointFolder::open(storage, path, Contents::RESULTS)?;
        let mut metadata = None;
        let take = |text: &str| {
            metadata = Some(text.to_owned());
            Ok(())
        };
        let last = match folder.read()?.map(|reader| Saved::open(reader, RESULT, take)).transpose() {
            Err(Error::FormatVersion { found, .. }) => Err(found),
            last => Ok(last?),
        };
        let (last, changes) = match last {
            Ok(last) => (last, since(metadata.as_deref())?),
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
        let kept = ResultState { folder, run, last, repair: Repair { touched: 0, fresh } };
        Ok(Self { kept: Mutex::new(kept), changes })
    }

    fn kept(&self) -> MutexGuard<'_, ResultState> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the changes since the result; `None` if the run cannot start from it.
    pub const fn changes(&self) -> Option<&Changes> {
        self.changes.as_ref()
    }

    /// Returns statistics of the run.
    pub fn repair(&self) -> Repair {
        self.kept().repair.clone()
    }

    /// Fills the values passed by `visit` with the previous result; returns the changes since then, or `None` if there
    /// is no usable result.
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
    pub(crate) fn set_recomputed(&self, reason: &str) {
        self.kept().repair.fresh = Some(reason.to_owned());
    }

    /// Replaces the previous result by the one that `visit` serializes. If the disk is full or fails, adds a note, and
    /// the previous one remains.
    pub(crate) fn save(
        &self,
        cancellation: &Cancellation,
        observer: &dyn Observer,
        visit: &mut dyn FnMut(&mut State<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut kept = self.kept();
        let ResultState { folder, run, .. } = &mut *kept;
        match saved::save(folder, RESULT, run, PLACE, 0, cancellation, visit) {
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
