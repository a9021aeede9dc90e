//! Writes pages to disk when few are free (section V.A.3). A separate thread writes, so that senders wait only if no
//! page is free.

use super::page::Page;
use super::pool::{Pool, State};
use super::sync::{Builder, JoinHandle};
use outcrop_types::{Error, Result};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, PoisonError};

/// Maximum number of pages per batch.
const BATCH: usize = 64;

/// Eviction thread; it ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Evictor {
    pool: Arc<Pool>,
    thread: Option<JoinHandle<()>>,
}

impl Evictor {
    /// # Errors
    /// Returns [`Error::Io`] if the thread cannot be started.
    pub(crate) fn start(pool: &Arc<Pool>) -> Result<Self> {
        Self::doing(evict_while_requested, pool)
    }

    /// Starts a thread that runs `work`. A panic counts as a failure, so that no thread waits for it forever.
    fn doing(work: impl FnOnce(&Pool) + Send + 'static, pool: &Arc<Pool>) -> Result<Self> {
        let shared = Arc::clone(pool);
        let guarded = move || {
            if let Err(payload) = catch_unwind(AssertUnwindSafe(|| work(&shared))) {
                shared.fail_writer(Error::panicked("the thread that writes messages", &*payload));
            }
        };
        let thread = Builder::new()
            .name("outcrop-log".to_owned())
            .spawn(guarded)
            .map_err(|error| Error::io("start", "a writing thread", error))?;
        Ok(Self { pool: Arc::clone(pool), thread: Some(thread) })
    }
}

impl Drop for Evictor {
    fn drop(&mut self) {
        self.pool.lock().closing = true;
        self.pool.wanted.notify_all();
        // The result of the thread was stored before.
        _ = self.thread.take().map(JoinHandle::join);
    }
}

/// Page on its way to the file, and its list.
struct Leaving {
    list: usize,
    serial: u64,
    interval: u32,
    page: Page,
}

fn evict_while_requested(pool: &Pool) {
    let mut batch = Vec::with_capacity(BATCH);
    let mut state = pool.lock();
    while !state.closing {
        if !state.failed.has_failed() && state.free_pages() < pool.low {
            choose(&mut state, &mut batch);
        }
        if batch.is_empty() {
            state = pool.wanted.wait(state).unwrap_or_else(PoisonError::into_inner);
            continue;
        }
        let placed = place(pool, &mut state, batch.len());
        drop(state);
        let outcome = placed.and_then(|places| write(pool, &mut batch, places));
        if let Err(error) = outcome {
            pool.fail(error);
        }
        state = pool.lock();
        arrive(&mut state, &mut batch);
        pool.changed.notify_all();
    }
}

/// Chooses pages of lists that are being filled, interval by interval, because they are needed last; if there are none,
/// of taken lists, from the last interval backwards.
fn choose(state: &mut State, batch: &mut Vec<Leaving>) {
    let intervals = state.filling.len();
    for step in 0..intervals {
        let interval = (state.next + step) % intervals;
        let list = state.filling[interval];
        leave(state, list, batch);
        if batch.len() >= BATCH {
            state.next = interval;
            return;
        }
    }
    if batch.is_empty() {
        let lists = state.lists.iter().enumerate();
        let last = lists.filter(|(_, list)| list.taken && !list.pages.is_empty()).max_by_key(|(_, list)| list.interval);
        if let Some((list, _)) = last {
            leave(state, list, batch);
        }
    }
}

/// Takes pages of a list out of memory, up to the capacity of the batch.
fn leave(state: &mut State, list: usize, batch: &mut Vec<Leaving>) {
    let held = &mut state.lists[list];
    let stay = (held.pages.len() + batch.len()).saturating_sub(BATCH);
    held.writing += (held.pages.len() - stay) as u32;
    let (serial, interval) = (held.serial, held.interval);
    batch.extend(held.pages.drain(stay..).map(|page| Leaving { list, serial, interval, page }));
}

/// Returns free places for `pages` pages, which are not yet in any list.
fn place(pool: &Pool, state: &mut State, pages: usize) -> Result<Vec<Range<u32>>> {
    pool.pay_for_numbers(state, pages as u64)?;
    let (mut places, mut left) = (Vec::new(), pages as u32);
    while left > 0 {
        let Some(some) = state.places.take(left) else {
            return Err(Error::DiskFull { path: pool.file.folder().to_owned(), needed: None });
        };
        left -= some.len() as u32;
        places.push(some);
    }
    Ok(places)
}

/// Writes the pages, with one write per run of consecutive places, and records their places.
fn write(pool: &Pool, batch: &mut [Leaving], places: Vec<Range<u32>>) -> Result<()> {
    let mut rest = batch;
    for run in places {
        let (pages, others) = std::mem::take(&mut rest).split_at_mut(run.len());
        rest = others;
        for (leaving, place) in pages.iter_mut().zip(run.clone()) {
            leaving.page.seal(leaving.interval, leaving.serial, place);
        }
        pool.file.write(u64::from(run.start), pages.iter().map(|leaving| &*leaving.page.bytes))?;
        let mut state = pool.lock();
        pages.iter().zip(run).for_each(|(leaving, place)| state.lists[leaving.list].note_place(place));
    }
    Ok(())
}

