//! Visiting of neighborhoods, each neighbor once, without storing them.

use super::batch::Batch;
use super::distinct::Distinct;
use super::lists::{Neighborhoods, VisitNeighbors};
use super::neighborhood_buffer::NeighborhoodBuffer;
use outcrop_store::access::{Adjacency, FoldLists, Neighbors};
use outcrop_types::{Result, VertexId, VertexRange, VertexSet};
use std::ops::ControlFlow;
use std::sync::atomic::Ordering::Relaxed;

/// Maximum number of neighbors visited at once.
const PART: usize = 1024;

impl Neighborhoods<'_> {
    /// Visits the neighborhood of each vertex of `set` with `visit`. `at_most` bounds the number of entries of the
    /// out-list of a vertex that `visit` keeps. Lists with more than [`NeighborhoodBuffer::longest`] such entries are
    /// read once per range of that number of vertices.
    ///
    /// # Errors
    ///
    /// Returns an error if a read fails or the data is damaged, or if the run is interrupted.
    pub fn visit<V: VisitNeighbors>(
        &self,
        set: &VertexSet,
        space: &NeighborhoodBuffer,
        at_most: impl Fn(VertexId) -> u32 + Sync,
        visit: &V,
    ) -> Result<()> {
        let Some(into) = self.into else {
            let show = VisitOnly { visit, batch: None, wanted: &|_| true, window: self.everything() };
            return if is_all(set) { self.out.sweep(self.everything(), &show) } else { self.out.select(set, &show) };
        };
        let fits = |vertex: VertexId| at_most(vertex) as usize <= space.longest();
        match set {
            VertexSet::Sparse { members, .. } => {
                let short: Vec<VertexId> = members.iter().copied().filter(|vertex| fits(*vertex)).collect();
                let mut rest = short.as_slice();
                while !rest.is_empty() {
                    let (now, later) = rest.split_at(room_for(space, rest.iter().copied(), &at_most));
                    self.visit_members(into, now, space, self.everything(), visit)?;
                    rest = later;
                }
            }
            VertexSet::Dense { .. } => {
                let mut start = 0;
                while start < self.vertices() {
                    let wanted =
                        |vertex: VertexId| if set.contains(vertex) && fits(vertex) { at_most(vertex) } else { 0 };
                    let range = VertexRange::new(start, self.vertices());
                    let end = start + room_for(space, range.iter(), &wanted) as u32;
                    self.visit_range(into, set, VertexRange::new(start, end), space, &fits, visit)?;
                    start = end;
                }
            }
        }
        self.visit_long(into, set, space, &fits, visit)
    }

    fn visit_range<V: VisitNeighbors>(
        &self,
        into: &dyn Adjacency,
        set: &VertexSet,
        range: VertexRange,
        space: &NeighborhoodBuffer,
        fits: &(impl Fn(VertexId) -> bool + Sync),
        visit: &V,
    ) -> Result<()> {
        space.begin((range.end - range.start) as usize);
        let batch = Batch::Range(set, range);
        let window = self.everything();
        self.out.sweep(range, &VisitAndStore { visit, batch: &batch, wanted: fits, window, space })?;
        space.check()?;
        into.sweep(range, &VisitOnly { visit, batch: Some((&batch, space)), wanted: fits, window })
    }

    fn visit_members<V: VisitNeighbors>(
        &self,
        into: &dyn Adjacency,
        members: &[VertexId],
        space: &NeighborhoodBuffer,
        window: VertexRange,
        visit: &V,
    ) -> Result<()> {
        space.begin(members.len());
        let batch = Batch::Members(members);
        let set = VertexSet::from_members(members.to_vec(), self.vertices());
        self.out.select(&set, &VisitAndStore { visit, batch: &batch, wanted: &|_| true, window, space })?;
        space.check()?;
        into.select(&set, &VisitOnly { visit, batch: Some((&batch, space)), wanted: &|_| true, window })
    }

    /// Visits vertices whose lists exceed the memory: one after the other, by ranges of neighbors.
    fn visit_long<V: VisitNeighbors>(
        &self,
        into: &dyn Adjacency,
        set: &VertexSet,
        space: &NeighborhoodBuffer,
        fits: &impl Fn(VertexId) -> bool,
        visit: &V,
    ) -> Result<()> {
        let mut long = Vec::new();
        set.for_each(|vertex| long.extend(Some(vertex).filter(|vertex| !fits(*vertex))));
        let width = space.longest().max(1) as u32;
        for vertex in long {
            let mut start = 0_u32;
            while start < self.vertices() {
                let window = VertexRange::new(start, start.saturating_add(width).min(self.vertices()));
                self.visit_members(into, &[vertex], space, window, visit)?;
                start = window.end;
            }
        }
        Ok(())
    }

    fn everything(&self) -> VertexRange {
        VertexRange::new(0, self.vertices())
    }
}

