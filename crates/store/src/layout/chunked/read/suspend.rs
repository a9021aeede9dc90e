//! Settings of lists that are open, and the time between two runs.

use super::adjacency::{ChunkedAdjacency, DEPTH};
use super::load::Loader;
use super::wanted::{Claims, Wanted};
use crate::access::{AccessStatistics, Workers};
use crate::layout::chunked::entry::{ChunkedEntry, LevelFigures};
use crate::layout::lists::LayoutLists;
use crate::selection::StaticLists;
use outcrop_io::{Backend, PageCache, PageUse, Utilisation};
use outcrop_types::{Result, VertexRange};
use std::sync::Mutex;

impl LayoutLists for ChunkedAdjacency {
    fn suspend(&mut self) {
        self.readers.iter_mut().for_each(|reader| *reader = Mutex::default());
        self.suspended = self.buffers.bytes();
        self.buffers.shrink_to(0);
    }

    fn charge_as(&mut self, cache_bytes: u64) -> Result<()> {
        let shares = cache_shares(&self.entry, cache_bytes, self.utilisation);
        for ((cache, level), share) in self.caches.iter_mut().zip(&self.entry.levels).zip(shares) {
            cache.charge_as(level.chunks, share)?;
        }
        Ok(())
    }

    fn resume(&mut self, workers: &Workers) -> Result<()> {
        self.buffers.grow_to(std::mem::take(&mut self.suspended))?;
        self.workers = workers.with_buffers_of(&self.workers);
        self.statistics = AccessStatistics::default();
        Ok(())
    }

    fn use_static(&mut self, statics: StaticLists) -> Result<()> {
        self.statistics.count_loading(statics.reads());
        self.statics = Some(statics);
        self.paged_chunks = self.count_paged_chunks()?;
        Ok(())
    }

    fn static_lists(&self) -> Option<&StaticLists> {
        self.statics.as_ref()
    }

    fn load(&self) -> Result<()> {
        let frames: u64 = self.caches.iter().map(PageCache::frames).sum();
        if frames < u64::from(self.table.len()) {
            return Ok(());
        }
        let range = VertexRange::new(0, self.format.vertices);
        let wanted = Wanted::Range { range, filtered: None, marks: None };
        let claims = Claims::new(&wanted, &self.table);
        self.workers.run(false, &|slot| {
            let mut loader = Loader::new(self, &claims);
            self.read(slot, DEPTH, &mut loader).inspect_err(|_| claims.stop())
        })
    }

    fn page_use(&self) -> Option<PageUse> {
        let tracked: Vec<_> = self.caches.iter().filter_map(PageCache::page_use).collect();
        (!tracked.is_empty()).then(|| tracked.into_iter().sum())
    }

    fn backend(&self) -> Backend {
        self.chunks.device().backend()
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