/// Frees the pages after the write.
fn arrive(state: &mut State, batch: &mut Vec<Leaving>) {
    for Leaving { list, mut page, .. } in batch.drain(..) {
        state.lists[list].writing -= 1;
        page.clear();
        state.free.push(page);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outcrop_io::{PageFile, SpillFolder};
    use outcrop_types::{Cancellation, MemoryBudget};

    #[test]
    fn a_panic_while_messages_are_written_is_told_and_nobody_waits_for_them() {
        let folder = tempfile::tempdir().unwrap();
        let file = PageFile::new(&SpillFolder::new(folder.path()).unwrap(), 4096);
        let budget = MemoryBudget::new(1 << 20);
        let pool = Arc::new(Pool::new(1, (4, 2, 0), file, &budget, &Cancellation::new()));
        let list = pool.lock().filling[0];
        pool.lock().lists[list].writing = 1;
        let evictor = Evictor::doing(|_| panic!("page 7"), &pool).unwrap();
        // Waits for pending writes.
        pool.forget(list);
        for _ in 0..2 {
            let error = pool.check().unwrap_err();
            assert!(matches!(&error, Error::Internal { message } if message.ends_with("panicked: page 7")), "{error}");
        }
        drop(evictor);
    }
}

#[cfg(test)]
#[cfg(loom)]
mod models {
    use super::super::HEADER_BYTES;
    use super::*;
    use outcrop_io::PageFile;
    use outcrop_types::{Cancellation, MemoryBudget};
    use std::path::Path;

    /// Runs `work` with a pool of `pages` pages and an eviction thread, in every schedule of up to three preemptions.
    fn model(pages: usize, work: impl Fn(&Arc<Pool>) + Send + Sync + 'static) {
        let file = tempfile::tempfile().unwrap();
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(move || {
            let file = PageFile::over(file.try_clone().unwrap(), Path::new("model"), 2 * HEADER_BYTES);
            let budget = MemoryBudget::new(1 << 20);
            let pool = Arc::new(Pool::new(1, (pages, 1, 0), file, &budget, &Cancellation::new()));
            let evictor = Evictor::start(&pool).unwrap();
            work(&pool);
            drop(evictor);
            pool.check().unwrap();
        });
    }

    /// Fills `count` pages with one byte each.
    fn send(pool: &Pool, count: usize) {
        let mut page = pool.exchange(0, Page::default());
        for _ in 0..count {
            page.used = HEADER_BYTES + 1;
            pool.count(0, 1);
            page = pool.exchange(0, page);
        }
        pool.release([page]);
    }

    /// Takes the list, waits for its pages and returns their number; there are as many messages and bytes.
    fn taken(pool: &Pool) -> u64 {
        let (list, messages, bytes) = pool.take(0, Vec::new());
        assert_eq!(messages, bytes);
        let mut state = pool.lock();
        while state.lists[list].writing > 0 {
            state = pool.wait(state);
        }
        let found = (state.lists[list].pages.len() + state.lists[list].places.len()) as u64;
        assert_eq!(found, messages);
        drop(state);
        pool.forget(list);
        found
    }

    #[test]
    fn a_sender_of_more_pages_than_the_pool_has_gets_every_page_back() {
        model(2, |pool| {
            send(pool, 3);
            assert_eq!(taken(pool), 3);
            assert_eq!(pool.lock().free_pages(), 2);
        });
    }

    #[test]
    fn two_senders_and_the_eviction_thread_lose_no_page_and_do_not_wait_forever() {
        model(3, |pool| {
            let other = loom::thread::spawn({
                let pool = Arc::clone(pool);
                move || send(&pool, 1)
            });
            send(pool, 2);
            other.join().unwrap();
            assert_eq!(taken(pool), 3);
            let state = pool.lock();
            assert_eq!((state.free_pages(), state.places.taken()), (3, 0));
        });
    }

    #[test]
    fn a_failed_write_wakes_senders_and_is_reported() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        let file = tempfile::NamedTempFile::new().unwrap();
        let read_only = std::fs::File::open(file.path()).unwrap();
        model.check(move || {
            let file = PageFile::over(read_only.try_clone().unwrap(), Path::new("model"), 2 * HEADER_BYTES);
            let budget = MemoryBudget::new(1 << 20);
            let pool = Arc::new(Pool::new(1, (2, 1, 0), file, &budget, &Cancellation::new()));
            let evictor = Evictor::start(&pool).unwrap();
            send(&pool, 3);
            let (list, ..) = pool.take(0, Vec::new());
            pool.forget(list);
            drop(evictor);
            assert!(pool.check().is_err());
        });
    }
}