fn is_all(set: &VertexSet) -> bool {
    set.len() == set.universe() as usize
}

/// Returns the number of `vertices` in a batch, at least one.
pub(super) fn room_for(
    space: &NeighborhoodBuffer,
    vertices: impl Iterator<Item = VertexId>,
    at_most: &impl Fn(VertexId) -> u32,
) -> usize {
    space.begin(0);
    let mut entries = 0;
    let taken = vertices.zip(1_u64..=space.positions() as u64).take_while(|(vertex, number)| {
        entries += u64::from(at_most(*vertex));
        space.has_room(entries, *number)
    });
    taken.count().max(1)
}

#[inline]
fn inside(window: VertexRange, id: VertexId) -> bool {
    window.start <= id && id < window.end
}

/// Fold over out-lists that visits and stores the kept neighbors.
struct VisitAndStore<'v, V, W> {
    visit: &'v V,
    batch: &'v Batch<'v>,
    wanted: &'v W,
    window: VertexRange,
    space: &'v NeighborhoodBuffer,
}

impl<V: VisitNeighbors, W: Fn(VertexId) -> bool + Sync> FoldLists for VisitAndStore<'_, V, W> {
    type Fold = (Distinct, Vec<VertexId>);

    #[inline]
    fn wants(&self, vertex: VertexId) -> bool {
        self.batch.contains(vertex) && (self.wanted)(vertex)
    }

    #[inline]
    fn begin(&self, _: VertexId) -> Self::Fold {
        (Distinct::new(), Vec::new())
    }

    #[inline]
    fn neighbors(&self, vertex: VertexId, (distinct, kept): &mut Self::Fold, piece: Neighbors<'_>) -> ControlFlow<()> {
        distinct.for_each(vertex, piece, |id| {
            if inside(self.window, id) && self.visit.keeps(vertex, id) && !self.visit.enough(vertex, kept.len()) {
                kept.push(id);
            }
        });
        if self.visit.enough(vertex, kept.len()) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    #[inline]
    fn end(&self, vertex: VertexId, (_, kept): Self::Fold) {
        if !kept.is_empty() {
            self.visit.neighbors(vertex, &kept);
            if !self.visit.enough(vertex, 0) {
                self.space.store(0, self.batch.position(vertex), &kept, &[]);
            }
        }
    }
}

/// Fold over lists that visits kept neighbors that are not stored.
struct VisitOnly<'v, V, W> {
    visit: &'v V,
    batch: Option<(&'v Batch<'v>, &'v NeighborhoodBuffer)>,
    wanted: &'v W,
    window: VertexRange,
}

/// List that is being visited.
struct VisitedList {
    distinct: Distinct,
    part: Vec<VertexId>,
    /// Position in the batch, once the list is known to have entries.
    position: Option<usize>,
    /// Number of stored neighbors that are smaller than the last entry.
    passed: usize,
}

impl<V: VisitNeighbors, W: Fn(VertexId) -> bool + Sync> FoldLists for VisitOnly<'_, V, W> {
    type Fold = VisitedList;

    #[inline]
    fn wants(&self, vertex: VertexId) -> bool {
        let wanted = self.batch.is_none_or(|(batch, _)| batch.contains(vertex)) && (self.wanted)(vertex);
        wanted && !self.visit.enough(vertex, 0)
    }

    #[inline]
    fn begin(&self, _: VertexId) -> VisitedList {
        VisitedList { distinct: Distinct::new(), part: Vec::new(), position: None, passed: 0 }
    }

    #[inline]
    fn neighbors(&self, vertex: VertexId, shown: &mut VisitedList, piece: Neighbors<'_>) -> ControlFlow<()> {
        let VisitedList { distinct, part, position, passed } = shown;
        let held = self.batch.map_or(&[][..], |(batch, space)| {
            space.part(0, *position.get_or_insert_with(|| batch.position(vertex))).single
        });
        distinct.for_each(vertex, piece, |id| {
            if !inside(self.window, id) || !self.visit.keeps(vertex, id) || self.visit.enough(vertex, part.len()) {
                return;
            }
            while held.get(*passed).is_some_and(|other| other.load(Relaxed) < id) {
                *passed += 1;
            }
            if held.get(*passed).is_none_or(|other| other.load(Relaxed) != id) {
                part.push(id);
            }
        });
        if part.len() >= PART {
            self.visit.neighbors(vertex, part);
            part.clear();
        }
        if self.visit.enough(vertex, part.len()) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    #[inline]
    fn end(&self, vertex: VertexId, shown: VisitedList) {
        if !shown.part.is_empty() {
            self.visit.neighbors(vertex, &shown.part);
        }
    }
}
