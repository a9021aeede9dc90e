//! Batches of adjacency lists of active vertices (section V.C: only pages with requested lists are read).

use crate::program::Edges;
use crate::requirements::MessageRequirements;
use outcrop_engine::DegreeSource;
use outcrop_engine::atomic_lists::{AtomicLists, as_atomics, as_plain};
use outcrop_store::access::{Adjacency, ChangeLists, Changing, FoldLists, Neighbors, OpenLists, TakePart};
use outcrop_store::updates::{EdgeChanges, with_changes};
use outcrop_types::{BitSet, Direction, Error, Result, VertexId, VertexRange, VertexSet};
use std::iter::Peekable;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

/// Number of degrees per read.
const STRETCH: u32 = 1 << 12;

/// Number of vertices per block; one thread computes a block at a time.
pub(crate) const BLOCK: u32 = 1 << 13;

/// Ascending vertices whose lists are loaded together, and the list lengths.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    members: Vec<VertexId>,
    /// Start of each member's list, per side, and the end of the last list.
    offsets: [Vec<u32>; 2],
    /// First member in each stretch of `1 << shift` vertices of the members' range.
    firsts: Vec<u32>,
    shift: u32,
}

impl Batch {
    /// Memory per member, in bytes.
    pub(crate) const MEMBER_BYTES: u64 = 4 + 2 * (4 + 4) + 4 + 8;

    /// Returns the members.
    pub(crate) fn members(&self) -> &[VertexId] {
        &self.members
    }

    /// Returns the range from the first member through the last.
    pub(crate) fn range(&self) -> VertexRange {
        let end = self.members.last().map_or(0, |last| last + 1);
        VertexRange::new(self.members.first().copied().unwrap_or(0), end)
    }

    /// Returns the positions of the members in `range`.
    pub(crate) fn within(&self, range: VertexRange) -> Range<usize> {
        let before = |vertex| self.members.partition_point(|member| *member < vertex);
        before(range.start)..before(range.end)
    }

    /// Returns the number of entries in all lists of a side.
    pub(crate) fn entries(&self, side: usize) -> usize {
        self.offsets[side].last().map_or(0, |end| *end as usize)
    }

    /// Returns the range of the list of the member at `position` in the entries of its side. The list may be shorter.
    pub(crate) fn places(&self, side: usize, position: usize) -> Range<usize> {
        self.offsets[side][position] as usize..self.offsets[side][position + 1] as usize
    }

    /// Returns the position of a member.
    #[inline]
    pub(crate) fn position(&self, vertex: VertexId) -> usize {
        let stretch = ((vertex - self.members[0]) >> self.shift) as usize;
        let (begin, end) = (self.firsts[stretch] as usize, self.firsts[stretch + 1] as usize);
        begin + self.members[begin..end].partition_point(|member| *member < vertex)
    }

    /// Builds the lookup table of members, with about one stretch per member.
    fn close(&mut self) {
        let range = self.range();
        self.shift = (range.len() / self.members.len().max(1)).max(1).ilog2();
        let stretch = |member: &VertexId| (member - range.start) >> self.shift;
        let stretches = (range.len() >> self.shift) + 1;
        self.firsts.clear();
        self.firsts.resize(stretches + 1, 0);
        self.members.iter().for_each(|member| self.firsts[stretch(member) as usize + 1] += 1);
        let mut before = 0;
        for first in &mut self.firsts {
            before += *first;
            *first = before;
        }
    }
}

/// Source of lists.
pub(crate) struct Lists<'l, 'g> {
    pub open: &'l OpenLists<'g>,
    /// Direction of each loaded side.
    pub sides: [Option<Direction>; 2],
    pub degrees: &'l DegreeSource<'g>,
    /// Number of vertices with lists in the store; vertices from here on were added during the run.
    pub vertices: u32,
    pub weighted: bool,
    /// Changes of the run, per side.
    pub changes: [Option<&'l EdgeChanges>; 2],
    /// Vertices whose stored edges were deleted.
    pub erased: Option<&'l BitSet>,
}

/// Size limits of a batch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BatchLimits {
    /// Memory limit in bytes.
    pub memory: u64,
    pub members: usize,
}

impl Lists<'_, '_> {
    const fn entry_bytes(&self) -> u64 {
        if self.weighted { 12 } else { 4 }
    }

