//! Frames of a page cache: the page in each frame, and access to its bytes.
//!
//! The bytes are elsewhere. A thread may read those of a frame that it pinned, and write those of a frame that it
//! fills: the two exclude each other. The models of this protocol (`make loom`) are at the end.

use super::eviction::{Clock, FrameState};
use super::sync::{AtomicU32, AtomicU64, AtomicUsize};
use outcrop_types::{Purpose, Result, index_from, memory};
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

/// Table entry of a page that is not cached.
const ABSENT: u32 = 0;
/// Table entry of a page that a thread is about to cache.
const ARRIVING: u32 = u32::MAX;
/// Page number of an empty frame.
const NO_PAGE: u64 = u64::MAX;

/// Permitted cost of admitting a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// Another page may be evicted; for selects.
    EvictIfNeeded,
    /// Only an unused frame is taken; for sweeps, which must not evict pages that selects use.
    FreeFrameOnly,
}

/// Non-blocking map from pages to frames for any number of threads.
#[derive(Debug)]
pub(super) struct Frames {
    /// Per page, its frame's number plus one, or a marker.
    table: Vec<AtomicU32>,
    frames: Vec<Frame>,
    /// Number of frames that have been used.
    used: AtomicUsize,
    clock: Clock,
    evictions: AtomicU64,
}

#[derive(Debug)]
struct Frame {
    state: FrameState,
    /// Written only with exclusive access to the frame.
    page: AtomicU64,
}

impl Frames {
    /// Maximum number of frames: entries of the table are a frame's number plus one.
    pub(super) const MOST: u64 = u32::MAX as u64 - 1;
    /// Memory per frame, in bytes.
    pub(super) const FRAME_BYTES: u64 = size_of::<Frame>() as u64;
    /// Memory per page, in bytes.
    pub(super) const ENTRY_BYTES: u64 = size_of::<AtomicU32>() as u64;

    /// Creates empty frames for the pages `0..pages`.
    pub(super) fn new(pages: u64, frames: u64) -> Result<Self> {
        Ok(Self {
            table: memory::filled(index_from(pages), Purpose::PageCache, |_| AtomicU32::new(ABSENT))?,
            frames: memory::filled(index_from(frames), Purpose::PageCache, |_| Frame {
                state: FrameState::default(),
                page: AtomicU64::new(NO_PAGE),
            })?,
            used: AtomicUsize::new(0),
            clock: Clock::default(),
            evictions: AtomicU64::new(0),
        })
    }

    /// Returns the number of frames.
    pub(super) const fn len(&self) -> usize {
        self.frames.len()
    }

    /// Returns the number of used frames.
    pub(super) fn used(&self) -> usize {
        self.used.load(Relaxed).min(self.frames.len())
    }

    /// Returns true if the frame has a page. Exact only while no thread fills frames.
    pub(super) fn has_page(&self, number: usize) -> bool {
        self.frames[number].page.load(Relaxed) != NO_PAGE
    }

    /// Returns the number of evicted pages so far.
    #[cfg(test)]
    pub(super) fn evictions(&self) -> u64 {
        self.evictions.load(Relaxed)
    }

    /// Returns true if the page was cached at the time of the call.
    #[inline]
    pub(super) fn contains(&self, page: u64) -> bool {
        let entry = self.table.get(index_from(page)).map_or(ABSENT, |entry| entry.load(Relaxed));
        entry != ABSENT && entry != ARRIVING
    }

    /// Pins the page's frame and increases its hotness; `None` if the page is not cached.
    #[inline]
    pub(super) fn pin(&self, page: u64) -> Option<usize> {
        self.pin_with(page, FrameState::pin)
    }

    /// Same as [`Frames::pin`] without an increase of the hotness.
    pub(super) fn pin_quietly(&self, page: u64) -> Option<usize> {
        self.pin_with(page, FrameState::pin_quietly)
    }

    #[inline]
    fn pin_with(&self, page: u64, pin: impl FnOnce(&FrameState) -> bool) -> Option<usize> {
        let entry = self.table.get(index_from(page))?.load(Acquire);
        if entry == ABSENT || entry == ARRIVING {
            return None;
        }
        let number = entry as usize - 1;
        let frame = &self.frames[number];
        if !pin(&frame.state) {
            return None;
        }
        // The frame may have received another page between the table lookup and the pin; from now on it cannot.
        if frame.page.load(Relaxed) == page {
            return Some(number);
        }
        frame.state.unpin();
        None
    }

