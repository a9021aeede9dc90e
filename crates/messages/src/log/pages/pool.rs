//! Pages of all logs: free, in memory, or on disk (section V.A.3).

use super::failure::Failure;
use super::list::List;
use super::page::Page;
use super::places::Places;
use super::sync::{AtomicBool, AtomicU64, Condvar, Mutex, MutexGuard};
use outcrop_io::PageFile;
use outcrop_types::{Cancellation, Error, MemoryBudget, Purpose, Reservation, Result};
use std::sync::PoisonError;
use std::sync::atomic::Ordering::Relaxed;

/// Bytes per reservation for the numbers of unexpected pages on disk.
const NUMBERS_STEP: u64 = 64 << 10;

/// State shared by senders, loaders and the eviction thread.
#[derive(Debug)]
pub(super) struct State {
    pub(super) free: Vec<Page>,
    /// Number of pages that can still be allocated.
    unmade: usize,
    pub(super) lists: Vec<List>,
    /// Unused lists.
    unused: Vec<usize>,
    /// List being filled, per interval.
    pub(super) filling: Vec<usize>,
    serials: u64,
    pub(super) places: Places,
    numbers: Vec<Reservation>,
    pub(super) failed: Failure,
    pub(super) closing: bool,
    /// Interval whose pages are evicted next.
    pub(super) next: usize,
}

/// Pages, lists and the file.
#[derive(Debug)]
pub(crate) struct Pool {
    state: Mutex<State>,
    /// Signaled when pages become free or are written, or after a failure.
    pub(super) changed: Condvar,
    /// Signaled when there are pages to evict.
    pub(super) wanted: Condvar,
    pub(crate) file: PageFile,
    pub(super) page_bytes: usize,
    /// Number of free pages below which eviction starts.
    pub(super) low: usize,
    /// Bytes that the log itself reserved for numbers of pages on disk.
    numbers_paid: u64,
    /// `true` if few pages were free since messages were last taken.
    pressed: AtomicBool,
    /// Number of pending messages per interval.
    waiting: Vec<AtomicU64>,
    budget: MemoryBudget,
    pub(super) cancellation: Cancellation,
}

impl Pool {
    /// Memory per interval for its lists, without pages, in bytes: the list being filled and the taken ones.
    pub(crate) const LIST_BYTES: u64 = 4 * size_of::<List>() as u64;

    /// Memory per page on disk for its number, in bytes: an entry in a list that grows by an eighth, and a bit.
    pub(crate) const NUMBER_BYTES: u64 = 5;

