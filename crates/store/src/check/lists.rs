//! Verifies the lists of one direction, in whichever layout they are.

use crate::access::{Adjacency, Neighbours, Visit, Workers};
use crate::layout::chunked::{ChunkedAdjacency, ChunkedOptions, DenseAccess, chunks_memory};
use crate::layout::compact::{CompactAdjacency, CompactOptions, IndexResidence};
use crate::layout::csr::{CsrAdjacency, CsrOptions};
use crate::layout::degrees;
use crate::layout::sliding::{SlidingAdjacency, SlidingOptions, blocks_memory};
use crate::store::Store;
use outcrop_io::{IoChoice, MergePolicy, Utilisation};
use outcrop_types::{
    BitSet, Direction, Error, MemoryBudget, MemoryPlan, Observer, Phase, ProgressUnit, Purpose, Result, VertexId,
    VertexRange, VertexSet, VertexValues, index_from,
};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// What checking the lists of `direction` takes from the budget; nothing where they are not stored.
pub(super) fn memory(store: &Store, direction: Direction, workers: &Workers) -> MemoryPlan {
    let vertices = store.manifest().vertices;
    let tables = MemoryPlan::new()
        .with(Purpose::Degrees, VertexValues::<u32>::bytes(u64::from(vertices)))
        .with(Purpose::Frontier, BitSet::bytes(vertices) + VertexSet::bytes(vertices));
    let mut plan = MemoryPlan::new();
    if stored(store, direction) && store.manifest().csr(direction).is_some() {
        plan = tables.clone().and(&CsrAdjacency::memory(store, direction, workers));
    }
    if stored(store, direction) && store.manifest().compact(direction).is_some() {
        let lists = tables.clone().and(&CompactAdjacency::memory(store, direction, workers, IndexResidence::Resident));
        plan = if lists.total() > plan.total() { lists } else { plan };
    }
    if let Some(entry) = store.manifest().sliding.as_ref().filter(|_| stored(store, direction)) {
        let lists = tables.clone().and(&SlidingAdjacency::memory(store, direction, workers));
        let blocks = blocks_memory(entry, store.manifest().weighted);
        let larger = if lists.total() > blocks.total() { lists } else { blocks };
        plan = if larger.total() > plan.total() { larger } else { plan };
    }
    if let Some(entry) = store.manifest().chunked(direction).filter(|_| stored(store, direction)) {
        let lists = tables.and(&ChunkedAdjacency::memory(store, direction, workers));
        let chunks = chunks_memory(entry);
        let larger = if lists.total() > chunks.total() { lists } else { chunks };
        plan = if larger.total() > plan.total() { larger } else { plan };
    }
    plan
}

fn stored(store: &Store, direction: Direction) -> bool {
    store.stored(direction) == direction
}

/// Checks the lists of `direction` in each layout that the store has; how many entries each has.
pub(super) fn check(
    store: &Store,
    direction: Direction,
    io: IoChoice,
    budget: &MemoryBudget,
    workers: &Workers,
    observer: &dyn Observer,
) -> Result<Vec<u64>> {
    if !stored(store, direction) {
        return Ok(Vec::new());
    }
    let total = Some(u64::from(store.manifest().vertices));
    observer.phase(&Phase { name: "checking lists", unit: ProgressUnit::Vertices, total });
    let (merge, mut arcs) = (MergePolicy::default(), Vec::new());
    let checked = Checked { store, direction, io, budget, workers };
    if store.manifest().csr(direction).is_some() {
        let options = CsrOptions { io, cache_bytes: 0, utilisation: Utilisation::Ignored, merge };
        arcs.push(checked.lists(&CsrAdjacency::open(store, direction, &options, budget, workers)?)?);
    }
    if store.manifest().chunked(direction).is_some() {
        let options = ChunkedOptions {
            io,
            cache_bytes: 0,
            utilisation: Utilisation::Ignored,
            merge,
            dense_access: DenseAccess::default(),
        };
        arcs.push(checked.lists(&ChunkedAdjacency::open(store, direction, &options, budget, workers)?)?);
    }
    if store.manifest().compact(direction).is_some() {
        let index = IndexResidence::Resident;
        let options = CompactOptions { io, cache_bytes: 0, utilisation: Utilisation::Ignored, merge, index };
        arcs.push(checked.lists(&CompactAdjacency::open(store, direction, &options, budget, workers)?)?);
    }
    if store.manifest().sliding.is_some() {
        let options = SlidingOptions { io, cache_bytes: 0 };
        arcs.push(checked.lists(&SlidingAdjacency::open(store, direction, options, budget, workers)?)?);
    }
    if arcs.is_empty() {
        return Err(Error::corrupt(store.folder(), format!("it has no {} lists", direction.name())));
    }
    Ok(arcs)
}

