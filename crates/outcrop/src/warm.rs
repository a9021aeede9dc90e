//! Lists of a run that stay open for the next, within the memory of both.

use crate::graph::Graph;
use crate::lists::{Lists, page_cache_shares};
use outcrop_io::IoChoice;
use outcrop_store::SelectionInfo;
use outcrop_store::layout::compact::IndexResidence;
use outcrop_types::{Direction, MemoryBudget, Reclaim, Result};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Set of lists as it is opened: sets of the same shape read the same files and take the same memory.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ListShape {
    pub(crate) directions: Vec<Direction>,
    /// Place of the index of the `compact` layout.
    pub(crate) index: IndexResidence,
    /// Memory for lists of the selection of each direction, at the most.
    pub(crate) static_bytes: Vec<u64>,
    /// Selections that these lists come from.
    selections: Vec<SelectionInfo>,
}

impl ListShape {
    /// The shape of lists of `directions`.
    ///
    /// # Errors
    /// A selection is damaged.
    pub(crate) fn new(
        graph: &Graph,
        directions: Vec<Direction>,
        index: IndexResidence,
        static_bytes: Vec<u64>,
    ) -> Result<Self> {
        let loaded = directions.iter().zip(&static_bytes).filter(|(_, bytes)| **bytes > 0);
        let selections =
            loaded.filter_map(|(direction, _)| graph.store.selection(*direction, IoChoice::Buffered).transpose());
        let selections = selections.collect::<Result<_>>()?;
        Ok(Self { directions, index, static_bytes, selections })
    }
}

/// Place of the lists that stay open between the runs of a handle; no run is refused because of them.
#[derive(Default)]
pub(crate) struct Warm(Mutex<Option<Lists>>);

impl Warm {
    /// Keeps `lists` from now on.
    pub(crate) fn put(&self, mut lists: Lists) {
        lists.suspend();
        *self.lock() = Some(lists);
    }

    /// The lists that are kept, where they are what a run would open: of this `shape`, with page caches that share `cache_bytes` with the
    /// lists of selections. Others are closed.
    pub(crate) fn take_over(&self, graph: &Graph, shape: &ListShape, cache_bytes: u64) -> Option<Lists> {
        let kept = self.take();
        let fits = |lists: &Lists| {
            let paged = cache_bytes.saturating_sub(lists.static_bytes());
            lists.shape() == Some(shape) && lists.page_caches() == page_cache_shares(graph, &shape.directions, paged)
        };
        let mut lists = kept.filter(fits)?;
        lists.resume(&graph.workers).ok()?;
        Some(lists)
    }

    fn take(&self) -> Option<Lists> {
        self.lock().take()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Lists>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reclaim for Warm {
    fn kept_bytes(&self) -> u64 {
        self.lock().as_ref().map_or(0, Lists::reserved_bytes)
    }

    fn reclaim(&self) {
        drop(self.take());
    }
}

/// What a handle keeps after its last run.
#[derive(Default)]
pub(crate) struct LastRun(Mutex<Arc<Warm>>);

impl LastRun {
    /// Hands what is kept to a run with `budget`, which counts it and has it given back where it runs short. It is kept no longer if the run
    /// does not [`LastRun::keep`] it.
    pub(crate) fn hand_over(&self, budget: &MemoryBudget) -> Arc<Warm> {
        let kept = self.let_go().take();
        let kept = kept.filter(|lists| lists.charge_to(budget).is_ok());
        let warm = Arc::new(Warm(Mutex::new(kept)));
        let weak: std::sync::Weak<Warm> = Arc::downgrade(&warm);
        budget.reclaim_from(weak);
        warm
    }

    /// Keeps what a run has put into `warm`, until the next.
    pub(crate) fn keep(&self, warm: Arc<Warm>) {
        *self.lock() = warm;
    }

    /// Bytes that are kept.
    pub(crate) fn bytes(&self) -> u64 {
        self.lock().kept_bytes()
    }

    fn let_go(&self) -> Arc<Warm> {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, Arc<Warm>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Graph {
    /// A budget for work other than runs; what the last run of a handle has left is given back first.
    pub(crate) fn budget(&self) -> MemoryBudget {
        self.last_run.iter().for_each(|last| drop(last.let_go()));
        MemoryBudget::new(self.memory)
    }
}