    /// Creates a pool of up to `pages` pages, which evicts if fewer than `low` are free and has reserved `numbers`
    /// numbers.
    pub(crate) fn new(
        intervals: usize,
        (pages, low, numbers): (usize, usize, u64),
        file: PageFile,
        budget: &MemoryBudget,
        cancellation: &Cancellation,
    ) -> Self {
        let mut state = State {
            free: Vec::with_capacity(pages),
            unmade: pages,
            lists: Vec::with_capacity(2 * intervals),
            unused: Vec::with_capacity(2 * intervals),
            filling: Vec::with_capacity(intervals),
            serials: 0,
            places: Places::default(),
            numbers: Vec::new(),
            failed: Failure::default(),
            closing: false,
            next: 0,
        };
        for interval in 0..intervals {
            let list = state.new_list(interval as u32);
            state.filling.push(list);
        }
        Self {
            state: Mutex::new(state),
            changed: Condvar::new(),
            wanted: Condvar::new(),
            page_bytes: file.page_bytes(),
            file,
            low,
            numbers_paid: numbers * Self::NUMBER_BYTES,
            pressed: AtomicBool::new(false),
            waiting: (0..intervals).map(|_| AtomicU64::new(0)).collect(),
            budget: budget.clone(),
            cancellation: cancellation.clone(),
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns true if memory was recently too small for all pages.
    pub(crate) fn is_pressed(&self) -> bool {
        self.pressed.load(Relaxed)
    }

    /// Waits until something changes.
    pub(super) fn wait<'s>(&self, state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of counted pending messages of an interval.
    pub(crate) fn waiting(&self, interval: usize) -> u64 {
        self.waiting[interval].load(Relaxed)
    }

    /// Adds to the number of pending messages.
    pub(crate) fn count(&self, interval: usize, messages: u64) {
        self.waiting[interval].fetch_add(messages, Relaxed);
    }

    /// Takes a full page and returns an empty one; waits if all pages are in use. After a failure, the messages in the
    /// full page are lost.
    pub(crate) fn exchange(&self, interval: usize, full: Page) -> Page {
        let mut state = self.lock();
        if state.failed.has_failed() {
            return self.emptied(full);
        }
        if !full.is_empty() {
            state.add(interval, full);
        }
        loop {
            let page = state.free.pop();
            let make = page.is_none() && state.unmade > 0;
            state.unmade -= usize::from(make);
            if state.free_pages() < self.low {
                self.pressed.store(true, Relaxed);
                self.wanted.notify_one();
            }
            match page {
                Some(page) => return page,
                None if make || state.failed.has_failed() => return self.emptied(Page::default()),
                None => state = self.wait(state),
            }
        }
    }

    fn emptied(&self, mut page: Page) -> Page {
        if page.bytes.is_empty() {
            return Page::new(self.page_bytes);
        }
        page.clear();
        page
    }

    /// Returns pages to the pool.
    pub(super) fn release(&self, pages: impl IntoIterator<Item = Page>) {
        self.lock().free_all(pages);
        self.changed.notify_all();
    }

    /// Starts a new list for an interval. Adds `tops` to the current list and returns it, with its number of messages
    /// and the bytes of its entries.
    pub(crate) fn take(&self, interval: usize, mut tops: Vec<Page>) -> (usize, u64, u64) {
        let mut state = self.lock();
        let next = state.new_list(interval as u32);
        let list = std::mem::replace(&mut state.filling[interval], next);
        while let Some(mut top) = tops.pop() {
            let held = tops.iter_mut().any(|other| other.absorb(&mut top));
            match held {
                true => state.free.push(top),
                false => state.lists[list].add(top),
            }
        }
        state.lists[list].taken = true;
        self.pressed.fetch_and(state.free_pages() < 2 * self.low, Relaxed);
        (list, self.waiting[interval].swap(0, Relaxed), state.lists[list].bytes)
    }

    /// Makes the most recently taken list of its interval the current one again. It has `messages` messages, and none
    /// were sent to the interval since.
    pub(crate) fn give_back(&self, list: usize, messages: u64) {
        let mut state = self.lock();
        let interval = state.lists[list].interval as usize;
        let empty = std::mem::replace(&mut state.filling[interval], list);
        state.lists[list].taken = false;
        state.unused.push(empty);
        self.waiting[interval].store(messages, Relaxed);
        self.wanted.notify_one();
    }

    /// Discards a list and its messages.
    pub(crate) fn forget(&self, list: usize) {
        let mut state = self.lock();
        // A pending write always ends, with or without success.
        while state.lists[list].writing > 0 {
            state = self.wait(state);
        }
        let pages = std::mem::take(&mut state.lists[list].pages);
        let places = std::mem::take(&mut state.lists[list].places);
        state.free_all(pages);
        places.into_iter().for_each(|place| state.places.release(place));
        state.unused.push(list);
        self.changed.notify_all();
    }

    /// Returns the first failure unchanged, and an equivalent error on later calls.
    pub(crate) fn check(&self) -> Result<()> {
        self.lock().failed.check()
    }

    /// Stores the first failure and wakes all waiting threads.
    pub(crate) fn fail(&self, error: Error) {
        self.lock().failed.keep(error);
        self.changed.notify_all();
    }

    /// Like [`Pool::fail`], after an early end of the eviction thread: pages on their way to the disk are lost.
    pub(super) fn fail_writer(&self, error: Error) {
        let mut state = self.lock();
        state.lists.iter_mut().for_each(|list| list.writing = 0);
        drop(state);
        self.fail(error);
    }

    /// Reserves memory for the numbers of `more` pages on disk.
    ///
    /// # Errors
    /// Returns an error if the budget is too small.
    pub(super) fn pay_for_numbers(&self, state: &mut State, more: u64) -> Result<()> {
        let needed = (state.places.taken() + more) * Self::NUMBER_BYTES;
        while self.numbers_paid + state.numbers.len() as u64 * NUMBERS_STEP < needed {
            state.numbers.push(self.budget.reserve(NUMBERS_STEP, Purpose::IoBuffers)?);
        }
        Ok(())
    }
}

impl State {
    pub(super) const fn free_pages(&self) -> usize {
        self.free.len() + self.unmade
    }

    fn free_all(&mut self, pages: impl IntoIterator<Item = Page>) {
        self.free.extend(pages.into_iter().map(|mut page| {
            page.clear();
            page
        }));
    }

    fn add(&mut self, interval: usize, page: Page) {
        let list = self.filling[interval];
        self.lists[list].add(page);
    }

    fn new_list(&mut self, interval: u32) -> usize {
        let list = self.unused.pop().unwrap_or_else(|| {
            self.lists.push(List::default());
            self.lists.len() - 1
        });
        self.serials += 1;
        let List { pages, places, .. } = std::mem::take(&mut self.lists[list]);
        self.lists[list] = List { interval, serial: self.serials, pages, places, ..List::default() };
        list
    }
}