    /// Takes vertices from the ascending `wanted` while their lists fit; at least one, if there is any.
    ///
    /// # Errors
    /// Returns an error if degrees are damaged or cannot be read.
    pub(crate) fn choose(
        &self,
        limits: BatchLimits,
        wanted: &mut Peekable<impl Iterator<Item = VertexId>>,
        known: &mut KnownDegrees,
        batch: &mut Batch,
    ) -> Result<()> {
        batch.members.clear();
        for offsets in &mut batch.offsets {
            offsets.clear();
            offsets.push(0);
        }
        let mut ends = [0_u64; 2];
        while let Some(vertex) = wanted.peek().copied() {
            let lengths = self.lengths(vertex, known)?;
            let with = [ends[0] + lengths[0], ends[1] + lengths[1]];
            let members = batch.members.len() as u64 + 1;
            let bytes = (with[0] + with[1]) * self.entry_bytes() + members * MessageRequirements::member_bytes();
            let fits = bytes <= limits.memory && batch.members.len() < limits.members;
            if !fits && !batch.members.is_empty() {
                break;
            }
            ends = with;
            batch.members.push(vertex);
            for (offsets, end) in batch.offsets.iter_mut().zip(ends) {
                offsets.push(u32::try_from(end).map_err(|_| too_long(vertex))?);
            }
            wanted.next();
        }
        if !batch.members.is_empty() {
            batch.close();
        }
        Ok(())
    }

    /// Returns the maximum number of list entries of `vertex`.
    pub(super) fn entries(&self, vertex: VertexId, known: &mut KnownDegrees) -> Result<u64> {
        Ok(self.lengths(vertex, known)?.iter().sum())
    }

    /// Returns the maximum list length of `vertex`, per side.
    fn lengths(&self, vertex: VertexId, known: &mut KnownDegrees) -> Result<[u64; 2]> {
        if vertex < self.vertices && !known.range.contains(vertex) {
            self.read_degrees(vertex, known)?;
        }
        let position = (vertex - known.range.start) as usize;
        let of = |side: usize| {
            let degree = known.degrees[side].get(position).filter(|_| vertex < self.vertices).copied().unwrap_or(0);
            let changes = self.changes[side].and_then(|changes| changes.of(vertex));
            u64::from(degree) + changes.map_or(0, |changes| changes.added.len() as u64)
        };
        Ok([of(0), of(1)])
    }

    fn read_degrees(&self, vertex: VertexId, known: &mut KnownDegrees) -> Result<()> {
        let start = vertex / STRETCH * STRETCH;
        known.range = VertexRange::new(start, start.saturating_add(STRETCH).min(self.vertices));
        for (side, degrees) in self.sides.iter().zip(&mut known.degrees) {
            degrees.clear();
            if let Some(direction) = side {
                self.degrees
                    .with_reader(*direction, self.open.undirected(), |reader| reader.read(known.range, degrees))?;
            }
        }
        Ok(())
    }

    /// Loads the lists of the members of `batch` from the store, except for `logged` vertices: their lists come from
    /// the edge log.
    ///
    /// # Errors
    /// Returns an error if a read fails or is damaged, if a list is longer than its degree, or on interruption.
    pub(crate) fn load(&self, batch: &Batch, logged: Option<&BitSet>) -> Result<Loaded> {
        let mut loaded = Loaded::default();
        for side in 0..2 {
            loaded.sides[side] = self.load_side(batch, side, logged)?;
        }
        Ok(loaded)
    }

    fn load_side(&self, batch: &Batch, side: usize, logged: Option<&BitSet>) -> Result<Option<LoadedLists>> {
        let Some(direction) = self.sides[side] else { return Ok(None) };
        let cells = AtomicLists::new(batch.entries(side), self.weighted);
        let ends = as_atomics(batch.offsets[side][..batch.members.len()].to_vec());
        let copy =
            Copy { batch, offsets: &batch.offsets[side], cells: &cells, ends: &ends, differs: AtomicBool::new(false) };
        let stored =
            |vertex: &VertexId| *vertex < self.vertices && logged.is_none_or(|logged| !logged.contains(*vertex));
        let members: Vec<VertexId> = batch.members.iter().copied().filter(stored).collect();
        if !members.is_empty() {
            let set = VertexSet::from_members(members, self.vertices);
            let changed = CopyLists { copy: &copy, changes: self.changes[side], erased: self.erased };
            changed.select(self.open.require(direction)?, &set)?;
        }
        self.add_spare(batch, side, &copy);
        if copy.differs.into_inner() {
            return self.degrees.with_reader(direction, self.open.undirected(), |reader| Err(reader.differ()));
        }
        let (ids, weights) = cells.into_plain();
        Ok(Some(LoadedLists { ids, weights, ends: as_plain(ends) }))
    }

    /// Adds the lists of added vertices, which consist of added edges only.
    fn add_spare(&self, batch: &Batch, side: usize, copy: &Copy<'_>) {
        let Some(changes) = self.changes[side] else { return };
        for vertex in batch.members.iter().copied().filter(|vertex| *vertex >= self.vertices) {
            if let Some(changes) = changes.of(vertex) {
                let mut place = copy.begin(vertex);
                _ = copy.neighbors(vertex, &mut place, Neighbors::new(changes.added, changes.weights));
                copy.end(vertex, place);
            }
        }
    }
}

fn too_long(vertex: VertexId) -> Error {
    Error::Usage(format!("lists up to that of vertex {vertex} have more than {} entries", u32::MAX))
}

