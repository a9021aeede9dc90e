//! Opening of lists, with caches and buffers in the memory that the plan leaves for them.

use super::opened::{ListShape, Lists, Loading};
use super::size::cache_bytes_for_all;
use super::warm::Warm;
use crate::graph::Graph;
use crate::memory_size::{CacheSize, StaticShare};
use outcrop_algorithms::{ListUse, Requirements};
use outcrop_io::{MergePolicy, Utilization};
use outcrop_store::StaticLists;
use outcrop_store::layout::compact::IndexResidence;
use outcrop_store::layout::{ListOptions, StoredLists};
use outcrop_types::{
    BudgetPart, Direction, Error, MemoryBudget, MemoryPlan, Observer, Phase, ProgressUnit, Purpose, Result, VertexId,
    length_from,
};
use std::sync::Arc;

/// Access of a run to lists.
#[derive(Clone, Debug)]
pub(crate) struct Reads {
    /// Required lists and tables.
    pub(crate) needs: Requirements,
    /// True if iterations read the lists of a frontier instead of all lists.
    pub(crate) follows_frontiers: bool,
    /// Use of the lists.
    pub(crate) list_use: ListUse,
    /// True if weights are read.
    pub(crate) weighted: bool,
    /// Opened parts of the index.
    pub(crate) index: IndexParts,
}

/// Parts of an index that are opened.
#[derive(Clone, Debug)]
pub(crate) struct IndexParts {
    /// Residence of the index of the `compact` layout.
    pub(crate) residence: IndexResidence,
    /// Vertices whose lists are read; `None` for all.
    pub(crate) members: Option<Arc<[VertexId]>>,
}

impl IndexParts {
    /// Returns the parts for all vertices.
    pub(crate) const fn all(residence: IndexResidence) -> Self {
        Self { residence, members: None }
    }
}

/// Reciprocal of the share of memory beyond the plan that read buffers use, up to their useful size.
const BUFFERS_SHARE: u64 = 16;

/// Mean number of entries below which lists are short.
const SHORT_LISTS: u64 = 8;

/// Memory of lists beyond the plan, in bytes.
#[derive(Clone, Copy)]
pub(crate) struct ListMemory {
    /// Memory of the page cache and the pinned lists.
    pub(crate) caches: u64,
    /// Memory of the read buffers, per direction.
    pub(crate) buffers: u64,
}

impl ListMemory {
    /// Divides the `rest` bytes that a plan leaves for the lists of `directions`; `of_caches` sets the share of the
    /// caches. Caches that can hold all lists get enough for that.
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
    /// Opens `directions` with pinned lists of each. The rest of the caches is page cache, divided in proportion to the
    /// size of each direction on disk.
    pub(crate) fn open(
        graph: &Graph,
        directions: &[Direction],
        memory: ListMemory,
        statics: Vec<Option<StaticLists>>,
        index: &IndexParts,
        budget: &MemoryBudget,
    ) -> Result<Self> {
        let Graph { store, workers, io, .. } = graph;
        let (io, utilization) = (*io, graph.utilization);
        let workers = &workers.with_more_buffers(memory.buffers);
        let held: u64 = statics.iter().flatten().map(StaticLists::bytes).sum();
        let cache_bytes = memory.caches.saturating_sub(held);
        let merge = MergePolicy { gap_bytes: graph.bandwidths()?.merge_gap(), ..MergePolicy::default() };
        let (page_caches, dense_access) = (page_cache_shares(graph, directions, cache_bytes), graph.dense_access);
        let open = |((direction, statics), cache_bytes): ((&Direction, Option<StaticLists>), &u64)| {
            let cache_bytes = *cache_bytes;
            let (index, members) = (index.residence, index.members.clone());
            let options = ListOptions { io, cache_bytes, utilization, merge, dense_access, index, members };
            let mut lists = StoredLists::open(store, *direction, &options, budget, workers)?;
            statics.map_or(Ok(()), |statics| lists.use_static(statics))?;
            Ok(lists)
        };
        let opened = directions.iter().zip(statics).zip(&page_caches).map(open).collect::<Result<_>>()?;
        Ok(Self { opened, page_caches, kept: None, loading: Loading::Pages })
    }

    /// Same as [`Lists::open`] for lists of this `shape` that may stay open after the run with `budget`.
    pub(crate) fn open_reusable(
        graph: &Graph,
        shape: ListShape,
        memory: ListMemory,
        budget: &MemoryBudget,
        observer: &dyn Observer,
    ) -> Result<Self> {
        let part = BudgetPart::of(budget);
        let directions = &shape.directions;
        let statics = load_statics(graph, directions, &shape.static_bytes, &part, observer)?;
        let lists = Self::open(graph, directions, memory, statics, &IndexParts::all(shape.index), &part)?;
        Ok(Self { kept: Some((part, shape)), ..lists })
    }

    /// Loads the lists as chosen when they were opened, so that the run does not read.
    pub(crate) fn load(&mut self, graph: &Graph, budget: &MemoryBudget) -> Result<()> {
        match self.loading {
            Loading::Nothing => return Ok(()),
            Loading::Pages => return self.iter().try_for_each(StoredLists::load),
            Loading::Decoded => {}
        }
        let budget = self.kept.as_ref().map_or(budget, |(part, _)| part);
        let Graph { store, io, workers, .. } = graph;
        self.opened.iter_mut().try_for_each(|lists| lists.decode(store, *io, budget, workers))
    }

