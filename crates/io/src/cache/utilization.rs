//! Accessed fraction of cached pages (Lee, Kim, Lim, Noh and Seo, USENIX ATC 2019, section 5.1).
//!
//! Each 64-byte part that is accessed while its page is cached is marked. The utilization of a page is the fraction of
//! its marked parts when it is evicted, or at the end.

use outcrop_types::length_from;
use std::iter::Sum;
use std::ops::{Add, Range};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Bytes per tracked part of a page.
const PART_BYTES: usize = 64;
const WORD: usize = u64::BITS as usize;

/// Tracking of the accessed parts of cached pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Utilization {
    /// No tracking, at no cost.
    #[default]
    Ignored,
    /// Tracking with one bit per 64 bytes.
    Tracked,
}

impl Utilization {
    /// Returns the memory of the marks of one page, in bytes.
    pub(super) const fn bytes_of_page(self, page_bytes: usize) -> u64 {
        match self {
            Self::Ignored => 0,
            Self::Tracked => length_from(words_of(page_bytes) * size_of::<AtomicU64>()),
        }
    }
}

const fn words_of(page_bytes: usize) -> usize {
    page_bytes.div_ceil(PART_BYTES).div_ceil(WORD)
}

/// Accessed parts of the pages in one or more caches.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PageUse {
    /// Number of pages that were evicted or are cached at the end.
    pub pages: u64,
    /// Number of their 64-byte parts.
    pub parts: u64,
    /// Number of accessed parts.
    pub touched: u64,
    /// Sum over pages of the fraction of accessed parts.
    pub shares: f64,
}

impl PageUse {
    /// Returns the mean accessed fraction per page, as in the paper; `None` without pages.
    pub fn mean_of_pages(&self) -> Option<f64> {
        (self.pages > 0).then(|| self.shares / self.pages as f64)
    }

    /// Returns the accessed fraction of all bytes, in which large pages have more weight; `None` without pages.
    pub fn share_of_bytes(&self) -> Option<f64> {
        (self.parts > 0).then(|| self.touched as f64 / self.parts as f64)
    }
}

impl Add for PageUse {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            pages: self.pages + other.pages,
            parts: self.parts + other.parts,
            touched: self.touched + other.touched,
            shares: self.shares + other.shares,
        }
    }
}

impl Sum for PageUse {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), Self::add)
    }
}

/// Marks of all frames of a cache, and the totals of evicted pages.
#[derive(Debug)]
pub(super) struct TouchedParts {
    marks: Vec<AtomicU64>,
    page_bytes: usize,
    /// Number of evicted pages.
    pages: AtomicU64,
    touched: AtomicU64,
}

impl TouchedParts {
    pub(super) fn new(frames: usize, page_bytes: usize) -> Self {
        let marks = (0..frames * words_of(page_bytes)).map(|_| AtomicU64::new(0)).collect();
        Self { marks, page_bytes, pages: AtomicU64::new(0), touched: AtomicU64::new(0) }
    }

    /// Marks the parts of a frame that contain these bytes of its page. The frame must be pinned.
    pub(super) fn mark(&self, frame: usize, bytes: Range<usize>) {
        let words = self.words(frame);
        let end = bytes.end.min(self.page_bytes).div_ceil(PART_BYTES);
        let mut part = bytes.start / PART_BYTES;
        while part < end && !bytes.is_empty() {
            let last = end.min((part / WORD + 1) * WORD);
            let run = u64::MAX >> (WORD - (last - part)) << (part % WORD);
            words[part / WORD].fetch_or(run, Relaxed);
            part = last;
        }
    }

    /// Counts the marks of a frame and clears them. Requires exclusive access to the frame.
    pub(super) fn retire(&self, frame: usize) {
        let touched = self.words(frame).iter().map(|word| word.swap(0, Relaxed).count_ones()).sum::<u32>();
        self.touched.fetch_add(u64::from(touched), Relaxed);
        self.pages.fetch_add(1, Relaxed);
    }

    /// Returns the accessed parts of the evicted pages, and of those in the frames `resident`.
    pub(super) fn total(&self, resident: impl Iterator<Item = usize>) -> PageUse {
        let (mut pages, mut touched) = (self.pages.load(Relaxed), self.touched.load(Relaxed));
        for frame in resident {
            let marked = self.words(frame).iter().map(|word| word.load(Relaxed).count_ones()).sum::<u32>();
            (pages, touched) = (pages + 1, touched + u64::from(marked));
        }
        let parts = length_from(self.page_bytes.div_ceil(PART_BYTES));
        PageUse { pages, parts: pages * parts, touched, shares: touched as f64 / parts as f64 }
    }

    fn words(&self, frame: usize) -> &[AtomicU64] {
        let count = words_of(self.page_bytes);
        &self.marks[frame * count..(frame + 1) * count]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_marked_where_the_bytes_lie() {
        for page_bytes in [512, 4096, 65_536] {
            let touched = TouchedParts::new(3, page_bytes);
            let parts = page_bytes / PART_BYTES;
            let mut expected = vec![false; parts];
            let mut state = 5_usize;
            for _ in 0..40 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let start = (state >> 33) % page_bytes;
                let end = start + (state >> 20) % 300;
                touched.mark(1, start..end);
                (start / 64..end.div_ceil(64).min(parts))
                    .filter(|_| end > start)
                    .for_each(|part| expected[part] = true);
            }
            touched.mark(1, 64..64);
            let count = expected.iter().filter(|part| **part).count() as u64;
            let all = touched.total([0, 1, 2].into_iter());
            assert_eq!((all.pages, all.parts, all.touched), (3, 3 * parts as u64, count));
            let marked = |part: usize| touched.words(1)[part / 64].load(Relaxed) >> (part % 64) & 1 == 1;
            assert!((0..parts).all(|part| marked(part) == expected[part]));
        }
    }

    #[test]
    fn the_mean_of_pages_and_the_share_of_bytes_differ_where_pages_do() {
        let (small, large) = (TouchedParts::new(1, 512), TouchedParts::new(1, 4096));
        small.mark(0, 0..512);
        large.mark(0, 100..101);
        let both: PageUse = [small.total(0..1), large.total(0..1)].into_iter().sum();
        assert_eq!((both.pages, both.parts, both.touched), (2, 72, 9));
        assert_eq!(both.mean_of_pages(), Some(f64::midpoint(1.0, 1.0 / 64.0)));
        assert_eq!(both.share_of_bytes(), Some(0.125));
        assert_eq!((PageUse::default().mean_of_pages(), PageUse::default().share_of_bytes()), (None, None));
    }
}
