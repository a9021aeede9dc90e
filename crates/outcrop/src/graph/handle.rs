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

/// Interval between checks whether other work has ended.
const TURN: Duration = Duration::from_millis(5);

/// Graph that retains its threads and the lists of its last run, with index and caches, for the next run.
///
/// A run reuses these lists if it would open the same ones, and then reads only uncached data. They count toward its
/// memory budget, are closed if it needs the memory, and change neither its result nor its execution. A failed run
/// retains nothing.
///
/// An open handle prevents replacing the store and merging its updates; updates have no effect on it. Results do
/// not: they remain usable after the handle is dropped and the store is deleted.
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
    /// Note for each call if the budget exceeds the memory of the machine.
    above_limit: Option<String>,
}

impl Handle {
    /// Opens the store in `folder`. Each call has its own cancellation and observer; the observer of
    /// `options` only observes the opening.
    ///
    /// # Errors
    /// Returns the errors of [`Graph::open`].
    pub fn open(folder: &Path, options: OpenOptions) -> Result<Self> {
        let mut graph = Graph::open(folder, options)?;
        // Statistics of page use start with a run.
        graph.last_run = (graph.utilization == Utilization::Ignored).then(LastRun::default);
        graph.observer = Arc::new(Silent);
        let above_limit = note_above_limit(graph.memory);
        Ok(Self { store: Arc::clone(&graph.store), graph: Mutex::new(graph), above_limit })
    }

    /// Returns the description of the store. Does not wait for other work.
    pub fn info(&self) -> GraphInfo {
        GraphInfo::of(&self.store)
    }

    /// Returns true if the store was updated since it was opened, or if a merge or replacement of it waits until this
    /// handle and others are dropped. Does not wait for other work.
    pub fn is_outdated(&self) -> bool {
        self.store.is_outdated()
    }

    /// Runs `work` on the graph, with `cancellation` and `observer`, after all other work on this handle has ended.
    ///
    /// # Errors
    /// Returns the error of `work`, or [`outcrop_types::Error::Interrupted`] if the wait is interrupted.
    pub fn call<T>(
        &self,
        cancellation: &Cancellation,
        observer: Arc<dyn Observer>,
        work: impl FnOnce(&Graph) -> Result<T>,
    ) -> Result<T> {
        let mut graph = self.wait(cancellation)?;
        self.above_limit.iter().for_each(|note| observer.note(note));
        graph.workers = graph.workers.stopped_by(cancellation.clone());
        graph.observer = observer;
        // The disk may have been measured in the meantime.
        graph.bandwidths = OnceLock::new();
        let outcome = work(&graph);
        graph.observer = Arc::new(Silent);
        outcome
    }

    /// Returns the memory retained for the next run, in bytes, after all work on this handle has ended.
    pub fn reclaimable_bytes(&self) -> u64 {
        let graph = self.graph.lock().unwrap_or_else(PoisonError::into_inner);
        graph.last_run.as_ref().map_or(0, LastRun::bytes)
    }

    fn wait(&self, cancellation: &Cancellation) -> Result<MutexGuard<'_, Graph>> {
        loop {
            match self.graph.try_lock() {
                Ok(graph) => return Ok(graph),
                // Work that panicked has retained nothing.
                Err(TryLockError::Poisoned(poisoned)) => return Ok(poisoned.into_inner()),
                Err(TryLockError::WouldBlock) => {
                    cancellation.check()?;
                    std::thread::sleep(TURN);
                }
            }
        }
    }
}
