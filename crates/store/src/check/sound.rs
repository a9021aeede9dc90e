//! Search of a damaged store for the lists that still verify, in any layout.

use crate::access::{Adjacency, FoldLists, Neighbors, Visit};
use crate::layout::chunked::IndexKind;
use crate::layout::compact::IndexResidence;
use crate::layout::{LayoutKind, ListOptions, StoredLists};
use crate::store::Store;
use crate::work_context::WorkContext;
use outcrop_io::MergePolicy;
use outcrop_types::{
    BitSet, Direction, Error, Observer, Phase, ProgressUnit, Purpose, Reservation, Result, VertexId, VertexRange,
    VertexSet, number_from,
};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Maximum number of described faults per direction.
const MOST_FAULTS: usize = 20;
/// Number of verified lists between two reports of progress.
const LISTS_PER_REPORT: u64 = 1 << 12;

/// Lists of one direction that can be read and verify.
pub struct SoundLists {
    /// Their vertices.
    pub vertices: BitSet,
    /// Damage to the other lists, up to a limit.
    pub faults: Vec<Error>,
    /// True if part of the index is damaged, so that only the parts of some vertices can be opened.
    in_parts: bool,
    direction: Direction,
    _held: Reservation,
}

impl SoundLists {
    /// Returns the memory of the result of a search in both directions, in bytes.
    pub(crate) fn memory(store: &Store) -> u64 {
        2 * BitSet::bytes(store.manifest().graph.vertices)
    }

    /// Returns the memory for selecting lists while they are open, in bytes.
    pub(crate) fn members_memory(store: &Store) -> u64 {
        2 * VertexSet::bytes(store.manifest().graph.vertices)
    }

    /// Reads the lists of `store`: the out-lists and, if a directed store has lost some, also the in-lists, which have
    /// the same edges.
    ///
    /// # Errors
    /// Returns an error if the budget is too small or the search is interrupted. Damage is part of the result.
    pub fn find(store: &Store, work: WorkContext<'_>) -> Result<Vec<Self>> {
        let mut found = Vec::new();
        for direction in store.stored_directions() {
            let lists = Self::find_in(store, direction, work)?;
            let all = lists.vertices.count() == store.manifest().graph.vertices;
            found.push(lists);
            if all {
                break;
            }
        }
        Ok(found)
    }

    fn find_in(store: &Store, direction: Direction, work: WorkContext<'_>) -> Result<Self> {
        let vertices = store.manifest().graph.vertices;
        let total = Some(u64::from(vertices));
        work.observer.phase(&Phase { name: "verifying lists", unit: ProgressUnit::Vertices, total });
        let held = work.budget.reserve(BitSet::bytes(vertices), Purpose::Frontier)?;
        let _members = work.budget.reserve(Self::members_memory(store), Purpose::Frontier)?;
        let opening = Opening { store, direction, work };
        let observer = work.observer;
        let sound = Sound { vertices: BitSet::empty(vertices), count: AtomicU64::default(), observer };
        let mut faults = Faults::default();
        let whole = faults.tolerate(opening.open(None))?;
        // Without members, only what all lists need is read.
        let in_parts = whole.is_none() && opening.has_parts() && faults.tolerate(opening.open(Some(&[])))?.is_some();
        if whole.is_some() || in_parts {
            sound.search(&opening, whole.as_ref(), &mut faults)?;
        }
        Ok(Self { vertices: sound.vertices, faults: faults.0, in_parts, direction, _held: held })
    }

    /// Passes these lists to `visit`, which requests no others.
    ///
    /// # Errors
    /// Returns an error if a read fails or the data is damaged, as it was not during the search; if the budget is too
    /// small, or on interruption.
    pub(crate) fn visit(&self, store: &Store, work: WorkContext<'_>, visit: &dyn Visit) -> Result<()> {
        let (vertices, opening) = (store.manifest().graph.vertices, Opening { store, direction: self.direction, work });
        if self.vertices.count() == 0 {
            return Ok(());
        }
        if !self.in_parts {
            return opening.open(None)?.sweep(VertexRange::new(0, vertices), visit);
        }
        let _members = work.budget.reserve(Self::members_memory(store), Purpose::Frontier)?;
        let all = VertexRange::new(0, vertices);
        all.split(number_from(VertexSet::sparse_limit(vertices)))
            .try_for_each(|part| opening.select(None, self.vertices.iter_range(part).collect(), visit))
    }
}

/// Lists of one direction of a store, to be opened.
#[derive(Clone, Copy)]
struct Opening<'o> {
    store: &'o Store,
    direction: Direction,
    work: WorkContext<'o>,
}

