//! Page cache: pages by number, in frames that are pinned while they are read.

use super::frames::{Admission, Frames};
use super::utilization::{PageUse, TouchedParts, Utilization};
use crate::{ALIGNMENT, AlignedBuffer};
use outcrop_types::{MemoryBudget, Purpose, Reservation, Result, index_from, length_from};
use std::ops::{Deref, Range};

/// Non-blocking cache of equal-sized pages for any number of threads.
#[derive(Debug)]
pub struct PageCache {
    frames: Frames,
    memory: AlignedBuffer,
    page_bytes: usize,
    touched: Option<TouchedParts>,
    held: Reservation,
}

impl PageCache {
    /// Creates a cache for the pages `0..pages` of `page_bytes` each, with at most `cache_bytes` of memory, or the
    /// bytes for all pages ([`PageCache::bytes_for`]) if that is less. If that cannot hold the table and one frame, the
    /// cache is disabled: it uses no memory and never holds a page.
    ///
    /// # Errors
    ///
    /// Returns [`outcrop_types::Error::BudgetTooSmall`] or [`outcrop_types::Error::OutOfMemory`].
    pub fn new(
        budget: &MemoryBudget,
        pages: u64,
        page_bytes: usize,
        cache_bytes: u64,
        utilization: Utilization,
    ) -> Result<Self> {
        let frames = frames_within(pages, page_bytes, cache_bytes, utilization);
        let table = if frames == 0 { 0 } else { pages };
        let bytes = Self::bytes_within(pages, page_bytes, cache_bytes, utilization);
        let held = budget.reserve_growing(bytes, Purpose::PageCache)?;
        let tracked = utilization == Utilization::Tracked && frames > 0;
        Ok(Self {
            frames: Frames::new(table, frames)?,
            memory: AlignedBuffer::new(index_from(frames) * page_bytes, ALIGNMENT, Purpose::PageCache)?,
            page_bytes,
            touched: tracked.then(|| TouchedParts::new(index_from(frames), page_bytes)),
            held,
        })
    }

    /// Changes the reservation to that of a new cache for the pages `0..pages` with at most `cache_bytes`, regardless
    /// of the pages in this cache.
    ///
    /// # Errors
    ///
    /// Returns [`outcrop_types::Error::BudgetTooSmall`].
    pub fn charge_as(&mut self, pages: u64, cache_bytes: u64) -> Result<()> {
        let utilization = if self.tracks_use() { Utilization::Tracked } else { Utilization::Ignored };
        let bytes = Self::bytes_within(pages, self.page_bytes, cache_bytes, utilization);
        self.held.shrink_to(bytes);
        self.held.grow_to(bytes)
    }

    /// Returns the memory of a cache for the pages `0..pages` with at most `cache_bytes`, in bytes.
    fn bytes_within(pages: u64, page_bytes: usize, cache_bytes: u64, utilization: Utilization) -> u64 {
        match frames_within(pages, page_bytes, cache_bytes, utilization) {
            0 => 0,
            frames => total_bytes(pages, frames, page_bytes, utilization),
        }
    }

    /// Returns the memory for all pages including the table, in bytes.
    pub fn bytes_for(pages: u64, page_bytes: usize, utilization: Utilization) -> u64 {
        total_bytes(pages, pages.min(Frames::MOST), page_bytes, utilization)
    }

    /// Returns the memory of the table, in bytes.
    pub const fn table_bytes(pages: u64) -> u64 {
        pages.saturating_mul(Frames::ENTRY_BYTES)
    }

    /// Returns the number of pages that fit.
    pub fn frames(&self) -> u64 {
        length_from(self.frames.len())
    }

