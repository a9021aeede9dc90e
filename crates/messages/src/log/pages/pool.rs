//! The pages of all logs: which are free, which wait in memory, and which on disk (section V.A.3).

use super::failure::Failure;
use super::list::List;
use super::page::Page;
use super::places::Places;
use outcrop_io::PageFile;
use outcrop_types::{Cancellation, Error, MemoryBudget, Purpose, Reservation, Result};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Memory that is reserved at once for the numbers of pages on disk that nobody expected, in bytes.
const NUMBERS_STEP: u64 = 64 << 10;

/// State that is shared by those who send, load and evict.
#[derive(Debug)]
pub(super) struct State {
    pub(super) free: Vec<Page>,
    /// Pages that may yet be made.
    unmade: usize,
    pub(super) lists: Vec<List>,
    /// Lists that nobody uses.
    unused: Vec<usize>,
    /// The list of each interval that is being filled.
    pub(super) filling: Vec<usize>,
    serials: u64,
    pub(super) places: Places,
    numbers: Vec<Reservation>,
    pub(super) failed: Failure,
    pub(super) closing: bool,
    /// The interval whose pages are evicted next.
    pub(super) next: usize,
}

/// Pages, lists and the file.
#[derive(Debug)]
pub(crate) struct Pool {
    state: Mutex<State>,
    /// Pages became free, or were written; or something failed.
    pub(super) changed: Condvar,
    /// There is something to evict.
    pub(super) wanted: Condvar,
    pub(crate) file: PageFile,
    pub(super) page_bytes: usize,
    /// Below so many free pages some are evicted.
    pub(super) low: usize,
    /// Bytes for numbers of pages on disk that the log reserved itself.
    numbers_paid: u64,
    /// True if few pages were free since messages were last taken.
    pressed: AtomicBool,
    /// Messages that wait for each interval.
    waiting: Vec<AtomicU64>,
    budget: MemoryBudget,
    pub(super) cancellation: Cancellation,
}

impl Pool {
    /// Memory of an interval's lists, that which is filled and those that were taken, besides pages, in bytes.
    pub(crate) const LIST_BYTES: u64 = 4 * size_of::<List>() as u64;

    /// Memory that the number of a page on disk takes, in bytes: in a list that grows by an eighth, and a bit.
    pub(crate) const NUMBER_BYTES: u64 = 5;

    /// Creates a pool of up to `pages` pages, which evicts below `low` free ones and has reserved `numbers` numbers.
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

    /// True if memory did not hold all pages of late.
    pub(crate) fn is_pressed(&self) -> bool {
        self.pressed.load(Relaxed)
    }

    /// Waits until something changed.
    pub(super) fn wait<'s>(&self, state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// Messages that wait for an interval, as far as they were counted.
    pub(crate) fn waiting(&self, interval: usize) -> u64 {
        self.waiting[interval].load(Relaxed)
    }

    /// Counts messages that wait.
    pub(crate) fn count(&self, interval: usize, messages: u64) {
        self.waiting[interval].fetch_add(messages, Relaxed);
    }

    /// Takes a full page and gives an empty one, waiting where all are in use. After a failure what is in the full page
    /// is lost.
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

    /// Gives pages back.
    pub(super) fn release(&self, pages: impl IntoIterator<Item = Page>) {
        self.lock().free_all(pages);
        self.changed.notify_all();
    }

    /// Begins another list of an interval; returns the one that was filled so far, to which `tops` are added, how many
    /// messages were sent to it, and the bytes of its entries.
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

    /// Lets the list that was taken last of its interval be filled again; nothing was sent to that since. So many
    /// messages are in it.
    pub(crate) fn give_back(&self, list: usize, messages: u64) {
        let mut state = self.lock();
        let interval = state.lists[list].interval as usize;
        let empty = std::mem::replace(&mut state.filling[interval], list);
        state.lists[list].taken = false;
        state.unused.push(empty);
        self.waiting[interval].store(messages, Relaxed);
        self.wanted.notify_one();
    }

    /// Forgets a list and what is in it.
    pub(crate) fn forget(&self, list: usize) {
        let mut state = self.lock();
        // Whoever writes comes to an end, be it a bad one.
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

    /// The first failure as it was; later the same again.
    pub(crate) fn check(&self) -> Result<()> {
        self.lock().failed.check()
    }

    /// Keeps the first failure, and wakes all who wait.
    pub(crate) fn fail(&self, error: Error) {
        self.lock().failed.keep(error);
        self.changed.notify_all();
    }

    /// [`Pool::fail`] where the thread that writes has ended too early: what is on its way to the disk arrives no more.
    pub(super) fn fail_writer(&self, error: Error) {
        let mut state = self.lock();
        state.lists.iter_mut().for_each(|list| list.writing = 0);
        drop(state);
        self.fail(error);
    }

    /// Pays for the numbers of so many more pages on disk.
    ///
    /// # Errors
    /// The budget is too small.
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