    /// Opens `directions` with `cache_bytes` of page cache and without pinned lists.
    pub(crate) fn open_paged(
        graph: &Graph,
        directions: &[Direction],
        cache_bytes: u64,
        budget: &MemoryBudget,
    ) -> Result<Self> {
        let memory = ListMemory { caches: cache_bytes, buffers: 0 };
        let statics = directions.iter().map(|_| None).collect();
        Self::open(graph, directions, memory, statics, &IndexParts::all(IndexResidence::Resident), budget)
    }
}

/// Divides `cache_bytes` among the page caches of the directions, in proportion to their size on disk, but at most the
/// size of all lists.
pub(crate) fn page_cache_shares(graph: &Graph, directions: &[Direction], cache_bytes: u64) -> Vec<u64> {
    let wholes: Vec<u64> = directions.iter().map(|direction| cache_bytes_for_all(graph, *direction)).collect();
    let all = wholes.iter().sum::<u64>().max(1);
    let share = |whole: u64| (u128::from(cache_bytes) * u128::from(whole) / u128::from(all)).min(whole.into()) as u64;
    wholes.into_iter().map(share).collect()
}

/// Loads pinned lists of each direction, at most its `static_bytes`.
fn load_statics(
    graph: &Graph,
    directions: &[Direction],
    static_bytes: &[u64],
    budget: &MemoryBudget,
    observer: &dyn Observer,
) -> Result<Vec<Option<StaticLists>>> {
    let load = |(direction, most_bytes): (&Direction, &u64)| match most_bytes {
        0 => Ok(None),
        most_bytes => StaticLists::load(&graph.store, *direction, *most_bytes, graph.work(budget, observer)),
    };
    let statics = directions.iter().zip(static_bytes).map(load).collect::<Result<Vec<_>>>()?;
    if statics.iter().any(Option::is_some) {
        observer.phase(&Phase { name: "loading indexes", unit: ProgressUnit::Bytes, total: None });
    }
    Ok(statics)
}

impl Graph {
    /// Opens lists, with caches in the memory that `plan` leaves free, of which `unheld` bytes are not reserved yet; or
    /// reuses the lists kept in `warm`, if they are the same.
    pub(crate) fn open_lists(
        &self,
        reads: &Reads,
        plan: &MemoryPlan,
        unheld: u64,
        budget: &MemoryBudget,
        warm: Option<&Warm>,
        observer: &dyn Observer,
    ) -> Result<Lists> {
        let rest = budget.available().saturating_sub(unheld);
        let directions = self.directions(reads.needs);
        let memory = ListMemory::of_rest(self, &directions, rest, self.page_cache);
        let room = memory.caches;
        let loading = self.loading(reads, &directions, room, warm.is_some());
        let decodes = loading == Loading::Decoded;
        // Decoded lists need neither pinned lists nor a page cache.
        let memory = ListMemory { caches: if decodes { 0 } else { room }, ..memory };
        let cache = memory.caches;
        let statics = self.static_bytes(&directions, cache, reads.follows_frontiers && !decodes, warm.is_some())?;
        if cache > rest {
            let held = statics.iter().sum();
            let asked = self.page_cache.beside(plan.total()).max(cache);
            let plan = plan.clone().with(Purpose::PageCache, asked.saturating_sub(held));
            let plan = if held > 0 { plan.with(Purpose::StaticCache, held) } else { plan };
            return Err(Error::BudgetTooSmall { budget: self.memory, plan, retry: None, hint: None });
        }
        let Some(warm) = warm else {
            let statics = load_statics(self, &directions, &statics, budget, observer)?;
            let lists = Lists::open(self, &directions, memory, statics, &reads.index, budget)?;
            return Ok(Lists { loading, ..lists });
        };
        let shape = ListShape::new(&self.store, directions, reads.index.residence, statics)?;
        let page_caches =
            |lists: &Lists| page_cache_shares(self, &shape.directions, cache.saturating_sub(lists.static_bytes()));
        let page_caches = (!decodes).then_some(page_caches);
        let lists = match warm.take_over(&shape, &self.workers, room, reads.weighted, page_caches) {
            Some(lists) => lists,
            None => Lists::open_reusable(self, shape, memory, budget, observer)?,
        };
        Ok(Lists { loading, ..lists })
    }

    /// Chooses what is loaded before a run with `rest` bytes for lists, which stay open for other runs if `stays`.
    fn loading(&self, reads: &Reads, directions: &[Direction], rest: u64, stays: bool) -> Loading {
        let repeated = stays || reads.list_use == ListUse::Repeated;
        match reads.list_use {
            ListUse::Few => Loading::Nothing,
            _ if (repeated || self.has_short_lists()) && self.can_decode(directions, reads.weighted, rest) => {
                Loading::Decoded
            }
            _ if repeated => Loading::Pages,
            _ => Loading::Nothing,
        }
    }

    /// Returns true if lists have so few entries on average that finding them takes longer than decoding all of them:
    /// searches of such graphs, as of roads, need many rounds and read most lists.
    fn has_short_lists(&self) -> bool {
        let manifest = self.store.manifest();
        // Default: a store without lists has no arcs.
        let arcs = manifest.arcs(Direction::Out).unwrap_or(0);
        arcs < SHORT_LISTS * u64::from(manifest.graph.vertices)
    }

    /// Returns true if the decoded lists of `directions` fit in `rest` bytes, and no other use of the memory was
    /// requested.
    fn can_decode(&self, directions: &[Direction], weighted: bool, rest: u64) -> bool {
        let bytes = directions.iter().map(|direction| StoredLists::decoding_bytes(&self.store, *direction, weighted));
        let is_free = self.page_cache == CacheSize::Rest && self.static_cache == StaticShare::Auto;
        is_free && self.utilization == Utilization::Ignored && bytes.sum::<u64>() <= rest
    }
}