/// Cache of the most recently read degrees.
#[derive(Debug, Default)]
pub(crate) struct KnownDegrees {
    range: VertexRange,
    degrees: [Vec<u32>; 2],
}

impl KnownDegrees {
    /// Memory for the cache, in bytes.
    pub(crate) const BYTES: u64 = 2 * 4 * STRETCH as u64;
}

/// The lists of a batch.
#[derive(Debug, Default)]
pub(crate) struct Loaded {
    sides: [Option<LoadedLists>; 2],
}

#[derive(Debug)]
struct LoadedLists {
    ids: Vec<VertexId>,
    weights: Option<Vec<f64>>,
    /// End of each member's list.
    ends: Vec<u32>,
}

impl Loaded {
    /// Returns the edges of the member at `position`. The first side is the out-list unless only in-lists are loaded.
    pub(crate) fn edges(&self, batch: &Batch, position: usize) -> Edges<'_> {
        Edges { out: self.list(batch, 0, position), into: self.list(batch, 1, position) }
    }

    /// Returns one list of the member at `position`; empty if the side is not loaded.
    pub(crate) fn list(&self, batch: &Batch, side: usize, position: usize) -> Neighbors<'_> {
        let Some(lists) = &self.sides[side] else { return Neighbors::new(&[], None) };
        let places = batch.offsets[side][position] as usize..lists.ends[position] as usize;
        Neighbors::new(&lists.ids[places.clone()], lists.weights.as_ref().map(|weights| &weights[places]))
    }

    /// Returns the number of loaded entries.
    pub(crate) fn entries(&self) -> u64 {
        self.sides.iter().flatten().map(|lists| lists.ids.len() as u64).sum()
    }

    /// Stores an earlier loaded list of the member at `position`.
    pub(crate) fn put(&mut self, batch: &Batch, side: usize, position: usize, list: (&[VertexId], &[f64])) -> bool {
        let Some(lists) = &mut self.sides[side] else { return false };
        let begin = batch.offsets[side][position] as usize;
        let end = begin + list.0.len();
        if end > batch.offsets[side][position + 1] as usize {
            return false;
        }
        lists.ids[begin..end].copy_from_slice(list.0);
        if let Some(weights) = &mut lists.weights {
            weights[begin..end].copy_from_slice(list.1);
        }
        lists.ends[position] = end as u32;
        true
    }
}

/// Copies lists and merges the changes of the run into them.
pub(crate) struct CopyLists<'c> {
    copy: &'c Copy<'c>,
    changes: Option<&'c EdgeChanges>,
    erased: Option<&'c BitSet>,
}

impl CopyLists<'_> {
    /// Copies the lists of the members of `set`.
    pub(crate) fn select(&self, lists: &dyn Adjacency, set: &VertexSet) -> Result<()> {
        with_changes(self.copy, self.changes, |visit| match self.erased {
            None => lists.select(set, visit),
            Some(erased) => lists.select(set, &Changing::new(visit, Standing { erased })),
        })
    }
}

/// Copies pieces of lists to their positions.
struct Copy<'c> {
    batch: &'c Batch,
    offsets: &'c [u32],
    cells: &'c AtomicLists,
    ends: &'c [AtomicU32],
    differs: AtomicBool,
}

impl FoldLists for Copy<'_> {
    /// Position of the member, and the position of its next piece.
    type Fold = (usize, usize);

    fn begin(&self, vertex: VertexId) -> Self::Fold {
        let position = self.batch.position(vertex);
        (position, self.offsets[position] as usize)
    }

    #[inline]
    fn neighbors(&self, _: VertexId, place: &mut Self::Fold, piece: Neighbors<'_>) -> ControlFlow<()> {
        let end = place.1 + piece.len();
        if end > self.offsets[place.0 + 1] as usize {
            self.differs.store(true, Relaxed);
            return ControlFlow::Break(());
        }
        self.cells.put(place.1..end, piece);
        place.1 = end;
        ControlFlow::Continue(())
    }

    fn end(&self, _: VertexId, (position, end): Self::Fold) {
        self.ends[position].store(end as u32, Relaxed);
    }
}

/// Filters deleted edges out of stored lists: edges of removed vertices.
struct Standing<'s> {
    erased: &'s BitSet,
}

impl ChangeLists for Standing<'_> {
    /// `true` if the vertex was removed.
    type Rest = bool;

    fn begin(&self, vertex: VertexId) -> Option<bool> {
        Some(self.erased.contains(vertex))
    }

    fn piece(&self, removed: &mut bool, piece: Neighbors<'_>, take: TakePart<'_>) -> ControlFlow<()> {
        if *removed {
            return ControlFlow::Break(());
        }
        for (position, id) in piece.ids().iter().enumerate().filter(|(_, id)| !self.erased.contains(**id)) {
            let weight = piece.weights().map(|weights| &weights[position..=position]);
            take(Neighbors::new(std::slice::from_ref(id), weight))?;
        }
        ControlFlow::Continue(())
    }
}
