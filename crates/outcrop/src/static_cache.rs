//! Share of a store's selections that a run holds beside its page cache (BASC, section 3).

use crate::graph::Graph;
use crate::lists::cache_bytes_for_all;
use outcrop_io::IoChoice;
use outcrop_store::{SelectionInfo, StaticLists, Store};
use outcrop_types::{Direction, Error, Result};
use serde::Serialize;
use std::str::FromStr;

/// Part of the cache memory that holds lists of the store's selections; the page cache has the rest.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum StaticShare {
    /// [`StaticShare::USUAL`] where it helps: the store has a selection, the algorithm follows frontiers, and not all lists fit the
    /// cache memory. Else none.
    #[default]
    Auto,
    /// So much of the cache memory, in percent.
    Percent(f64),
}

impl StaticShare {
    /// The part that is taken where nothing else is said, in percent.
    pub const USUAL: f64 = 80.0;
}

impl FromStr for StaticShare {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let text = text.trim();
        if text.eq_ignore_ascii_case("auto") {
            return Ok(Self::Auto);
        }
        let percent = text.strip_suffix('%').and_then(|percent| percent.trim().parse::<f64>().ok());
        percent.filter(|percent| (0.0..=100.0).contains(percent)).map(Self::Percent).ok_or_else(|| {
            Error::Usage(format!("{text:?} is no part of the cache memory; expected one like 80%, or auto"))
        })
    }
}

/// The selection of one direction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum StaticCacheInfo {
    /// As it is kept in the store.
    Kept(SelectionInfo),
    /// It cannot be read.
    Damaged {
        /// Direction of these lists.
        direction: Direction,
        /// Reason.
        damaged: String,
    },
}

impl StaticCacheInfo {
    /// The selections of both directions, as far as there are some.
    pub(crate) fn all_of(store: &Store) -> Vec<Self> {
        let info = |direction| match store.selection(direction, IoChoice::Buffered) {
            Ok(info) => info.map(Self::Kept),
            Err(error) => Some(Self::Damaged { direction, damaged: error.to_string() }),
        };
        store.stored_directions().filter_map(info).collect()
    }
}

impl Graph {
    /// Memory that holding the whole selection of `direction` takes; 0 where the store has none.
    ///
    /// # Errors
    /// The selection is damaged.
    pub(crate) fn selection_bytes(&self, direction: Direction) -> Result<u64> {
        let info = self.store.selection(direction, IoChoice::Buffered)?;
        Ok(info.map_or(0, |info| StaticLists::bytes_for(self.num_vertices(), info.lists, info.bytes)))
    }

    /// Number of the `cache` bytes that hold lists of the selections of `directions`: a share of each.
    ///
    /// # Errors
    /// A part is asked for and there is no selection; a selection is damaged.
    pub(crate) fn static_bytes(
        &self,
        directions: &[Direction],
        cache: u64,
        follows_frontiers: bool,
    ) -> Result<Vec<u64>> {
        let none = vec![0; directions.len()];
        let share = match self.static_cache {
            StaticShare::Percent(percent) => percent,
            StaticShare::Auto => {
                let lists: u64 = directions.iter().map(|direction| cache_bytes_for_all(self, *direction)).sum();
                if follows_frontiers && lists > cache { StaticShare::USUAL } else { 0.0 }
            }
        };
        if share == 0.0 {
            return Ok(none);
        }
        let whole: Vec<u64> =
            directions.iter().map(|direction| self.selection_bytes(*direction)).collect::<Result<_>>()?;
        let all: u64 = whole.iter().sum();
        match self.static_cache {
            _ if all > 0 => {}
            StaticShare::Auto => return Ok(none),
            StaticShare::Percent(_) => return Err(self.no_selection()),
        }
        let bytes = (cache as f64 * (share / 100.0)) as u64;
        let part = |whole: u64| (u128::from(bytes.min(all)) * u128::from(whole) / u128::from(all)) as u64;
        Ok(whole.into_iter().map(part).collect())
    }

    fn no_selection(&self) -> Error {
        Error::Usage(format!(
            "{} has no selection of the lists that are read, so --static-cache has nothing to hold; `outcrop cache` makes one",
            self.store.folder().display()
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_read_as_they_are_written() {
        let share = |text: &str| text.parse::<StaticShare>().ok();
        assert_eq!(share("auto"), Some(StaticShare::Auto));
        assert_eq!(share("0%"), Some(StaticShare::Percent(0.0)));
        assert_eq!(share(" 12.5 % "), Some(StaticShare::Percent(12.5)));
        assert_eq!(share("100%"), Some(StaticShare::Percent(100.0)));
        for wrong in ["", "80", "1GiB", "-1%", "101%", "nan%", "%", "most"] {
            assert_eq!(share(wrong), None, "{wrong}");
        }
    }
}
