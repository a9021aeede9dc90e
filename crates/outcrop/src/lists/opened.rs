//! Lists that are open, and their rest between runs.

use outcrop_io::{Backend, IoChoice, PageUse};
use outcrop_store::access::Workers;
use outcrop_store::layout::StoredLists;
use outcrop_store::layout::compact::IndexResidence;
use outcrop_store::{SelectionInfo, Store};
use outcrop_types::{BudgetPart, Direction, Error, MemoryBudget, Result};
use std::ops::Deref;

/// Set of lists as it is opened: sets of the same shape and with page caches of the same size take the same memory.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ListShape {
    pub(crate) directions: Vec<Direction>,
    /// Place of the index of the `compact` layout.
    pub(crate) index: IndexResidence,
    /// Maximum memory for pinned lists, per direction.
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
    /// Page cache memory of each requested direction, in bytes.
    pub(super) page_caches: Vec<u64>,
    /// Budget and shape of lists that may stay open after a run.
    pub(super) kept: Option<(BudgetPart, ListShape)>,
}

impl Deref for Lists {
    type Target = [StoredLists];

    fn deref(&self) -> &[StoredLists] {
        &self.opened
    }
}

impl Lists {
    /// The shape of lists that may stay open.
    pub(crate) fn shape(&self) -> Option<&ListShape> {
        self.kept.as_ref().map(|(_, shape)| shape)
    }

    /// Page cache memory of each requested direction, in bytes.
    pub(crate) fn page_caches(&self) -> &[u64] {
        &self.page_caches
    }

    /// Memory that is reserved for lists that may stay open, in bytes.
    pub(crate) fn reserved_bytes(&self) -> u64 {
        self.kept.as_ref().map_or(0, |(part, _)| part.bytes())
    }

    /// Counts the memory of lists that may stay open in `budget` from now on.
    ///
    /// # Errors
    /// The budget does not hold it.
    pub(crate) fn charge_to(&self, budget: &MemoryBudget) -> Result<()> {
        self.kept.as_ref().map_or(Ok(()), |(part, _)| part.move_to(budget))
    }

    /// Gives back what is only needed to read, and what is reserved besides, until [`Lists::resume`].
    ///
    /// # Errors
    /// The budget does not hold what it held.
    pub(crate) fn suspend(&mut self) -> Result<()> {
        self.opened.iter_mut().zip(&self.page_caches).try_for_each(|(lists, bytes)| {
            lists.suspend();
            lists.charge_as(*bytes)
        })
    }

    /// Goes on with `workers`, and counts what is read from 0. What is reserved is what lists would reserve that are
    /// opened with `page_caches`.
    ///
    /// # Errors
    /// The budget does not hold that.
    pub(crate) fn resume(&mut self, workers: &Workers, page_caches: &[u64]) -> Result<()> {
        self.opened.iter_mut().zip(page_caches).try_for_each(|(lists, bytes)| {
            lists.charge_as(*bytes)?;
            lists.resume(workers)
        })
    }

    /// Memory of the lists that are held beside the page caches, in bytes.
    pub(crate) fn static_bytes(&self) -> u64 {
        self.iter().map(StoredLists::static_bytes).sum()
    }

    /// The lists of the first direction.
    ///
    /// # Errors
    /// No direction was opened.
    pub(crate) fn only(&self) -> Result<&StoredLists> {
        self.first().ok_or_else(|| Error::internal("lists were opened for no direction"))
    }

    /// Decides whether those who read lists get weights, in a store that has some.
    pub(crate) fn show_weights(&mut self, show: bool) {
        self.opened.iter_mut().for_each(|lists| lists.show_weights(show));
    }

    /// Loads what the page caches hold whole, so that the run does not read.
    pub(crate) fn load(&self) -> Result<()> {
        self.iter().try_for_each(StoredLists::load)
    }

    /// Use of the pages that were in the page caches; `None` if that was not tracked.
    pub(crate) fn page_use(&self) -> Option<PageUse> {
        let tracked: Vec<PageUse> = self.iter().filter_map(StoredLists::page_use).collect();
        (!tracked.is_empty()).then(|| tracked.into_iter().sum())
    }

    /// Kind of I/O that the lists are read with; none without lists.
    pub(crate) fn backend(&self) -> Option<Backend> {
        self.first().map(StoredLists::backend)
    }
}
