//! The lists that a run reads, in the layout that the store has: matched once a run.

use crate::graph::Graph;
use outcrop_io::{Backend, Bandwidths, MergePolicy, PageUse};
use outcrop_store::layout::LayoutKind;
use outcrop_store::layout::chunked::{ChunkedAdjacency, ChunkedOptions, chunks_name};
use outcrop_store::layout::csr::{CsrAdjacency, CsrOptions, edges_name};
use outcrop_types::{Direction, Error, MemoryBudget, MemoryPlan, Result};

/// One or both directions, open for reading.
pub(crate) enum Lists {
    Chunked(Vec<ChunkedAdjacency>),
    Csr(Vec<CsrAdjacency>),
}

impl Lists {
    /// Opens `directions` with `cache_bytes` of page cache, shared out in proportion to what each direction has on disk.
    pub(crate) fn open(
        graph: &Graph,
        directions: &[Direction],
        cache_bytes: u64,
        budget: &MemoryBudget,
    ) -> Result<Self> {
        let Graph { store, workers, io, .. } = graph;
        let (io, utilisation) = (*io, graph.utilisation);
        let bandwidths = Bandwidths::load(store.folder())?.unwrap_or_else(Bandwidths::assumed);
        let merge = MergePolicy { gap_bytes: bandwidths.merge_gap(), ..MergePolicy::default() };
        let all: u64 = directions.iter().map(|direction| cache_bytes_for_all(graph, *direction)).sum();
        let share = |direction: Direction| {
            let whole = cache_bytes_for_all(graph, direction);
            let share = u128::from(cache_bytes) * u128::from(whole) / u128::from(all.max(1));
            u64::try_from(share).unwrap_or(u64::MAX).min(whole)
        };
        match graph.layout() {
            LayoutKind::Chunked => {
                let open = |direction: &Direction| {
                    let (cache_bytes, dense_access) = (share(*direction), graph.dense_access);
                    let options = ChunkedOptions { io, cache_bytes, utilisation, merge, dense_access };
                    ChunkedAdjacency::open(store, *direction, &options, budget, workers)
                };
                directions.iter().map(open).collect::<Result<_>>().map(Self::Chunked)
            }
            LayoutKind::Csr => {
                let open = |direction: &Direction| {
                    let options = CsrOptions { io, cache_bytes: share(*direction), utilisation, merge };
                    CsrAdjacency::open(store, *direction, &options, budget, workers)
                };
                directions.iter().map(open).collect::<Result<_>>().map(Self::Csr)
            }
        }
    }

    /// Loads what the page caches hold whole, so that the run does not read.
    pub(crate) fn load(&self) -> Result<()> {
        match self {
            Self::Chunked(lists) => lists.iter().try_for_each(ChunkedAdjacency::load),
            Self::Csr(_) => Ok(()),
        }
    }

    /// What was looked at of the pages that were in the page caches; `None` where that was not kept account of.
    pub(crate) fn page_use(&self) -> Option<PageUse> {
        let tracked: Vec<PageUse> = match self {
            Self::Chunked(lists) => lists.iter().filter_map(ChunkedAdjacency::page_use).collect(),
            Self::Csr(lists) => lists.iter().filter_map(CsrAdjacency::page_use).collect(),
        };
        (!tracked.is_empty()).then(|| tracked.into_iter().sum())
    }

    /// Which kind of I/O the lists are read with; none without lists.
    pub(crate) fn backend(&self) -> Option<Backend> {
        match self {
            Self::Chunked(lists) => lists.first().map(ChunkedAdjacency::backend),
            Self::Csr(lists) => lists.first().map(CsrAdjacency::backend),
        }
    }
}

/// What opening `direction` takes from the budget, but for the page cache.
pub(crate) fn memory(graph: &Graph, direction: Direction) -> MemoryPlan {
    match graph.layout() {
        LayoutKind::Chunked => ChunkedAdjacency::memory(&graph.store, direction, &graph.workers),
        LayoutKind::Csr => CsrAdjacency::memory(graph.num_vertices(), &graph.workers),
    }
}

/// What holding all lists of `direction` takes, in bytes.
pub(crate) fn cache_bytes_for_all(graph: &Graph, direction: Direction) -> u64 {
    match graph.layout() {
        LayoutKind::Chunked => ChunkedAdjacency::cache_bytes_for_all(&graph.store, direction, graph.utilisation),
        LayoutKind::Csr => CsrAdjacency::cache_bytes_for_all(&graph.store, direction, graph.utilisation),
    }
}

/// Entries of all lists of `direction`.
pub(crate) fn arcs(graph: &Graph, direction: Direction) -> u64 {
    let manifest = graph.store.manifest();
    match graph.layout() {
        LayoutKind::Chunked => manifest.chunked(direction).map_or(0, |entry| entry.arcs),
        LayoutKind::Csr => manifest.csr(direction).map_or(0, |entry| entry.arcs),
    }
}

/// Bytes of the file with the lists of `direction`.
pub(crate) fn bytes_on_disk(graph: &Graph, direction: Direction) -> u64 {
    let stored = graph.store.stored(direction);
    let name = match graph.layout() {
        LayoutKind::Chunked => chunks_name(stored),
        LayoutKind::Csr => edges_name(stored),
    };
    graph.store.manifest().file(&name).map_or(0, |file| file.bytes)
}

impl Graph {
    /// The layout of the store's lists.
    pub fn layout(&self) -> LayoutKind {
        if self.store.manifest().chunked.is_empty() { LayoutKind::Csr } else { LayoutKind::Chunked }
    }

    /// # Errors
    /// The store does not have the layout that is asked for.
    pub(crate) fn require_layout(&self, wanted: Option<LayoutKind>) -> Result<()> {
        match wanted {
            Some(wanted) if wanted != self.layout() => Err(Error::Usage(format!(
                "the lists of {} are laid out as {}, not {}; `outcrop convert` makes a store with another layout",
                self.store.folder().display(),
                self.layout().name(),
                wanted.name()
            ))),
            _ => Ok(()),
        }
    }
}
