//! The lists of a store in whichever layout it has.

use crate::collect::Reading;
use outcrop_io::{Device, MergePolicy, PageUse, Utilisation};
use outcrop_store::access::{AccessStatistics, Adjacency, IoCost, Visit, Workers};
use outcrop_store::layout::chunked::{ChunkedAdjacency, ChunkedOptions, DenseAccess};
use outcrop_store::layout::csr::{CsrAdjacency, CsrOptions};
use outcrop_store::{StaticLists, Store};
use outcrop_types::{Direction, MemoryBudget, MemoryPlan, Result, VertexRange, VertexSet};
use std::sync::Arc;

pub enum Lists {
    Csr(Box<CsrAdjacency>),
    Chunked(Box<ChunkedAdjacency>),
}

fn in_chunks(store: &Store) -> bool {
    !store.manifest().chunked.is_empty()
}

/// The file with the lists of a direction.
pub fn lists_name(store: &Store, direction: Direction) -> String {
    format!("{}.{}", direction.name(), if in_chunks(store) { "chunks" } else { "edges" })
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
        let Reading { io, cache_bytes, utilisation, .. } = reading;
        if in_chunks(store) {
            let options = ChunkedOptions { io, cache_bytes, utilisation, merge, dense_access: DenseAccess::default() };
            let lists = ChunkedAdjacency::open_through(store, direction, &options, budget, workers, wrap)?;
            return Ok(Self::Chunked(Box::new(lists)));
        }
        let options = CsrOptions { io, cache_bytes, utilisation, merge };
        let lists = CsrAdjacency::open_through(store, direction, &options, budget, workers, wrap)?;
        Ok(Self::Csr(Box::new(lists)))
    }

    pub fn use_static(&mut self, statics: StaticLists) -> Result<()> {
        match self {
            Self::Csr(lists) => lists.use_static(statics),
            Self::Chunked(lists) => lists.use_static(statics),
        }
    }

    pub fn memory(store: &Store, direction: Direction, workers: &Workers) -> MemoryPlan {
        match in_chunks(store) {
            true => ChunkedAdjacency::memory(store, direction, workers),
            false => CsrAdjacency::memory(store.manifest().vertices, workers),
        }
    }

    pub fn cache_bytes_for_all(store: &Store, direction: Direction) -> u64 {
        Self::cache_bytes_with(store, direction, Utilisation::Ignored)
    }

    pub fn cache_bytes_with(store: &Store, direction: Direction, utilisation: Utilisation) -> u64 {
        match in_chunks(store) {
            true => ChunkedAdjacency::cache_bytes_for_all(store, direction, utilisation),
            false => CsrAdjacency::cache_bytes_for_all(store, direction, utilisation),
        }
    }

    pub fn page_use(&self) -> Option<PageUse> {
        match self {
            Self::Csr(lists) => lists.page_use(),
            Self::Chunked(lists) => lists.page_use(),
        }
    }
}

impl Adjacency for Lists {
    fn num_vertices(&self) -> u32 {
        match self {
            Self::Csr(lists) => lists.num_vertices(),
            Self::Chunked(lists) => lists.num_vertices(),
        }
    }

    fn num_arcs(&self) -> u64 {
        match self {
            Self::Csr(lists) => lists.num_arcs(),
            Self::Chunked(lists) => lists.num_arcs(),
        }
    }

    fn cost_of(&self, set: &VertexSet) -> IoCost {
        match self {
            Self::Csr(lists) => lists.cost_of(set),
            Self::Chunked(lists) => lists.cost_of(set),
        }
    }

    fn cost_of_sweep(&self) -> IoCost {
        match self {
            Self::Csr(lists) => lists.cost_of_sweep(),
            Self::Chunked(lists) => lists.cost_of_sweep(),
        }
    }

    fn select<V: Visit>(&self, set: &VertexSet, visit: &V) -> Result<()> {
        match self {
            Self::Csr(lists) => lists.select(set, visit),
            Self::Chunked(lists) => lists.select(set, visit),
        }
    }

    fn sweep<V: Visit>(&self, range: VertexRange, visit: &V) -> Result<()> {
        match self {
            Self::Csr(lists) => lists.sweep(range, visit),
            Self::Chunked(lists) => lists.sweep(range, visit),
        }
    }

    fn statistics(&self) -> &AccessStatistics {
        match self {
            Self::Csr(lists) => lists.statistics(),
            Self::Chunked(lists) => lists.statistics(),
        }
    }
}
