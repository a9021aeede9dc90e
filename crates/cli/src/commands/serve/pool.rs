//! Open handles of the store: one per concurrent query, closed after an update.

use super::refusal::Refusal;
use crate::output::bytes;
use outcrop::{
    Cancellation, Error, Graph, GraphInfo, Handle, IdBatch, IdKind, MemorySize, NeighborsRequest, OpenOptions, Result,
    Silent, while_in_use,
};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Memory of a query in addition to the index of the lists, in bytes: below, fewer queries run concurrently.
const QUERY_BYTES: u64 = 64 << 20;
/// Maximum time that a query waits for a merge.
const LONGEST_MERGE: Duration = Duration::from_secs(5);
/// Maximum number of waiting queries.
const MOST_WAITING: usize = 64;

/// Handles with equal shares of the memory and the threads.
pub(super) struct Pool {
    store: PathBuf,
    /// Options of each handle.
    options: OpenOptions,
    /// Threads of all handles.
    threads: usize,
    slots: Vec<Arc<Slot>>,
    /// Slots without a query; those with warm lists are taken first.
    free: Mutex<Vec<Arc<Slot>>>,
    turns: Arc<Semaphore>,
    waiting: AtomicUsize,
}

/// Open store, and its generation.
struct Opened {
    handle: Handle,
    generation: u64,
}

/// Handle, if it is open.
#[derive(Default)]
struct Slot(Mutex<Option<Opened>>);

impl Slot {
    fn lock(&self) -> MutexGuard<'_, Option<Opened>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pool {
    /// Opens the store, and divides the memory and the threads of `options` among concurrent queries.
    ///
    /// # Errors
    /// Returns the errors of [`Handle::open`], or an error if the memory is too small for any query.
    pub(super) fn open(store: &Path, options: OpenOptions) -> Result<Arc<Self>> {
        let info = Handle::open(store, options.clone())?.info();
        let threads = options.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
        let memory = options.memory.bytes();
        let queries = concurrent_queries(&info, memory, threads);
        let cancellation = options.cancellation.clone();
        let options = OpenOptions {
            memory: MemorySize::Bytes(memory / queries as u64),
            threads: Some(threads / queries),
            cancellation: Cancellation::new(),
            observer: Arc::new(Silent),
            ..options
        };
        let slots: Vec<Arc<Slot>> = (0..queries).map(|_| Arc::default()).collect();
        let pool = Self {
            store: store.to_owned(),
            options,
            threads,
            free: Mutex::new(slots.clone()),
            slots,
            turns: Arc::new(Semaphore::new(queries)),
            waiting: AtomicUsize::new(0),
        };
        let first = pool.opened()?;
        let smallest = NeighborsRequest::new(IdBatch::empty(IdKind::Text));
        first.handle.call(&cancellation, Arc::new(Silent), |graph| graph.neighbors(&smallest).map(drop))?;
        // The last slot is the next one that a query takes.
        if let Some(slot) = pool.slots.last() {
            *slot.lock() = Some(first);
        }
        Ok(Arc::new(pool))
    }

    /// Opens the store.
    fn opened(&self) -> Result<Opened> {
        let handle = Handle::open(&self.store, self.options.clone())?;
        Ok(Opened { generation: handle.info().generation, handle })
    }

    /// Returns the number of concurrent queries.
    pub(super) const fn queries(&self) -> usize {
        self.slots.len()
    }

    /// Waits until a query can start.
    ///
    /// # Errors
    /// Refuses the query if too many others wait.
    pub(super) async fn turn(self: &Arc<Self>) -> Result<Turn, Refusal> {
        let waiting = Waiting::begin(self);
        if self.turns.available_permits() == 0 && self.waiting.load(Relaxed) > MOST_WAITING {
            return Err(Refusal::busy(format!("more than {MOST_WAITING} queries wait; repeat the request later")));
        }
        let permit = Arc::clone(&self.turns).acquire_owned().await;
        let permit = permit.map_err(|_| Refusal::busy("the server is stopping"))?;
        drop(waiting);
        let slot = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let slot = slot.ok_or_else(|| Error::internal("more queries than slots"))?;
        Ok(Turn { pool: Arc::clone(self), slot, _permit: permit })
    }

    /// Closes handles without a query if the store was updated, or if a merge waits for them.
    pub(super) fn close_outdated(&self) {
        for slot in &self.slots {
            if let Ok(mut opened) = slot.0.try_lock() {
                close_if_outdated(&mut opened);
            }
        }
    }
}

/// Returns the number of concurrent queries: one per thread, unless the memory is short.
fn concurrent_queries(info: &GraphInfo, memory: u64, threads: usize) -> usize {
    let index: u64 = info.layouts.iter().map(|layout| layout.index_bytes).sum();
    let fitting = memory / (QUERY_BYTES + 2 * index);
    usize::try_from(fitting).unwrap_or(threads).clamp(1, threads.max(1))
}

fn close_if_outdated(opened: &mut Option<Opened>) {
    drop(opened.take_if(|opened| opened.handle.is_outdated()));
}

/// Query that waits.
struct Waiting<'p>(&'p AtomicUsize);

impl<'p> Waiting<'p> {
    fn begin(pool: &'p Pool) -> Self {
        pool.waiting.fetch_add(1, Relaxed);
        Self(&pool.waiting)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

/// Right to run one query.
pub(super) struct Turn {
    pool: Arc<Pool>,
    slot: Arc<Slot>,
    _permit: OwnedSemaphorePermit,
}

impl Drop for Turn {
    fn drop(&mut self) {
        // Before the permit, so that a query with a permit finds a slot.
        self.pool.free.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&self.slot));
    }
}

impl Turn {
    /// Asks the graph, which is opened again after an update, and returns its generation and the answer.
    ///
    /// # Errors
    /// Returns the errors of [`Handle::open`], or the refusal of `ask`.
    pub(super) fn ask<T>(
        &self,
        cancellation: &Cancellation,
        ask: impl FnOnce(&Graph) -> Result<T, Refusal>,
    ) -> Result<(u64, T), Refusal> {
        let mut slot = self.slot.lock();
        close_if_outdated(&mut slot);
        let opened = match slot.take() {
            Some(opened) => opened,
            None => while_in_use(LONGEST_MERGE, cancellation, || self.pool.opened())?,
        };
        let Opened { handle, generation } = slot.insert(opened);
        let answer = handle.call(cancellation, Arc::new(Silent), |graph| Ok(ask(graph)))?;
        Ok((*generation, answer?))
    }

    /// Replaces the message of a refusal for lack of memory: the budget that it names is a share of `--memory`.
    pub(super) fn explained(&self, mut refusal: Refusal) -> Refusal {
        let Some(needed) = refusal.needed else { return refusal };
        let Pool { options, threads, .. } = &*self.pool;
        // With this memory per thread, the shares are large enough for any number of concurrent queries.
        let least = needed.div_ceil(1 << 20);
        let mut advice = format!("--memory {}MiB", least.saturating_mul(*threads as u64));
        if *threads > 1 {
            advice += &format!(", or with --threads 1 --memory {least}MiB");
        }
        let share = if self.pool.queries() > 1 { ", an equal share of --memory per concurrent query" } else { "" };
        refusal.message = format!(
            "the query needs at least {} of memory and has {}{share}; restart the server with {advice}",
            bytes(needed),
            bytes(options.memory.bytes()),
        );
        refusal
    }
}
