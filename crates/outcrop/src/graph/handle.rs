//! Graphs that stay open and warm between runs.

use super::open::{Graph, OpenOptions};
use crate::info::GraphInfo;
use crate::lists::LastRun;
use crate::memory_size::note_above_limit;
use outcrop_io::Utilization;
use outcrop_store::Store;
use outcrop_types::{Cancellation, Observer, Result, Silent};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::time::Duration;

/// Time between two looks at whether other work has ended.
const TURN: Duration = Duration::from_millis(5);

/// Graph that keeps its threads and the lists of its last run, with their index and their caches, for the next.
///
/// A run takes these lists over where it would open the same ones, and then reads only what they do not hold. They
/// count in its memory, are closed where it needs that, and change neither its answer nor how it goes. A run that fails
/// keeps nothing.
///
/// An open handle keeps the store from being replaced and updated. Results do not: they stay usable when the handle is
/// dropped and the store is gone.
///
/// ```no_run
/// use outcrop::{Cancellation, Handle, OpenOptions, RunRequest, Silent};
/// # use std::sync::Arc;
/// # fn main() -> outcrop::Result<()> {
/// let handle = Handle::open("web.outcrop".as_ref(), OpenOptions::default())?;
/// for source in ["1", "2"] {
///     let request = RunRequest::new("bfs")?.with("source", source)?;
///     let reached = handle.call(&Cancellation::new(), Arc::new(Silent), |graph| graph.run(&request))?;
///     println!("{} bytes read", reached.record().traffic.bytes_read);
/// }
/// # Ok(())
/// # }
/// ```
pub struct Handle {
    store: Arc<Store>,
    graph: Mutex<Graph>,
}

impl Handle {
    /// Opens the store in `folder` and starts threads. What stops work and is told of it is given to each call; the
    /// observer of `options` is only told of the opening.
    ///
    /// # Errors
    /// As for [`Graph::open`].
    pub fn open(folder: &Path, options: OpenOptions) -> Result<Self> {
        let mut graph = Graph::open(folder, options)?;
        // Accounts of what is looked at begin with a run.
        graph.last_run = (graph.utilization == Utilization::Ignored).then(LastRun::default);
        graph.observer = Arc::new(Silent);
        Ok(Self { store: Arc::clone(&graph.store), graph: Mutex::new(graph) })
    }

    /// Description of the store; does not wait for other work.
    pub fn info(&self) -> GraphInfo {
        GraphInfo::of(&self.store)
    }

    /// Does `work` on the graph, which `cancellation` stops and `observer` is told of, once all other work on this
    /// handle has ended.
    ///
    /// # Errors
    /// What `work` returns; [`outcrop_types::Error::Interrupted`] while it waits.
    pub fn call<T>(
        &self,
        cancellation: &Cancellation,
        observer: Arc<dyn Observer>,
        work: impl FnOnce(&Graph) -> Result<T>,
    ) -> Result<T> {
        let mut graph = self.wait(cancellation)?;
        note_above_limit(graph.memory).iter().for_each(|note| observer.note(note));
        graph.workers = graph.workers.stopped_by(cancellation.clone());
        graph.observer = observer;
        // The disk may have been measured since.
        graph.bandwidths = OnceLock::new();
        let outcome = work(&graph);
        graph.observer = Arc::new(Silent);
        outcome
    }

    /// Memory that is kept for the next run, in bytes, once all work on this handle has ended.
    pub fn reclaimable_bytes(&self) -> u64 {
        let graph = self.graph.lock().unwrap_or_else(PoisonError::into_inner);
        graph.last_run.as_ref().map_or(0, LastRun::bytes)
    }

    fn wait(&self, cancellation: &Cancellation) -> Result<MutexGuard<'_, Graph>> {
        loop {
            match self.graph.try_lock() {
                Ok(graph) => return Ok(graph),
                // Work that panicked has kept nothing.
                Err(TryLockError::Poisoned(poisoned)) => return Ok(poisoned.into_inner()),
                Err(TryLockError::WouldBlock) => {
                    cancellation.check()?;
                    std::thread::sleep(TURN);
                }
            }
        }
    }
}
