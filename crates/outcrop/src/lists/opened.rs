//! Open lists, which can be suspended between runs.

use outcrop_io::{Backend, IoChoice, PageUse};
use outcrop_store::access::Workers;
use outcrop_store::layout::StoredLists;
use outcrop_store::layout::compact::IndexResidence;
use outcrop_store::{SelectionInfo, Store};
use outcrop_types::{BudgetPart, Direction, Error, MemoryBudget, Result};
use std::ops::Deref;

/// Parameters for opening lists: sets of lists with equal shapes and page cache sizes need the same memory.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ListShape {
    pub(crate) directions: Vec<Direction>,
    /// Residence of the index of the `compact` layout.
    pub(crate) index: IndexResidence,
    /// Maximum memory for pinned lists, per direction.
    pub(crate) static_bytes: Vec<u64>,
    /// Selections that the pinned lists are from.
    selections: Vec<SelectionInfo>,
}

impl ListShape {
    /// Creates the shape of lists of `directions`.
    ///
    /// # Errors
    ///
    /// Returns an error if a selection is damaged.
    pub(crate) fn new(
        store: &Store,
        directions: Vec<Direction>,
        index: IndexResidence,
        static_bytes: Vec<u64>,
    ) -> Result<Self> {
        let loaded = directions.iter().zip(&static_bytes).filter(|(_, bytes)| **bytes > 0);
        let selections =
            loaded.filter_map(|(direction, _)| store.selection(*direction, IoChoice::Buffered).transpose());
        let selections = selections.collect::<Result<_>>()?;
        Ok(Self { directions, index, static_bytes, selections })
    }
}

/// Lists of one or both directions, open for reading.
pub(crate) struct Lists {
    pub(super) opened: Vec<StoredLists>,
    /// Page cache memory per requested direction, in bytes.
    pub(super) page_caches: Vec<u64>,
    /// Budget and shape of lists that may stay open after a run.
    pub(super) kept: Option<(BudgetPart, ListShape)>,
    /// Lists that [`Lists::load`] loads.
    pub(crate) loading: Loading,
}

/// Lists that are loaded before a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loading {
    /// None: the run reads them.
    Nothing,
    /// The page caches that hold all lists.
    Pages,
    /// All lists, decoded.
    Decoded,
}

impl Deref for Lists {
    type Target = [StoredLists];

    fn deref(&self) -> &[StoredLists] {
        &self.opened
    }
}

impl Lists {
    /// Returns the shape, if the lists may stay open.
    pub(crate) fn shape(&self) -> Option<&ListShape> {
        self.kept.as_ref().map(|(_, shape)| shape)
    }

    /// Returns the page cache memory per requested direction, in bytes.
    pub(crate) fn page_caches(&self) -> &[u64] {
        &self.page_caches
    }

    /// Returns the memory reserved for lists that may stay open, in bytes.
    pub(crate) fn reserved_bytes(&self) -> u64 {
        self.kept.as_ref().map_or(0, |(part, _)| part.bytes())
    }

    /// Moves the reservation of lists that may stay open to `budget`.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget cannot hold it.
    pub(crate) fn charge_to(&self, budget: &MemoryBudget) -> Result<()> {
        self.kept.as_ref().map_or(Ok(()), |(part, _)| part.move_to(budget))
    }

    /// Releases read buffers and additional reservations until [`Lists::resume`].
    ///
    /// # Errors
    ///
    /// Returns an error if the budget cannot hold the memory in use.
    pub(crate) fn suspend(&mut self) -> Result<()> {
        self.opened.iter_mut().zip(&self.page_caches).try_for_each(|(lists, bytes)| {
            lists.suspend();
            lists.charge_as(*bytes)
        })
    }

    /// Resumes with `workers`, and resets the read counters. Reserves the memory that lists opened with `page_caches`
    /// would reserve.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget cannot hold it.
    pub(crate) fn resume(&mut self, workers: &Workers, page_caches: &[u64]) -> Result<()> {
        self.opened.iter_mut().zip(page_caches).try_for_each(|(lists, bytes)| {
            lists.charge_as(*bytes)?;
            lists.resume(workers)
        })
    }

    /// Returns the memory of the pinned lists, in bytes.
    pub(crate) fn static_bytes(&self) -> u64 {
        self.iter().map(StoredLists::static_bytes).sum()
    }

    /// Returns the lists of the first direction.
    ///
    /// # Errors
    ///
    /// Returns an error if no direction was opened.
    pub(crate) fn only(&self) -> Result<&StoredLists> {
        self.first().ok_or_else(|| Error::internal("lists were opened for no direction"))
    }

    /// Sets whether visitors receive weights, in a store with weights.
    pub(crate) fn show_weights(&mut self, show: bool) {
        self.opened.iter_mut().for_each(|lists| lists.show_weights(show));
    }

    /// Returns the memory of the decoded lists, in bytes; `None` if they are not decoded, or without weights that are
    /// needed.
    pub(crate) fn decoded_bytes(&self, weighted: bool) -> Option<u64> {
        self.iter().map(|lists| lists.decoded_bytes(weighted)).sum()
    }

    /// Returns the use of the pages in the page caches; `None` if that was not tracked.
    pub(crate) fn page_use(&self) -> Option<PageUse> {
        let tracked: Vec<PageUse> = self.iter().filter_map(StoredLists::page_use).collect();
        (!tracked.is_empty()).then(|| tracked.into_iter().sum())
    }

    /// Returns the I/O backend of the lists; `None` without lists.
    pub(crate) fn backend(&self) -> Option<Backend> {
        self.first().map(StoredLists::backend)
    }
}
