//! Measurement of a selection: sample searches with and without it, in the same memory.

use super::searches;
use crate::graph::Graph;
use crate::lists::{self, IndexParts, ListMemory, Lists, divided_cache, pinned_bytes};
use crate::memory_size::StaticShare;
use outcrop_engine::Engine;
use outcrop_engine::schedule::{Schedule, Scheduler};
use outcrop_store::access::Adjacency;
use outcrop_store::layout::compact::IndexResidence;
use outcrop_store::layout::{all_degrees_memory, degrees};
use outcrop_store::{SelectionDraft, SelectionInfo};
use outcrop_types::{
    Direction, MemoryBudget, MemoryPlan, Observer, Phase, ProgressUnit, Purpose, Result, Silent, VertexValues,
    number_from,
};
use serde::Serialize;

/// Random seed of the sources, other than the usual one of a choice by searches.
const SEED: u64 = 0x5eed;

/// Reads of sample searches with and without pinned lists, in a graph that stays open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SelectionGain {
    /// Number of breadth-first searches.
    pub searches: u32,
    /// Memory of the page cache, or of the pinned lists and the remaining page cache, in bytes.
    pub cache_bytes: u64,
    /// Bytes read to load the pinned lists.
    pub loaded_bytes: u64,
    /// Bytes read by all searches without pinned lists.
    pub bytes_without: u64,
    /// Bytes read by all searches with pinned lists, without loading them.
    pub bytes_with: u64,
    /// Number of searches after which pinned lists have saved as many bytes as their loading reads; `None` if they
    /// save nothing.
    pub pays_after: Option<u64>,
}

impl SelectionGain {
    /// Returns true if searches read less with the pinned lists.
    pub const fn pays(&self) -> bool {
        self.pays_after.is_some()
    }

    fn new(searches: u32, cache_bytes: u64, loaded_bytes: u64, [without, with]: [u64; 2]) -> Self {
        let saved = without.saturating_sub(with);
        let pays_after = (saved > 0).then(|| (loaded_bytes * u64::from(searches)).div_ceil(saved));
        Self { searches, cache_bytes, loaded_bytes, bytes_without: without, bytes_with: with, pays_after }
    }
}

/// Returns the memory of [`measure`] without caches: degrees, then a search.
pub(super) fn memory(graph: &Graph) -> MemoryPlan {
    let vertices = graph.num_vertices();
    let array = MemoryPlan::new().with(Purpose::Degrees, VertexValues::<u32>::bytes(vertices.into()));
    let drawing = array.and(&all_degrees_memory(&graph.store, Direction::Out));
    let opened = graph.store.stored_directions().map(|direction| lists::memory(graph, direction));
    drawing.or(opened.fold(searches::memory(vertices), |plan, lists| plan.and(&lists)))
}

/// Searches from the same sources without and with `selections` of `draft`, in a page cache of their size: the
/// comparison of BASC at equal memory (section 5.2). Pinned lists get the usual share of it.
///
/// # Errors
///
/// Returns an error if the budget is too small, if the store is damaged, or on interruption.
pub(super) fn measure(
    graph: &Graph,
    draft: &SelectionDraft<'_>,
    selections: &[SelectionInfo],
    budget: &MemoryBudget,
    observer: &dyn Observer,
) -> Result<SelectionGain> {
    let directions: Vec<Direction> = selections.iter().map(|selection| selection.direction).collect();
    observer.phase(&Phase { name: "measuring pinned lists", unit: ProgressUnit::Iterations, total: None });
    let sources = {
        let workers = &graph.workers;
        searches::sources(&degrees(&graph.store, Direction::Out, graph.io, budget, workers.cancellation())?, SEED)
    };
    let whole: Vec<u64> = selections.iter().map(|selection| pinned_bytes(graph, selection)).collect();
    let cache_bytes = whole.iter().sum::<u64>().min(budget.available().saturating_sub(memory(graph).total()));
    let shares = [vec![0; whole.len()], divided_cache(&whole, cache_bytes, StaticShare::USUAL)];
    let scheduler = Scheduler { schedule: Schedule::Auto, bandwidths: graph.bandwidths()? };
    let (mut read, mut loaded) = ([0; 2], 0);
    for (statics, read) in shares.iter().zip(&mut read) {
        let memory = ListMemory { caches: cache_bytes, buffers: 0 };
        let index = IndexParts::all(IndexResidence::Resident);
        let statics = directions.iter().zip(statics);
        let statics = statics.map(|(direction, bytes)| draft.load(*direction, *bytes, graph.work(budget, &Silent)));
        let lists = Lists::open(graph, &directions, memory, statics.collect::<Result<_>>()?, &index, budget)?;
        loaded = lists.static_bytes();
        let before = bytes_read(&lists);
        // Undirected graphs have one direction.
        let [out, into] = [lists.first(), lists.last()].map(|lists| lists.map(|lists| lists as &dyn Adjacency));
        searches::search(&sources, || {
            Engine::new(graph.num_vertices(), out, into, &graph.workers, budget, &Silent)
                .scheduled_by(scheduler.clone())
        })?;
        *read = bytes_read(&lists) - before;
    }
    Ok(SelectionGain::new(number_from(sources.len()), cache_bytes, loaded, read))
}

fn bytes_read(lists: &Lists) -> u64 {
    lists.iter().map(|lists| lists.statistics().figures().bytes_read).sum()
}