    /// Returns the page if it is cached, pinned until the guard is dropped.
    #[inline]
    pub fn get(&self, page: u64) -> Option<PageGuard<'_>> {
        self.frames.pin(page).map(|number| PageGuard { cache: self, number })
    }

    /// Returns true if the page was cached at the time of the call.
    #[inline]
    pub fn contains(&self, page: u64) -> bool {
        self.frames.contains(page)
    }

    /// Caches a copy of the page. Returns `false` if no frame is available (all are pinned, or in use and `admission`
    /// forbids eviction) or if `bytes` is not one page. Also returns `true` if the page is already cached or is being
    /// cached by another thread.
    pub fn insert(&self, page: u64, bytes: &[u8], admission: Admission) -> bool {
        bytes.len() == self.page_bytes
            && self.frames.fill(page, admission, |number, evicted| {
                if let Some(touched) = self.touched.as_ref().filter(|_| evicted) {
                    touched.retire(number);
                }
                self.overwrite(number, bytes);
            })
    }

    /// Returns true if accessed parts of pages are tracked.
    #[inline]
    pub const fn tracks_use(&self) -> bool {
        self.touched.is_some()
    }

    /// Marks these bytes of a page as accessed, if the page is cached and accesses are tracked. Does not increase the
    /// hotness of the page.
    pub fn touch(&self, page: u64, bytes: Range<usize>) {
        let Some(touched) = &self.touched else { return };
        if let Some(number) = self.frames.pin_quietly(page) {
            touched.mark(number, bytes);
            self.frames.unpin(number);
        }
    }

    /// Returns the accessed parts of the evicted and the cached pages; `None` if not tracked. Pages that found no frame
    /// are not counted. Exact only while no thread uses the cache.
    pub fn page_use(&self) -> Option<PageUse> {
        let resident = |number: &usize| self.frames.has_page(*number);
        self.touched.as_ref().map(|touched| touched.total((0..self.frames.len()).filter(resident)))
    }

    /// Returns the number of cached pages.
    pub fn resident_pages(&self) -> u64 {
        length_from(self.frames.used())
    }

    /// Returns the number of evicted pages so far.
    #[cfg(test)]
    fn evictions(&self) -> u64 {
        self.frames.evictions()
    }

    fn overwrite(&self, number: usize, bytes: &[u8]) {
        debug_assert!(number < self.frames.len() && bytes.len() == self.page_bytes);
        // SAFETY: the frame is within the memory, and access is exclusive: no guard exists, and none can be created
        // before `fill` returns. `bytes` has the frame's length and is outside of the memory or in another frame.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.address(number), self.page_bytes) };
    }

    fn address(&self, number: usize) -> *mut u8 {
        // SAFETY: the memory has `page_bytes` per frame, and `number` is a valid frame.
        unsafe { self.memory.as_ptr().add(number * self.page_bytes) }
    }
}

/// Returns the memory of a frame in addition to its page, in bytes.
fn state_bytes(page_bytes: usize, utilization: Utilization) -> u64 {
    Frames::FRAME_BYTES.saturating_add(utilization.bytes_of_page(page_bytes))
}

/// Returns the total memory, with frames rounded up to whole system pages.
fn total_bytes(table: u64, frames: u64, page_bytes: usize, utilization: Utilization) -> u64 {
    let whole = frames.saturating_mul(length_from(page_bytes)).checked_next_multiple_of(length_from(ALIGNMENT));
    let states = frames.saturating_mul(state_bytes(page_bytes, utilization));
    // Default: no budget holds a size that overflows.
    whole.unwrap_or(u64::MAX).saturating_add(states).saturating_add(PageCache::table_bytes(table))
}

fn frames_within(pages: u64, page_bytes: usize, cache_bytes: u64, utilization: Utilization) -> u64 {
    if page_bytes == 0 {
        return 0;
    }
    let left = cache_bytes.saturating_sub(PageCache::table_bytes(pages));
    let frame_bytes = length_from(page_bytes).saturating_add(state_bytes(page_bytes, utilization));
    let frames = (left / frame_bytes).min(pages).min(Frames::MOST);
    let mut fitting = frames;
    while fitting > 0 && total_bytes(pages, fitting, page_bytes, utilization) > cache_bytes {
        fitting -= 1;
    }
    fitting
}

/// Page that is neither moved nor changed during the lifetime of the guard.
#[derive(Debug)]
pub struct PageGuard<'a> {
    cache: &'a PageCache,
    number: usize,
}

impl Deref for PageGuard<'_> {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        // SAFETY: the frame is within the initialized memory, and the guard's pin excludes writers.
        unsafe { std::slice::from_raw_parts(self.cache.address(self.number), self.cache.page_bytes) }
    }
}