    /// Removes the pin of a pinned frame.
    #[inline]
    pub(super) fn unpin(&self, number: usize) {
        self.frames[number].state.unpin();
    }

    /// Caches the page in a frame whose bytes `write` replaces; its arguments are the frame, and true if another page
    /// was evicted from it. Returns `false` if there is no such page, or no frame is available (all are pinned, or in
    /// use and `admission` forbids eviction). Also returns `true` if the page is already cached or is being cached by
    /// another thread.
    pub(super) fn fill(&self, page: u64, admission: Admission, write: impl FnOnce(usize, bool)) -> bool {
        let Some(entry) = self.table.get(index_from(page)) else { return false };
        // The thread that changes the entry from absent is the only one to cache the page.
        if entry.compare_exchange(ABSENT, ARRIVING, Relaxed, Relaxed).is_err() {
            return true;
        }
        let Some(number) = self.take_frame(admission) else {
            entry.store(ABSENT, Relaxed);
            return false;
        };
        let frame = &self.frames[number];
        write(number, self.evict(frame));
        frame.page.store(page, Relaxed);
        // Set the entry before releasing the frame: otherwise the frame could be evicted while its page has no entry
        // yet.
        entry.store(number as u32 + 1, Release);
        frame.state.publish();
        true
    }

    /// Takes exclusive access to a frame.
    fn take_frame(&self, admission: Admission) -> Option<usize> {
        match self.take_unused_frame() {
            Some(number) => Some(number),
            None if admission == Admission::FreeFrameOnly || self.frames.is_empty() => None,
            None => self.clock.take(&self.frames, |frame| &frame.state),
        }
    }

    fn take_unused_frame(&self) -> Option<usize> {
        let next = |used: usize| (used < self.frames.len()).then_some(used + 1);
        let number = self.used.fetch_update(Relaxed, Relaxed, next).ok()?;
        self.frames[number].state.take_fresh().then_some(number)
    }

    /// Removes the page of a frame with exclusive access; returns false if it had none. Even an apparently unused frame
    /// may have a page, if the clock hand took it first.
    fn evict(&self, frame: &Frame) -> bool {
        let old = frame.page.swap(NO_PAGE, Relaxed);
        let Some(entry) = self.table.get(index_from(old)) else { return false };
        entry.store(ABSENT, Relaxed);
        self.evictions.fetch_add(1, Relaxed);
        true
    }

    /// Takes a frame by the clock hand and never returns it.
    #[cfg(test)]
    pub(super) fn exhaust(&self) -> Option<usize> {
        self.clock.take(&self.frames, |frame| &frame.state)
    }
}

#[cfg(test)]
#[cfg(loom)]
mod models {
    use super::*;
    use Admission::{EvictIfNeeded, FreeFrameOnly};
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;
    use loom::thread::{JoinHandle, spawn};
    use std::sync::atomic::AtomicU32 as Count;

    /// Frames with one number as bytes, in which loom finds every read that a write does not precede or follow.
    struct Cache {
        frames: Frames,
        bytes: Vec<UnsafeCell<u64>>,
        writes: Count,
    }

    impl Cache {
        fn new(pages: u64, frames: u64) -> Arc<Self> {
            let bytes = (0..frames).map(|_| UnsafeCell::new(0)).collect();
            Arc::new(Self { frames: Frames::new(pages, frames).unwrap(), bytes, writes: Count::new(0) })
        }

        fn insert(&self, page: u64, admission: Admission) -> bool {
            self.frames.fill(page, admission, |number, _| {
                self.writes.fetch_add(1, Relaxed);
                self.bytes[number].with_mut(|bytes| {
                    // SAFETY: `fill` excludes all others, as loom checks.
                    unsafe { *bytes = page + 100 }
                });
            })
        }

