//! Pinned lists: the part of a store's selections that a run keeps in memory, separate from its page cache (BASC,
//! section 3).

use super::size::cache_bytes_for_all;
use crate::graph::Graph;
use crate::memory_size::StaticShare;
use outcrop_io::IoChoice;
use outcrop_store::{SelectionInfo, StaticLists};
use outcrop_types::{Direction, Error, Result};

/// Divides `percent` percent of `cache` bytes among selections of `whole` bytes each, in proportion to them.
pub(crate) fn divided_cache(whole: &[u64], cache: u64, percent: f64) -> Vec<u64> {
    let all: u64 = whole.iter().sum();
    let bytes = ((cache as f64 * (percent / 100.0)) as u64).min(all);
    let part = |whole: &u64| (u128::from(bytes) * u128::from(*whole) / u128::from(all.max(1))) as u64;
    whole.iter().map(part).collect()
}

/// Returns the memory for pinning a whole selection.
pub(crate) fn pinned_bytes(graph: &Graph, info: &SelectionInfo) -> u64 {
    StaticLists::bytes_for(graph.store.manifest().listed_vertices(), info.lists, info.bytes)
}

impl Graph {
    /// Returns the memory for pinning the whole selection of `direction`; 0 if the store has none.
    ///
    /// # Errors
    ///
    /// Returns an error if the selection is damaged.
    pub(crate) fn selection_bytes(&self, direction: Direction) -> Result<u64> {
        let info = self.store.selection(direction, IoChoice::Buffered)?;
        Ok(info.map_or(0, |info| pinned_bytes(self, &info)))
    }

    /// Returns the bytes of `cache` to use for pinned lists, per direction. Without a requested share, only lists that
    /// `stay` open after the run are pinned, because loading them reads more than one run saves.
    ///
    /// # Errors
    ///
    /// Returns an error if a share is requested but there is no selection, or if a selection is damaged.
    pub(crate) fn static_bytes(
        &self,
        directions: &[Direction],
        cache: u64,
        follows_frontiers: bool,
        stay: bool,
    ) -> Result<Vec<u64>> {
        let none = vec![0; directions.len()];
        let share = match self.static_cache {
            StaticShare::Percent(percent) => percent,
            StaticShare::Auto => {
                let lists: u64 = directions.iter().map(|direction| cache_bytes_for_all(self, *direction)).sum();
                if stay && follows_frontiers && lists > cache { StaticShare::USUAL } else { 0.0 }
            }
        };
        if share == 0.0 {
            return Ok(none);
        }
        let whole: Vec<u64> =
            directions.iter().map(|direction| self.selection_bytes(*direction)).collect::<Result<_>>()?;
        match self.static_cache {
            _ if whole.iter().any(|bytes| *bytes > 0) => {}
            StaticShare::Auto => return Ok(none),
            StaticShare::Percent(_) => return Err(self.no_selection()),
        }
        Ok(divided_cache(&whole, cache, share))
    }

    fn no_selection(&self) -> Error {
        Error::Usage(format!(
            "--static-cache: {} has no pinned lists for this run; choose some with `outcrop cache`",
            self.store.folder().display()
        ))
    }
}
