//! Counters of the reads of a layout.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Monotonic counters; workers add to them once per task.
#[derive(Debug, Default)]
pub struct AccessStatistics {
    bytes_read: AtomicU64,
    requests: AtomicU64,
    cache_hits: AtomicU64,
    cache_misses: AtomicU64,
    static_hits: AtomicU64,
    static_misses: AtomicU64,
    waiting_nanoseconds: AtomicU64,
    batches: AtomicU64,
    lists: AtomicU64,
    entries: AtomicU64,
}

/// Bytes read and number of requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reads {
    /// Number of bytes.
    pub bytes: u64,
    /// Number of requests.
    pub requests: u64,
}

/// Values of the counters at one time, or the difference of two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AccessFigures {
    /// Number of bytes read from the device.
    pub bytes_read: u64,
    /// Number of requests to the device.
    pub requests: u64,
    /// Number of pages (chunks in the layout `chunked`) found in the page cache.
    pub cache_hits: u64,
    /// Number of pages read because they were needed, without others in the same request.
    pub cache_misses: u64,
    /// Number of lists found in the static cache.
    pub static_hits: u64,
    /// Number of lists read from pages although there is a static cache; 0 without one.
    pub static_misses: u64,
    /// Time spent waiting for the device, summed over workers.
    pub waiting: Duration,
    /// Number of batches of lists passed to visitors.
    pub batches: u64,
    /// Number of lists and pieces of lists in these batches.
    pub lists: u64,
    /// Number of entries in these batches.
    pub entries: u64,
}

impl AccessStatistics {
    /// Counts a request of `bytes` bytes to the device.
    pub fn count_request(&self, bytes: u64) {
        self.bytes_read.fetch_add(bytes, Relaxed);
        self.requests.fetch_add(1, Relaxed);
    }

    pub(crate) fn count_misses(&self, units: u64) {
        self.cache_misses.fetch_add(units, Relaxed);
    }

    pub(crate) fn count_hits(&self, units: u64) {
        self.cache_hits.fetch_add(units, Relaxed);
    }

    pub(crate) fn count_static(&self, hits: u64, misses: u64) {
        if hits > 0 {
            self.static_hits.fetch_add(hits, Relaxed);
        }
        if misses > 0 {
            self.static_misses.fetch_add(misses, Relaxed);
        }
    }

    /// Counts reads of anything except lists.
    pub(crate) fn count_loading(&self, reads: Reads) {
        self.bytes_read.fetch_add(reads.bytes, Relaxed);
        self.requests.fetch_add(reads.requests, Relaxed);
    }

    pub(crate) fn count_waiting(&self, time: Duration) {
        // Default: saturated after five centuries.
        self.waiting_nanoseconds.fetch_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX), Relaxed);
    }

    /// Counts lists that one worker passed to a visitor.
    pub(crate) fn count_batches(&self, batches: u64, lists: u64, entries: u64) {
        if batches > 0 {
            self.batches.fetch_add(batches, Relaxed);
            self.lists.fetch_add(lists, Relaxed);
            self.entries.fetch_add(entries, Relaxed);
        }
    }

    /// Returns the current values.
    pub fn figures(&self) -> AccessFigures {
        AccessFigures {
            bytes_read: self.bytes_read.load(Relaxed),
            requests: self.requests.load(Relaxed),
            cache_hits: self.cache_hits.load(Relaxed),
            cache_misses: self.cache_misses.load(Relaxed),
            static_hits: self.static_hits.load(Relaxed),
            static_misses: self.static_misses.load(Relaxed),
            waiting: Duration::from_nanos(self.waiting_nanoseconds.load(Relaxed)),
            batches: self.batches.load(Relaxed),
            lists: self.lists.load(Relaxed),
            entries: self.entries.load(Relaxed),
        }
    }
}

impl AccessFigures {
    /// Returns the fraction of lists found in the static cache; `None` if no list was requested or there is no such
    /// cache.
    pub fn static_hit_ratio(&self) -> Option<f64> {
        let lists = self.static_hits + self.static_misses;
        (lists > 0).then(|| self.static_hits as f64 / lists as f64)
    }

    /// Returns the fraction of visited pages found in the page cache; `None` if none was visited.
    pub fn cache_hit_ratio(&self) -> Option<f64> {
        let visited = self.cache_hits as f64 + self.cache_misses as f64;
        (visited > 0.0).then(|| self.cache_hits as f64 / visited)
    }
}

impl std::ops::Add for AccessFigures {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            bytes_read: self.bytes_read + other.bytes_read,
            requests: self.requests + other.requests,
            cache_hits: self.cache_hits + other.cache_hits,
            cache_misses: self.cache_misses + other.cache_misses,
            static_hits: self.static_hits + other.static_hits,
            static_misses: self.static_misses + other.static_misses,
            waiting: self.waiting + other.waiting,
            batches: self.batches + other.batches,
            lists: self.lists + other.lists,
            entries: self.entries + other.entries,
        }
    }
}

impl std::ops::Sub for AccessFigures {
    type Output = Self;

    fn sub(self, earlier: Self) -> Self {
        Self {
            bytes_read: self.bytes_read.saturating_sub(earlier.bytes_read),
            requests: self.requests.saturating_sub(earlier.requests),
            cache_hits: self.cache_hits.saturating_sub(earlier.cache_hits),
            cache_misses: self.cache_misses.saturating_sub(earlier.cache_misses),
            static_hits: self.static_hits.saturating_sub(earlier.static_hits),
            static_misses: self.static_misses.saturating_sub(earlier.static_misses),
            waiting: self.waiting.saturating_sub(earlier.waiting),
            batches: self.batches.saturating_sub(earlier.batches),
            lists: self.lists.saturating_sub(earlier.lists),
            entries: self.entries.saturating_sub(earlier.entries),
        }
    }
}
