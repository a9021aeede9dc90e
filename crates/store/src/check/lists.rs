//! Verification of the lists of one direction, in any layout.

use crate::access::{Adjacency, FoldLists, Neighbors, Workers};
use crate::arc_hash::ArcHash;
use crate::layout::chunked::{chunks_memory, firsts_name};
use crate::layout::compact::IndexResidence;
use crate::layout::sliding::blocks_memory;
use crate::layout::{LayoutKind, ListOptions, StoredLists, degrees};
use crate::store::Store;
use crate::work_context::WorkContext;
use outcrop_types::{
    BitSet, Direction, Error, MemoryPlan, Phase, ProgressUnit, Purpose, Result, VertexId, VertexRange, VertexSet,
    VertexValues, index_from, number_from,
};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Returns the memory for checking the lists of `direction`; empty if they are not stored.
pub(super) fn memory(store: &Store, direction: Direction, workers: &Workers) -> MemoryPlan {
    let vertices = store.manifest().graph.vertices;
    let tables = MemoryPlan::new()
        .with(Purpose::Degrees, VertexValues::<u32>::bytes(u64::from(vertices)))
        .with(Purpose::Frontier, BitSet::bytes(vertices) + VertexSet::bytes(vertices));
    let index = IndexResidence::Resident;
    let lists_memory = |layout| StoredLists::memory_in(layout, store, direction, workers, index);
    let mut plan = MemoryPlan::new();
    if stored(store, direction) && store.manifest().csr(direction).is_some() {
        plan = tables.clone().and(&lists_memory(LayoutKind::Csr));
    }
    if stored(store, direction) && store.manifest().compact(direction).is_some() {
        let lists = tables.clone().and(&lists_memory(LayoutKind::Compact));
        plan = if lists.total() > plan.total() { lists } else { plan };
    }
    if let Some(entry) = store.manifest().lists.sliding.as_ref().filter(|_| stored(store, direction)) {
        let lists = tables.clone().and(&lists_memory(LayoutKind::Sliding));
        let blocks = blocks_memory(entry, store.manifest().graph.weighted);
        let larger = if lists.total() > blocks.total() { lists } else { blocks };
        plan = if larger.total() > plan.total() { larger } else { plan };
    }
    if let Some(entry) = store.manifest().chunked(direction).filter(|_| stored(store, direction)) {
        let lists = tables.and(&lists_memory(LayoutKind::Chunked));
        let chunks = chunks_memory(entry);
        let larger = if lists.total() > chunks.total() { lists } else { chunks };
        plan = if larger.total() > plan.total() { larger } else { plan };
    }
    plan
}

fn stored(store: &Store, direction: Direction) -> bool {
    store.stored(direction) == direction
}

/// Properties of the lists of a direction in one layout.
pub(super) struct Checked {
    /// Number of entries of all lists.
    pub(super) arcs: u64,
    /// Number of self-loops.
    pub(super) loops: u64,
    /// Hash of all arcs, and of the reversed arcs.
    pub(super) hash: ArcHash,
    pub(super) turned: ArcHash,
}

/// Checks the lists of `direction` in each layout of the store.
pub(super) fn check(store: &Store, direction: Direction, work: WorkContext<'_>) -> Result<Vec<Checked>> {
    if !stored(store, direction) {
        return Ok(Vec::new());
    }
    let total = Some(u64::from(store.manifest().graph.vertices));
    work.observer.phase(&Phase { name: "checking lists", unit: ProgressUnit::Vertices, total });
    let mut found = Vec::new();
    let checking = Checking { store, direction, work };
    let options = ListOptions { index: IndexResidence::Resident, ..ListOptions::once(work.io) };
    for layout in store.manifest().layouts(direction) {
        let unchanged = Box::new(|device| device);
        let lists = StoredLists::open_in(layout, store, direction, &options, work.budget, work.workers, unchanged)?;
        found.push(checking.lists(&lists)?);
    }
    if found.is_empty() {
        return Err(Error::corrupt(store.folder(), format!("it has no {}-lists", direction.name())));
    }
    Ok(found)
}

struct Checking<'c> {
    store: &'c Store,
    direction: Direction,
    work: WorkContext<'c>,
}