impl Drop for PageGuard<'_> {
    #[inline]
    fn drop(&mut self) {
        self.cache.frames.unpin(self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: usize = 512;

    fn contents(page: u64) -> Vec<u8> {
        let numbers = Vec::from_iter((0..PAGE as u64 / 8).map(|i| page * 1_000_003 + i));
        bytemuck::cast_slice(&numbers).to_vec()
    }

    fn cache(pages: u64, frames: u64) -> PageCache {
        cache_with(pages, frames, Utilization::Ignored)
    }

    fn cache_with(pages: u64, frames: u64, utilization: Utilization) -> PageCache {
        let bytes = total_bytes(pages, frames, PAGE, utilization);
        PageCache::new(&MemoryBudget::new(1 << 30), pages, PAGE, bytes, utilization).unwrap()
    }

    #[test]
    fn pages_come_back_and_the_least_used_gives_way() {
        let cache = cache(100, 3);
        assert!((0..3).all(|page| cache.insert(page, &contents(page), Admission::EvictIfNeeded)));
        assert_eq!(&cache.get(0).unwrap()[..], contents(0));
        assert!(cache.insert(3, &contents(3), Admission::EvictIfNeeded));
        let resident: Vec<u64> = (0..100).filter(|page| cache.contains(*page)).collect();
        assert_eq!((resident, cache.evictions(), cache.resident_pages()), (vec![0, 2, 3], 1, 3));
        assert!(cache.get(1).is_none() && cache.get(100).is_none());
    }

    #[test]
    fn sweeps_take_free_frames_only_and_pinned_pages_stay() {
        let cache = cache(10, 2);
        assert!(cache.insert(0, &contents(0), Admission::FreeFrameOnly));
        assert!(cache.insert(1, &contents(1), Admission::FreeFrameOnly));
        assert!(!cache.insert(2, &contents(2), Admission::FreeFrameOnly));
        let held = (cache.get(0).unwrap(), cache.get(1).unwrap());
        assert!(!cache.insert(2, &contents(2), Admission::EvictIfNeeded) && !cache.contains(2));
        assert_eq!((&held.0[..], &held.1[..]), (&contents(0)[..], &contents(1)[..]));
        drop(held);
        assert!(cache.insert(2, &contents(2), Admission::EvictIfNeeded) && cache.contains(2));
    }

    #[test]
    fn what_is_reserved_is_at_most_what_was_allowed() {
        for utilization in [Utilization::Ignored, Utilization::Tracked] {
            let open = |limit, bytes| PageCache::new(&MemoryBudget::new(limit), 100, PAGE, bytes, utilization);
            for cache_bytes in [0, 1, 399, 400, 4096, 5000, 9000, 20_000, 1 << 20] {
                let budget = MemoryBudget::new(1 << 20);
                let cache = PageCache::new(&budget, 100, PAGE, cache_bytes, utilization).unwrap();
                let reserved = budget.limit() - budget.available();
                assert!(reserved <= cache_bytes && cache.frames() <= 100);
                assert_eq!(reserved == 0, cache.frames() == 0);
                assert_eq!(cache.insert(1, &contents(1), Admission::EvictIfNeeded), cache.frames() > 0);
            }
            let whole = PageCache::bytes_for(100, PAGE, utilization);
            assert_eq!(open(whole, whole).unwrap().frames(), 100);
            assert!(open(10, 1 << 20).is_err());
        }
        // One bit per 64 bytes, in whole words.
        let more = PageCache::bytes_for(7, 1 << 14, Utilization::Tracked);
        assert_eq!(more - PageCache::bytes_for(7, 1 << 14, Utilization::Ignored), 7 * (1 << 14) / 64 / 8);
    }

    #[test]
    fn a_cache_is_charged_as_another() {
        let budget = MemoryBudget::new(1 << 20);
        let mut cache = PageCache::new(&budget, 100, PAGE, 9000, Utilization::Ignored).unwrap();
        assert!(cache.insert(1, &contents(1), Admission::EvictIfNeeded));
        for bytes in [12_000, 9000, 20_000, 9000] {
            cache.charge_as(100, bytes).unwrap();
            let other = MemoryBudget::new(1 << 20);
            let _like = PageCache::new(&other, 100, PAGE, bytes, Utilization::Ignored).unwrap();
            assert_eq!(budget.available(), other.available());
        }
        assert_eq!(&cache.get(1).unwrap()[..], contents(1));
    }

    #[test]
    fn what_is_looked_at_counts_while_the_page_is_here() {
        let cache = cache_with(10, 2, Utilization::Tracked);
        let admit = |page: u64| cache.insert(page, &contents(page), Admission::EvictIfNeeded);
        let told = || cache.page_use().map(|pages| (pages.pages, pages.touched)).unwrap();
        assert!(cache.tracks_use() && told() == (0, 0));
        // Not cached, an invalid page, and an empty range.
        cache.touch(0, 0..512);
        assert!(admit(0) && admit(1));
        cache.touch(10, 0..512);
        cache.touch(0, 70..70);
        assert_eq!(told(), (2, 0));
        // Two parts, one of them twice; then the whole other page.
        cache.touch(0, 60..70);
        cache.touch(0, 100..128);
        cache.touch(1, 0..512);
        assert_eq!(told(), (2, 10));
        assert_eq!(cache.page_use().and_then(|pages| pages.mean_of_pages()), Some((0.25 + 1.0) / 2.0));
        // Page 2 evicts page 0 and is not accessed; page 0 returns and is not accessed.
        assert!(admit(2) && !cache.contains(0));
        cache.touch(0, 0..512);
        assert!(told() == (3, 10) && admit(0) && !cache.contains(1) && told() == (4, 10));
        cache.touch(0, 511..600);
        assert_eq!(told(), (4, 11));
        // A page of a sweep finds no frame and is not counted.
        assert!(!cache.insert(5, &contents(5), Admission::FreeFrameOnly) && told() == (4, 11));
    }

    #[test]
    fn looking_after_pages_changes_nothing_about_which_stay() {
        let trace = |utilization| {
            let (cache, mut state) = (cache_with(60, 20, utilization), 3);
            for _ in 0..if cfg!(miri) { 100 } else { 2000 } {
                let page = step(&mut state) % 60;
                if cache.get(page).is_none() {
                    cache.insert(page, &contents(page), Admission::EvictIfNeeded);
                }
                cache.touch(page, 0..64);
                assert!(cache.page_use().is_none_or(|pages| pages.touched == pages.pages));
            }
            ((0..60).filter(|page| cache.contains(*page)).collect::<Vec<u64>>(), cache.evictions())
        };
        assert_eq!(trace(Utilization::Ignored), trace(Utilization::Tracked));
    }

    #[test]
    fn pages_of_another_length_are_refused() {
        assert!(!cache(10, 2).insert(1, &[0; PAGE - 1], Admission::EvictIfNeeded));
    }

    /// Returns the next number of a fixed sequence.
    fn step(state: &mut u64) -> u64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *state >> 33
    }

    fn hammer(cache: &PageCache, seed: u64, rounds: u64) -> u64 {
        let (mut state, mut hits, mut held) = (seed, 0, Vec::new());
        for _ in 0..rounds {
            let page = step(&mut state) % 64;
            cache.touch(page, 100..200);
            match cache.get(page) {
                Some(guard) => {
                    hits += 1;
                    held.push((page, guard));
                }
                None => {
                    let sweep = step(&mut state).is_multiple_of(8);
                    let admission = if sweep { Admission::FreeFrameOnly } else { Admission::EvictIfNeeded };
                    cache.insert(page, &contents(page), admission);
                }
            }
            if held.len() > 3 {
                for (page, guard) in held.drain(..) {
                    assert!(guard[..] == contents(page), "the guard of page {page} shows another");
                }
            }
        }
        hits
    }

    #[test]
    fn no_guard_ever_sees_another_page() {
        let rounds = if cfg!(miri) { 40 } else { 100_000 };
        let cache = cache_with(64, 24, Utilization::Tracked);
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4)
                .map(|seed| {
                    scope.spawn({
                        let cache = &cache;
                        move || hammer(cache, seed, rounds)
                    })
                })
                .collect();
            assert!(threads.into_iter().all(|thread| thread.join().unwrap() > 0));
        });
        assert_eq!(cache.resident_pages(), 24);
        let looked_at = cache.page_use().unwrap();
        assert_eq!(looked_at.pages, cache.evictions() + 24);
        assert!(looked_at.touched > 0 && looked_at.touched <= 3 * looked_at.pages, "{looked_at:?}");
        // Every entry refers to a frame that holds its page, and no frame remains pinned.
        let resident = (0..64).filter(|page| cache.contains(*page)).count();
        assert_eq!(resident, 24);
        assert!((0..64).filter(|page| cache.contains(*page)).all(|page| cache.get(page).is_some()));
        assert!((100..124).all(|_| cache.frames.exhaust().is_some()));
    }
}