struct Checked<'c> {
    store: &'c Store,
    direction: Direction,
    io: IoChoice,
    budget: &'c MemoryBudget,
    workers: &'c Workers,
}

impl Checked<'_> {
    /// Every list ascends, is as long as its degree says, comes once in a sweep and is found by a select.
    fn lists<A: Adjacency>(&self, lists: &A) -> Result<u64> {
        let vertices = self.store.manifest().vertices;
        let degrees = degrees(self.store, self.direction, self.io, self.budget, self.workers.cancellation())?;
        let _held = self.budget.reserve(BitSet::bytes(vertices) + VertexSet::bytes(vertices), Purpose::Frontier)?;
        let visit = Lists {
            degrees: &degrees,
            seen: BitSet::empty(vertices),
            broken: AtomicU32::new(u32::MAX),
            arcs: AtomicU64::new(0),
        };
        lists.sweep(VertexRange::new(0, vertices), &visit)?;
        self.outcome(&visit, lists.num_arcs())?;
        let again = Lists { seen: BitSet::empty(vertices), arcs: AtomicU64::new(0), ..visit };
        let step = VertexSet::sparse_limit(vertices);
        for start in (0..vertices).step_by(step) {
            let end = vertices.min(start.saturating_add(u32::try_from(step).unwrap_or(u32::MAX)));
            lists.select(&VertexSet::from_members((start..end).collect(), vertices), &again)?;
        }
        self.outcome(&again, lists.num_arcs())?;
        Ok(lists.num_arcs())
    }

    fn outcome(&self, visit: &Lists<'_>, arcs: u64) -> Result<()> {
        let damaged = |message: String| Err(Error::corrupt(self.store.folder(), message));
        let name = self.direction.name();
        let unseen = (0..visit.seen.universe()).find(|vertex| !visit.seen.contains(*vertex));
        match (visit.broken.load(Relaxed), unseen) {
            (u32::MAX, None) if visit.arcs.load(Relaxed) == arcs => Ok(()),
            (u32::MAX, None) => damaged(format!("its {name} lists do not have as many entries as the manifest says")),
            (u32::MAX, Some(vertex)) => damaged(format!("the {name} list of vertex {vertex} is nowhere")),
            (vertex, _) => damaged(format!(
                "the {name} list of vertex {vertex} does not ascend, is not as long as its degree, or is there twice"
            )),
        }
    }
}

struct Lists<'d> {
    degrees: &'d [u32],
    seen: BitSet,
    /// A vertex whose list is not as it must be.
    broken: AtomicU32,
    arcs: AtomicU64,
}

impl Visit for Lists<'_> {
    /// The last neighbour, and how many there were.
    type Fold = (VertexId, u32);

    fn selective(&self) -> bool {
        false
    }

    fn begin(&self, vertex: VertexId) -> (VertexId, u32) {
        if !self.seen.insert(vertex) {
            self.broken.store(vertex, Relaxed);
        }
        (0, 0)
    }

    fn neighbours(
        &self,
        vertex: VertexId,
        (last, count): &mut (VertexId, u32),
        piece: Neighbours<'_>,
    ) -> ControlFlow<()> {
        let first = piece.ids().first().copied().unwrap_or(*last);
        if first < *last || !piece.ids().is_sorted() {
            self.broken.store(vertex, Relaxed);
        }
        *last = piece.ids().last().copied().unwrap_or(*last);
        *count = count.saturating_add(u32::try_from(piece.len()).unwrap_or(u32::MAX));
        ControlFlow::Continue(())
    }

    fn end(&self, vertex: VertexId, (_, count): (VertexId, u32)) {
        if self.degrees.get(index_from(u64::from(vertex))) != Some(&count) {
            self.broken.store(vertex, Relaxed);
        }
        self.arcs.fetch_add(u64::from(count), Relaxed);
    }
}