impl Opening<'_> {
    /// Opens all lists, or what is needed for those of `members`. No damaged part between requested ones is read.
    fn open(&self, members: Option<&[VertexId]>) -> Result<StoredLists> {
        let WorkContext { io, budget, workers, .. } = self.work;
        let options = ListOptions {
            merge: MergePolicy { gap_bytes: 0, ..MergePolicy::default() },
            index: IndexResidence::Streamed { window: 1 },
            members: members.map(Arc::from),
            ..ListOptions::once(io)
        };
        StoredLists::open(self.store, self.direction, &options, budget, workers)
    }

    /// Returns true if the lists of some vertices need only part of the index.
    fn has_parts(&self) -> bool {
        let manifest = self.store.manifest();
        let entry = manifest.chunked(self.direction).filter(|_| manifest.layout() == LayoutKind::Chunked);
        entry.is_some_and(|entry| entry.settings.index == IndexKind::Compact)
    }

    /// Passes the lists of `members` to `visit`, from `whole` or from lists opened for them.
    fn select(&self, whole: Option<&StoredLists>, members: Vec<VertexId>, visit: &dyn Visit) -> Result<()> {
        if members.is_empty() {
            return Ok(());
        }
        let opened = if whole.is_none() { Some(self.open(Some(&members))?) } else { None };
        let set = VertexSet::from_members(members, self.store.manifest().graph.vertices);
        whole.or(opened.as_ref()).map_or(Ok(()), |lists| lists.select(&set, visit))
    }
}

/// Distinct faults, up to a limit.
#[derive(Default)]
struct Faults(Vec<Error>);

impl Faults {
    /// Returns `None` for damage, which is recorded, and other errors as they are.
    fn tolerate<T>(&mut self, outcome: Result<T>) -> Result<Option<T>> {
        match outcome {
            Err(error @ (Error::Corrupt { .. } | Error::NotFound { .. } | Error::Io { .. })) => {
                let text = error.to_string();
                if self.0.len() < MOST_FAULTS && self.0.iter().all(|known| known.to_string() != text) {
                    self.0.push(error);
                }
                Ok(None)
            }
            other => other.map(Some),
        }
    }
}

/// Visitor that records the vertices of complete lists. A visited part is verified, so a complete list is.
struct Sound<'o> {
    vertices: BitSet,
    count: AtomicU64,
    observer: &'o dyn Observer,
}

impl Sound<'_> {
    /// Reads all lists: together and, if that fails, the rest in halves, down to the lists that fail alone or are
    /// always read together (empty ones need no reads).
    fn search(&self, opening: &Opening<'_>, whole: Option<&StoredLists>, faults: &mut Faults) -> Result<()> {
        let vertices = self.vertices.universe();
        let all = VertexRange::new(0, vertices);
        if let Some(lists) = whole
            && faults.tolerate(lists.sweep(all, self))?.is_some()
        {
            return Ok(());
        }
        for part in all.split(number_from(VertexSet::sparse_limit(vertices))) {
            let mut ranges = vec![part];
            while let Some(range) = ranges.pop() {
                let members: Vec<VertexId> = range.iter().filter(|vertex| !self.vertices.contains(*vertex)).collect();
                let (Some(first), Some(last)) = (members.first().copied(), members.last().copied()) else { continue };
                if faults.tolerate(opening.select(whole, members, self))?.is_some() {
                    continue;
                }
                if last >= whole.map_or(first + 1, |lists| lists.read_together(first).end) {
                    let middle = first + (last - first).div_ceil(2);
                    ranges.extend([VertexRange::new(middle, last + 1), VertexRange::new(first, middle)]);
                } else if let Some(lists) = whole.filter(|_| first < last) {
                    let empty = (first..=last).filter(|vertex| lists.degree(*vertex) == Some(0)).collect();
                    _ = faults.tolerate(opening.select(whole, empty, self))?;
                }
            }
        }
        Ok(())
    }
}

impl FoldLists for Sound<'_> {
    /// Last neighbor so far, and whether the neighbors ascend.
    type Fold = (VertexId, bool);

    fn wants(&self, vertex: VertexId) -> bool {
        !self.vertices.contains(vertex)
    }

    fn begin(&self, _: VertexId) -> Self::Fold {
        (0, true)
    }

    fn neighbors(&self, _: VertexId, (last, ascends): &mut Self::Fold, piece: Neighbors<'_>) -> ControlFlow<()> {
        let ids = piece.ids();
        *ascends &= ids.first().is_none_or(|first| *last <= *first) && ids.is_sorted();
        *last = ids.last().copied().unwrap_or(*last);
        ControlFlow::Continue(())
    }

    fn end(&self, vertex: VertexId, (_, ascends): Self::Fold) {
        if ascends && self.vertices.insert(vertex) {
            let count = self.count.fetch_add(1, Relaxed) + 1;
            if count.is_multiple_of(LISTS_PER_REPORT) {
                self.observer.progress(count);
            }
        }
    }
}