        /// Reads the page twice during its pin.
        fn get(&self, page: u64) -> bool {
            let Some(number) = self.frames.pin(page) else { return false };
            for _ in 0..2 {
                // SAFETY: the pin excludes writers, as loom checks.
                assert_eq!(self.bytes[number].with(|bytes| unsafe { *bytes }), page + 100);
            }
            self.frames.unpin(number);
            true
        }

        /// Entries and frames refer to each other, and no frame stays pinned or exclusive.
        fn check(&self) {
            let entries: Vec<_> = self.frames.table.iter().map(|entry| entry.load(Relaxed)).collect();
            for (page, entry) in entries.iter().enumerate().filter(|(_, entry)| **entry != ABSENT) {
                assert_ne!(*entry, ARRIVING);
                assert_eq!(self.frames.frames[*entry as usize - 1].page.load(Relaxed), page as u64);
                assert!(self.get(page as u64));
            }
            let full = (0..self.frames.len()).filter(|number| self.frames.has_page(*number)).count();
            assert_eq!(entries.iter().filter(|entry| **entry != ABSENT).count(), full);
            assert_eq!(u64::from(self.writes.load(Relaxed)), self.frames.evictions() + full as u64);
            assert!((0..self.frames.len()).all(|_| self.frames.exhaust().is_some()));
        }
    }

    fn started(cache: &Arc<Cache>, work: impl FnOnce(&Cache) + 'static) -> JoinHandle<()> {
        let cache = Arc::clone(cache);
        spawn(move || work(&cache))
    }

    #[test]
    fn a_pinned_page_is_not_overwritten() {
        loom::model(|| {
            let cache = Cache::new(2, 1);
            assert!(cache.insert(0, FreeFrameOnly));
            let reader = started(&cache, |cache| _ = cache.get(0));
            cache.insert(1, EvictIfNeeded);
            reader.join().unwrap();
            cache.check();
        });
    }

    #[test]
    fn a_page_that_is_found_is_complete() {
        loom::model(|| {
            let cache = Cache::new(1, 1);
            let writer = started(&cache, |cache| assert!(cache.insert(0, FreeFrameOnly)));
            cache.get(0);
            writer.join().unwrap();
            assert!(cache.get(0));
            cache.check();
        });
    }

    #[test]
    fn a_page_that_two_threads_insert_is_cached_once() {
        loom::model(|| {
            let cache = Cache::new(1, 2);
            let other = started(&cache, |cache| assert!(cache.insert(0, EvictIfNeeded)));
            assert!(cache.insert(0, EvictIfNeeded));
            other.join().unwrap();
            assert!(cache.get(0) && cache.writes.load(Relaxed) == 1);
            cache.check();
        });
    }

    #[test]
    fn two_threads_take_one_frame_in_turn() {
        loom::model(|| {
            let cache = Cache::new(2, 1);
            let other = started(&cache, |cache| {
                cache.insert(0, EvictIfNeeded);
                cache.get(1);
            });
            cache.insert(1, EvictIfNeeded);
            cache.get(0);
            other.join().unwrap();
            cache.check();
        });
    }

    #[test]
    fn a_frame_that_receives_another_page_between_lookup_and_pin_is_refused() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(|| {
            let cache = Cache::new(3, 1);
            assert!(cache.insert(0, FreeFrameOnly));
            let reader = started(&cache, |cache| _ = cache.get(0));
            let writer = started(&cache, |cache| _ = cache.insert(1, EvictIfNeeded));
            cache.insert(2, EvictIfNeeded);
            reader.join().unwrap();
            writer.join().unwrap();
            cache.check();
        });
    }

    #[test]
    fn quiet_pins_and_evictions_of_two_frames_exclude_each_other() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(|| {
            let cache = Cache::new(4, 2);
            assert!(cache.insert(0, FreeFrameOnly));
            let writer = started(&cache, |cache| _ = cache.insert(1, FreeFrameOnly));
            let reader = started(&cache, |cache| {
                if let Some(number) = cache.frames.pin_quietly(0) {
                    // SAFETY: the pin excludes writers, as loom checks.
                    assert_eq!(cache.bytes[number].with(|bytes| unsafe { *bytes }), 100);
                    cache.frames.unpin(number);
                }
            });
            cache.insert(2, EvictIfNeeded);
            reader.join().unwrap();
            writer.join().unwrap();
            cache.check();
        });
    }
}
