//! The lists of a store in whichever layout it has.

use crate::collect::Reading;
use outcrop_io::{Device, MergePolicy, PageUse, Utilisation};
use outcrop_store::access::{AccessStatistics, Adjacency, IoCost, Visit, Workers};
use outcrop_store::layout::LayoutKind;
use outcrop_store::layout::chunked::{ChunkedAdjacency, ChunkedOptions, DenseAccess};
use outcrop_store::layout::compact::{CompactAdjacency, CompactOptions};
use outcrop_store::layout::csr::{CsrAdjacency, CsrOptions};
use outcrop_store::layout::sliding::{BLOCKS_NAME, SlidingAdjacency, SlidingOptions};
use outcrop_store::{StaticLists, Store};
use outcrop_types::{Direction, Error, MemoryBudget, MemoryPlan, Result, VertexRange, VertexSet};
use std::sync::Arc;

pub enum Lists {
    Csr(Box<CsrAdjacency>),
    Chunked(Box<ChunkedAdjacency>),
    Compact(Box<CompactAdjacency>),
    Sliding(Box<SlidingAdjacency>),
}

/// The file with the lists of a direction.
pub fn lists_name(store: &Store, direction: Direction) -> String {
    let file = match store.manifest().layout() {
        LayoutKind::Chunked => "chunks",
        LayoutKind::Compact => "shards",
        LayoutKind::Csr => "edges",
        LayoutKind::Sliding => return BLOCKS_NAME.to_owned(),
    };
    format!("{}.{file}", direction.name())
}

impl Lists {
    pub fn open_through(
        store: &Store,
        direction: Direction,
        (reading, merge): (Reading, MergePolicy),
        budget: &MemoryBudget,
        workers: &Workers,
        wrap: impl FnOnce(Arc<dyn Device>) -> Arc<dyn Device>,
    ) -> Result<Self> {
        let Reading { io, cache_bytes, utilisation, index, .. } = reading;
        match store.manifest().layout() {
            LayoutKind::Chunked => {
                let dense_access = DenseAccess::default();
                let options = ChunkedOptions { io, cache_bytes, utilisation, merge, dense_access };
                let lists = ChunkedAdjacency::open_through(store, direction, &options, budget, workers, wrap)?;
                Ok(Self::Chunked(Box::new(lists)))
            }
            LayoutKind::Compact => {
                let options = CompactOptions { io, cache_bytes, utilisation, merge, index };
                let lists = CompactAdjacency::open_through(store, direction, &options, budget, workers, wrap)?;
                Ok(Self::Compact(Box::new(lists)))
            }
            LayoutKind::Csr => {
                let options = CsrOptions { io, cache_bytes, utilisation, merge };
                let lists = CsrAdjacency::open_through(store, direction, &options, budget, workers, wrap)?;
                Ok(Self::Csr(Box::new(lists)))
            }
            LayoutKind::Sliding => {
                let options = SlidingOptions { io, cache_bytes };
                let lists = SlidingAdjacency::open_through(store, direction, options, budget, workers, wrap)?;
                Ok(Self::Sliding(Box::new(lists)))
            }
        }
    }

    pub fn use_static(&mut self, statics: StaticLists) -> Result<()> {
        match self {
            Self::Csr(lists) => lists.use_static(statics),
            Self::Chunked(lists) => lists.use_static(statics),
            Self::Compact(lists) => lists.use_static(statics),
            Self::Sliding(_) => Err(Error::Usage("shards hold no single lists".to_owned())),
        }
    }

    pub fn memory(store: &Store, direction: Direction, reading: Reading, workers: &Workers) -> MemoryPlan {
        match store.manifest().layout() {
            LayoutKind::Chunked => ChunkedAdjacency::memory(store, direction, workers),
            LayoutKind::Compact => CompactAdjacency::memory(store, direction, workers, reading.index),
            LayoutKind::Csr => CsrAdjacency::memory(store, direction, workers),
            LayoutKind::Sliding => SlidingAdjacency::memory(store, direction, workers),
        }
    }

    pub fn cache_bytes_for_all(store: &Store, direction: Direction) -> u64 {
        Self::cache_bytes_with(store, direction, Utilisation::Ignored)
    }

    pub fn cache_bytes_with(store: &Store, direction: Direction, utilisation: Utilisation) -> u64 {
        match store.manifest().layout() {
            LayoutKind::Chunked => ChunkedAdjacency::cache_bytes_for_all(store, direction, utilisation),
            LayoutKind::Compact => CompactAdjacency::cache_bytes_for_all(store, direction, utilisation),
            LayoutKind::Csr => CsrAdjacency::cache_bytes_for_all(store, direction, utilisation),
            LayoutKind::Sliding => SlidingAdjacency::cache_bytes_for_all(store),
        }
    }

    pub fn page_use(&self) -> Option<PageUse> {
        match self {
            Self::Csr(lists) => lists.page_use(),
            Self::Chunked(lists) => lists.page_use(),
            Self::Compact(lists) => lists.page_use(),
            Self::Sliding(_) => None,
        }
    }
}

impl Adjacency for Lists {
    fn num_vertices(&self) -> u32 {
        match self {
            Self::Csr(lists) => lists.num_vertices(),
            Self::Chunked(lists) => lists.num_vertices(),
            Self::Compact(lists) => lists.num_vertices(),
            Self::Sliding(lists) => lists.num_vertices(),
        }
    }

    fn num_arcs(&self) -> u64 {
        match self {
            Self::Csr(lists) => lists.num_arcs(),
            Self::Chunked(lists) => lists.num_arcs(),
            Self::Compact(lists) => lists.num_arcs(),
            Self::Sliding(lists) => lists.num_arcs(),
        }
    }

    fn cost_of(&self, set: &VertexSet) -> IoCost {
        match self {
            Self::Csr(lists) => lists.cost_of(set),
            Self::Chunked(lists) => lists.cost_of(set),
            Self::Compact(lists) => lists.cost_of(set),
            Self::Sliding(lists) => lists.cost_of(set),
        }
    }

    fn cost_of_sweep(&self) -> IoCost {
        match self {
            Self::Csr(lists) => lists.cost_of_sweep(),
            Self::Chunked(lists) => lists.cost_of_sweep(),
            Self::Compact(lists) => lists.cost_of_sweep(),
            Self::Sliding(lists) => lists.cost_of_sweep(),
        }
    }

    fn select(&self, set: &VertexSet, visit: &dyn Visit) -> Result<()> {
        match self {
            Self::Csr(lists) => lists.select(set, visit),
            Self::Chunked(lists) => lists.select(set, visit),
            Self::Compact(lists) => lists.select(set, visit),
            Self::Sliding(lists) => lists.select(set, visit),
        }
    }

    fn sweep(&self, range: VertexRange, visit: &dyn Visit) -> Result<()> {
        match self {
            Self::Csr(lists) => lists.sweep(range, visit),
            Self::Chunked(lists) => lists.sweep(range, visit),
            Self::Compact(lists) => lists.sweep(range, visit),
            Self::Sliding(lists) => lists.sweep(range, visit),
        }
    }

    fn statistics(&self) -> &AccessStatistics {
        match self {
            Self::Csr(lists) => lists.statistics(),
            Self::Chunked(lists) => lists.statistics(),
            Self::Compact(lists) => lists.statistics(),
            Self::Sliding(lists) => lists.statistics(),
        }
    }
}
