//! The lists that a run reads, in the layout that the store has: matched once a run.

use crate::graph::Graph;
use crate::memory_size::CacheSize;
use crate::warm::ListShape;
use outcrop_algorithms::Needs;
use outcrop_io::{Backend, Bandwidths, MergePolicy, PageUse};
use outcrop_store::StaticLists;
use outcrop_store::access::{Adjacency, Workers};
use outcrop_store::layout::compact::IndexResidence;
use outcrop_store::layout::{Layout, LayoutKind, ListOptions, StoredLists};
use outcrop_types::{
    BudgetPart, Direction, Error, MemoryBudget, MemoryPlan, Observer, Phase, ProgressUnit, Result, Silent, length_from,
};
use std::ops::Deref;

/// One or both directions, open for reading.
pub(crate) struct Lists {
    opened: Vec<StoredLists>,
    /// Memory of the page cache of each direction that was asked for, in bytes.
    page_caches: Vec<u64>,
    /// Budget and shape of lists that may stay open after a run.
    kept: Option<(BudgetPart, ListShape)>,
}

impl Deref for Lists {
    type Target = [StoredLists];

    fn deref(&self) -> &[StoredLists] {
        &self.opened
    }
}

/// Reads of lists that a run makes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reads {
    /// Lists and tables that are needed.
    pub(crate) needs: Needs,
    /// True if iterations read the lists of a frontier rather than all.
    pub(crate) follows_frontiers: bool,
    /// Residence of the index of the `compact` layout.
    pub(crate) index: IndexResidence,
}

/// The part of the memory beyond the plan that read buffers get, up to what is of use: its inverse.
const BUFFERS_SHARE: u64 = 16;

/// Memory of lists beyond the plan, in bytes.
#[derive(Clone, Copy)]
pub(crate) struct ListMemory {
    /// Caches: page cache, and lists of selections.
    pub(crate) caches: u64,
    /// Read buffers of each direction.
    pub(crate) buffers: u64,
}

impl ListMemory {
    /// Divides the `rest` bytes that a plan leaves for the lists of `directions`, of which the caches get what `of_caches` says. Caches that
    /// can hold all lists do.
    pub(crate) fn of_rest(graph: &Graph, directions: &[Direction], rest: u64, of_caches: CacheSize) -> Self {
        let count = length_from(directions.len().max(1));
        let all = directions.iter().map(|direction| cache_bytes_for_all(graph, *direction)).sum();
        let buffers = |share: u64| graph.workers.useful_buffers().min(share / count);
        match of_caches {
            CacheSize::Rest => {
                let buffers = buffers(rest.checked_sub(all).unwrap_or(rest / BUFFERS_SHARE));
                Self { caches: rest - buffers * count, buffers }
            }
            size => {
                let caches = size.bytes(graph.memory, rest);
                Self { caches, buffers: buffers(rest.saturating_sub(caches)) }
            }
        }
    }
}

impl Lists {
    /// Opens `directions`: `static_bytes` of the caches at the most hold lists of the selection of each direction, the rest is page cache,
    /// shared out in proportion to what each direction has on disk. The index of the `compact` layout is where `index` says, that of the
    /// others in memory.
    pub(crate) fn open(
        graph: &Graph,
        directions: &[Direction],
        (memory, static_bytes): (ListMemory, &[u64]),
        index: IndexResidence,
        budget: &MemoryBudget,
        observer: &dyn Observer,
    ) -> Result<Self> {
        let Graph { store, workers, io, .. } = graph;
        let (io, utilisation) = (*io, graph.utilisation);
        let statics = load_statics(graph, directions, static_bytes, budget, observer)?;
        let workers = &workers.with_more_buffers(memory.buffers);
        let held: u64 = statics.iter().flatten().map(StaticLists::bytes).sum();
        let cache_bytes = memory.caches.saturating_sub(held);
        let merge = MergePolicy { gap_bytes: graph.bandwidths()?.merge_gap(), ..MergePolicy::default() };
        let (page_caches, dense_access) = (page_cache_shares(graph, directions, cache_bytes), graph.dense_access);
        let open = |((direction, statics), cache_bytes): ((&Direction, Option<StaticLists>), &u64)| {
            let cache_bytes = *cache_bytes;
            let options = ListOptions { io, cache_bytes, utilisation, merge, dense_access, index };
            let mut lists = StoredLists::open(store, *direction, &options, budget, workers)?;
            statics.map_or(Ok(()), |statics| lists.use_static(statics))?;
            Ok(lists)
        };
        let opened = directions.iter().zip(statics).zip(&page_caches).map(open).collect::<Result<_>>()?;
        Ok(Self { opened, page_caches, kept: None })
    }

