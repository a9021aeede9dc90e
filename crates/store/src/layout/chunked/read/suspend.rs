//! Lists that stay open between two runs.

use super::adjacency::ChunkedAdjacency;
use crate::access::{AccessStatistics, Workers};
use crate::layout::chunked::entry::{ChunkedEntry, LevelFigures};
use outcrop_io::{PageCache, Utilisation};
use outcrop_types::Result;
use std::sync::Mutex;

impl ChunkedAdjacency {
    /// Gives back the read buffers until [`ChunkedAdjacency::resume`].
    pub fn suspend(&mut self) {
        self.readers.iter_mut().for_each(|reader| *reader = Mutex::default());
        self.suspended = self.buffers.bytes();
        self.buffers.shrink_to(0);
    }

    /// Reserves what the page cache of lists would that are opened with `cache_bytes`, however large it is.
    ///
    /// # Errors
    /// The budget is too small for that.
    pub fn charge_as(&mut self, cache_bytes: u64) -> Result<()> {
        let shares = cache_shares(&self.entry, cache_bytes, self.utilisation);
        for ((cache, level), share) in self.caches.iter_mut().zip(&self.entry.levels).zip(shares) {
            cache.charge_as(level.chunks, share)?;
        }
        Ok(())
    }

    /// Goes on with `workers`, as many as before, and counts what is read from 0.
    ///
    /// # Errors
    /// The budget is too small for the read buffers.
    pub fn resume(&mut self, workers: &Workers) -> Result<()> {
        self.buffers.grow_to(std::mem::take(&mut self.suspended))?;
        self.workers = workers.with_buffers_of(&self.workers);
        self.statistics = AccessStatistics::default();
        Ok(())
    }
}

/// The part of `cache_bytes` that each level has.
pub(super) fn cache_shares(entry: &ChunkedEntry, cache_bytes: u64, utilisation: Utilisation) -> Vec<u64> {
    let levels = entry.levels.iter().enumerate();
    let whole = |(number, level): (usize, &LevelFigures)| {
        PageCache::bytes_for(level.chunks, entry.settings.chunk_bytes(number), utilisation)
    };
    let wholes: Vec<u64> = levels.map(whole).collect();
    let all = u128::from(wholes.iter().sum::<u64>().max(1));
    let share = |whole: u64| u128::from(cache_bytes) * u128::from(whole) / all;
    wholes.into_iter().map(|whole| u64::try_from(share(whole)).unwrap_or(u64::MAX)).collect()
}