impl Checking<'_> {
    /// Checks that every list ascends, has the length given by its degree, occurs once in a sweep and is found by a
    /// select.
    fn lists(&self, lists: &dyn Adjacency) -> Result<Checked> {
        let vertices = self.store.manifest().graph.vertices;
        let degrees = degrees(self.store, self.direction, self.work.io, self.work.budget, self.work.cancellation())?;
        let _held =
            self.work.budget.reserve(BitSet::bytes(vertices) + VertexSet::bytes(vertices), Purpose::Frontier)?;
        let visit = Lists {
            degrees: &degrees,
            seen: BitSet::empty(vertices),
            broken: AtomicU32::new(u32::MAX),
            direction: self.direction,
            sums: Sums::default(),
            firsts: AtomicU64::default(),
        };
        lists.sweep(VertexRange::new(0, vertices), &visit)?;
        self.outcome(&visit, lists.num_arcs())?;
        let (sums, firsts) = (Sums::default(), AtomicU64::default());
        let again = Lists { seen: BitSet::empty(vertices), sums, firsts, ..visit };
        let step = VertexSet::sparse_limit(vertices);
        for start in (0..vertices).step_by(step) {
            let end = vertices.min(start.saturating_add(number_from(step)));
            lists.select(&VertexSet::from_members((start..end).collect(), vertices), &again)?;
        }
        self.outcome(&again, lists.num_arcs())?;
        self.first_neighbors(lists, again.firsts.load(Relaxed))?;
        let [_, loops, hash, turned] = visit.sums.0.map(AtomicU64::into_inner);
        if again.sums.0[2].load(Relaxed) != hash {
            let message = format!("its {}-lists differ between sequential and single reads", self.direction.name());
            return Err(Error::corrupt(self.store.folder(), message));
        }
        let (hash, turned) = (ArcHash::from_sum(hash), ArcHash::from_sum(turned));
        Ok(Checked { arcs: lists.num_arcs(), loops, hash, turned })
    }

    /// Checks that separately stored first neighbors match those of the lists, whose hash is `expected`.
    fn first_neighbors(&self, lists: &dyn Adjacency, expected: u64) -> Result<()> {
        let name = firsts_name(self.direction);
        if self.store.manifest().file(&name).is_none() {
            return Ok(());
        }
        let visit = FirstNeighbors::default();
        lists.sweep(VertexRange::new(0, self.store.manifest().graph.vertices), &visit)?;
        match visit.0.into_inner() == expected {
            true => Ok(()),
            false => Err(Error::corrupt(self.store.folder().join(name), "its first neighbors differ from the lists")),
        }
    }

    fn outcome(&self, visit: &Lists<'_>, arcs: u64) -> Result<()> {
        let damaged = |message: String| Err(Error::corrupt(self.store.folder(), message));
        let name = self.direction.name();
        let unseen = (0..visit.seen.universe()).find(|vertex| !visit.seen.contains(*vertex));
        match (visit.broken.load(Relaxed), unseen) {
            (u32::MAX, None) if visit.sums.0[0].load(Relaxed) == arcs => Ok(()),
            (u32::MAX, None) => damaged(format!("the number of entries of its {name}-lists differs from the manifest")),
            (u32::MAX, Some(vertex)) => damaged(format!("the {name}-list of vertex {vertex} is missing")),
            (vertex, _) => damaged(format!(
                "the {name}-list of vertex {vertex} is not sorted, differs in length from its degree, or exists twice"
            )),
        }
    }
}

struct Lists<'d> {
    degrees: &'d [u32],
    seen: BitSet,
    /// A vertex with an invalid list.
    broken: AtomicU32,
    direction: Direction,
    sums: Sums,
    /// Hash of the first entries of all lists.
    firsts: AtomicU64,
}

/// Hash of the first entries of all lists, taken without reading the lists if possible.
#[derive(Default)]
struct FirstNeighbors(AtomicU64);

impl FoldLists for FirstNeighbors {
    type Fold = ();

    fn selective(&self) -> bool {
        false
    }

    fn peeks(&self) -> bool {
        true
    }

    fn peek(&self, vertex: VertexId, neighbor: VertexId) -> bool {
        self.0.fetch_add(ArcHash::of(vertex, neighbor, None).get(), Relaxed);
        true
    }

    fn begin(&self, _: VertexId) {}

    fn neighbors(&self, vertex: VertexId, (): &mut (), piece: Neighbors<'_>) -> ControlFlow<()> {
        piece.ids().first().iter().for_each(|first| _ = self.peek(vertex, **first));
        ControlFlow::Break(())
    }

    fn end(&self, _: VertexId, (): ()) {}
}

/// Counts of arcs and loops, and the hashes of all arcs in both directions.
#[derive(Default)]
struct Sums([AtomicU64; 4]);

/// Counts of one list.
#[derive(Default)]
struct OneList {
    last: VertexId,
    entries: u32,
    loops: u64,
    hash: ArcHash,
    turned: ArcHash,
}

impl FoldLists for Lists<'_> {
    type Fold = OneList;

    fn selective(&self) -> bool {
        false
    }

    fn begin(&self, vertex: VertexId) -> OneList {
        if !self.seen.insert(vertex) {
            self.broken.store(vertex, Relaxed);
        }
        OneList::default()
    }

    fn neighbors(&self, vertex: VertexId, list: &mut OneList, piece: Neighbors<'_>) -> ControlFlow<()> {
        let first = piece.ids().first().copied().unwrap_or(list.last);
        if first < list.last || !piece.ids().is_sorted() {
            self.broken.store(vertex, Relaxed);
        }
        if list.entries == 0 {
            self.firsts.fetch_add(ArcHash::of(vertex, first, None).get(), Relaxed);
        }
        list.last = piece.ids().last().copied().unwrap_or(list.last);
        list.entries = list.entries.saturating_add(number_from(piece.len()));
        let weighted = piece.weights().is_some();
        piece.try_for_each(|neighbor, weight| {
            let weight = weighted.then_some(weight);
            list.loops += u64::from(neighbor == vertex);
            list.hash += ArcHash::of(vertex, neighbor, weight);
            list.turned += ArcHash::of(neighbor, vertex, weight);
            ControlFlow::Continue(())
        })
    }

    fn end(&self, vertex: VertexId, list: OneList) {
        if self.degrees.get(index_from(u64::from(vertex))) != Some(&list.entries) {
            self.broken.store(vertex, Relaxed);
        }
        let (hash, turned) = match self.direction {
            Direction::Out => (list.hash, list.turned),
            Direction::In => (list.turned, list.hash),
        };
        for (sum, more) in self.sums.0.iter().zip([u64::from(list.entries), list.loops, hash.get(), turned.get()]) {
            sum.fetch_add(more, Relaxed);
        }
    }
}