    /// [`Lists::open`] of lists of this `shape` that may stay open after the run with `budget`.
    pub(crate) fn open_to_keep(
        graph: &Graph,
        shape: ListShape,
        memory: ListMemory,
        budget: &MemoryBudget,
        observer: &dyn Observer,
    ) -> Result<Self> {
        let part = BudgetPart::of(budget);
        let caches = (memory, &*shape.static_bytes);
        let lists = Self::open(graph, &shape.directions, caches, shape.index, &part, observer)?;
        Ok(Self { kept: Some((part, shape)), ..lists })
    }

    /// The shape of lists that may stay open.
    pub(crate) fn shape(&self) -> Option<&ListShape> {
        self.kept.as_ref().map(|(_, shape)| shape)
    }

    /// Memory of the page cache of each direction that was asked for, in bytes.
    pub(crate) fn page_caches(&self) -> &[u64] {
        &self.page_caches
    }

    /// Memory that is reserved for lists that may stay open, in bytes.
    pub(crate) fn reserved_bytes(&self) -> u64 {
        self.kept.as_ref().map_or(0, |(part, _)| part.bytes())
    }

    /// Counts the memory of lists that may stay open in `budget` from now on.
    ///
    /// # Errors
    /// The budget does not hold it.
    pub(crate) fn charge_to(&self, budget: &MemoryBudget) -> Result<()> {
        self.kept.as_ref().map_or(Ok(()), |(part, _)| part.move_to(budget))
    }

    /// Gives back what is only needed to read, and what is reserved besides, until [`Lists::resume`].
    ///
    /// # Errors
    /// The budget does not hold what it held.
    pub(crate) fn suspend(&mut self) -> Result<()> {
        self.opened.iter_mut().zip(&self.page_caches).try_for_each(|(lists, bytes)| {
            lists.suspend();
            lists.charge_as(*bytes)
        })
    }

    /// Goes on with `workers`, and counts what is read from 0. What is reserved is what lists would reserve that are opened with
    /// `page_caches`.
    ///
    /// # Errors
    /// The budget does not hold that.
    pub(crate) fn resume(&mut self, workers: &Workers, page_caches: &[u64]) -> Result<()> {
        self.opened.iter_mut().zip(page_caches).try_for_each(|(lists, bytes)| {
            lists.charge_as(*bytes)?;
            lists.resume(workers)
        })
    }

    /// Memory of the lists that are held beside the page caches, in bytes.
    pub(crate) fn static_bytes(&self) -> u64 {
        self.iter().map(StoredLists::static_bytes).sum()
    }

    /// The lists of the first direction.
    ///
    /// # Errors
    /// No direction was opened.
    pub(crate) fn only(&self) -> Result<&StoredLists> {
        self.first().ok_or_else(|| Error::internal("lists were opened in no direction"))
    }

    /// Opens `directions` with `cache_bytes` of page cache, and without lists of selections.
    pub(crate) fn open_paged(
        graph: &Graph,
        directions: &[Direction],
        cache_bytes: u64,
        budget: &MemoryBudget,
    ) -> Result<Self> {
        let caches = (ListMemory { caches: cache_bytes, buffers: 0 }, &*vec![0; directions.len()]);
        Self::open(graph, directions, caches, IndexResidence::Resident, budget, &Silent)
    }

    /// Decides whether those who read lists get weights, in a store that has some.
    pub(crate) fn show_weights(&mut self, show: bool) {
        self.opened.iter_mut().for_each(|lists| lists.show_weights(show));
    }

    /// Loads what the page caches hold whole, so that the run does not read.
    pub(crate) fn load(&self) -> Result<()> {
        self.iter().try_for_each(StoredLists::load)
    }

    /// Use of the pages that were in the page caches; `None` where that was not kept account of.
    pub(crate) fn page_use(&self) -> Option<PageUse> {
        let tracked: Vec<PageUse> = self.iter().filter_map(StoredLists::page_use).collect();
        (!tracked.is_empty()).then(|| tracked.into_iter().sum())
    }

    /// Kind of I/O that the lists are read with; none without lists.
    pub(crate) fn backend(&self) -> Option<Backend> {
        self.first().map(StoredLists::backend)
    }
}

/// The part of `cache_bytes` that the page cache of each direction has, in proportion to what it has on disk; no more than all its lists
/// take.
pub(crate) fn page_cache_shares(graph: &Graph, directions: &[Direction], cache_bytes: u64) -> Vec<u64> {
    let wholes: Vec<u64> = directions.iter().map(|direction| cache_bytes_for_all(graph, *direction)).collect();
    let all = wholes.iter().sum::<u64>().max(1);
    let share = |whole: u64| (u128::from(cache_bytes) * u128::from(whole) / u128::from(all)).min(whole.into());
    wholes.into_iter().map(|whole| u64::try_from(share(whole)).unwrap_or(whole)).collect()
}

/// Loads lists of the selection of each direction, at most its `static_bytes` of them.
fn load_statics(
    graph: &Graph,
    directions: &[Direction],
    static_bytes: &[u64],
    budget: &MemoryBudget,
    observer: &dyn Observer,
) -> Result<Vec<Option<StaticLists>>> {
    let Graph { store, workers, io, .. } = graph;
    let load = |(direction, most_bytes): (&Direction, &u64)| match most_bytes {
        0 => Ok(None),
        most_bytes => StaticLists::load(store, *direction, *most_bytes, *io, budget, workers, observer),
    };
    let statics = directions.iter().zip(static_bytes).map(load).collect::<Result<Vec<_>>>()?;
    if statics.iter().any(Option::is_some) {
        observer.phase(&Phase { name: "loading indexes", unit: ProgressUnit::Bytes, total: None });
    }
    Ok(statics)
}

/// The out-lists and the in-lists of those that are open, where they are needed.
pub(crate) fn sides(lists: &[StoredLists], needs: Needs) -> (Option<&dyn Adjacency>, Option<&dyn Adjacency>) {
    let dynamic = |lists| lists as &dyn Adjacency;
    let out = lists.first().filter(|_| needs.out_lists).map(dynamic);
    (out, lists.last().filter(|_| needs.in_lists).map(dynamic))
}

/// Memory that opening `direction` takes from the budget, but for the page cache.
pub(crate) fn memory(graph: &Graph, direction: Direction) -> MemoryPlan {
    memory_with_index(graph, direction, IndexResidence::Resident)
}

/// [`memory`] with the index of the `compact` layout where `index` says.
pub(crate) fn memory_with_index(graph: &Graph, direction: Direction, index: IndexResidence) -> MemoryPlan {
    StoredLists::memory(&graph.store, direction, &graph.workers, index)
}

/// Memory that holding all lists of `direction` takes, in bytes.
pub(crate) fn cache_bytes_for_all(graph: &Graph, direction: Direction) -> u64 {
    StoredLists::cache_bytes_for_all(&graph.store, direction, graph.utilisation)
}

/// Entries of all lists of `direction`.
pub(crate) fn arcs(graph: &Graph, direction: Direction) -> u64 {
    graph.store.manifest().arcs(direction).unwrap_or(0)
}

/// Bytes of the file with the lists of `direction`.
pub(crate) fn bytes_on_disk(graph: &Graph, direction: Direction) -> u64 {
    StoredLists::bytes_on_disk(&graph.store, direction)
}

impl Graph {
    /// Speed of the disk with the store: as measured, or assumed.
    pub(crate) fn bandwidths(&self) -> Result<Bandwidths> {
        if let Some(known) = self.bandwidths.get() {
            return Ok(known.clone());
        }
        let found = Bandwidths::load(self.store.folder())?.unwrap_or_else(Bandwidths::assumed);
        Ok(self.bandwidths.get_or_init(|| found).clone())
    }

    /// The layout of the store's lists.
    pub fn layout(&self) -> LayoutKind {
        self.store.manifest().layout()
    }

    /// The layout of the store's lists, with what was chosen about it.
    pub fn layout_settings(&self) -> Layout {
        let manifest = self.store.manifest();
        let chunked = manifest.chunked.first().map(|entry| Layout::Chunked(entry.settings.clone()));
        let compact = || manifest.compact.first().map(|entry| Layout::Compact(entry.settings()));
        let csr = || manifest.csr.first().map(|entry| Layout::Csr(entry.settings()));
        let sliding = || manifest.sliding.as_ref().map(|entry| Layout::Sliding(entry.settings()));
        chunked.or_else(compact).or_else(sliding).or_else(csr).unwrap_or_default()
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
