//! Loading of the neighborhoods of a range of vertices into memory.

use super::distinct::Distinct;
use super::lists::Neighborhoods;
use super::neighborhood_buffer::NeighborhoodBuffer;
use outcrop_store::access::{FoldLists, Neighbors};
use outcrop_types::{Error, Result, VertexId, VertexRange};
use std::ops::ControlFlow;
use std::sync::atomic::Ordering::Relaxed;

/// Selection of the neighbors to keep in memory.
pub trait SelectNeighbors: Sync {
    /// Returns true if `neighbor` is kept for `vertex`.
    fn keeps(&self, vertex: VertexId, neighbor: VertexId) -> bool;

    /// Returns an upper bound of the number of neighbors of `vertex` that are kept: at most
    /// [`NeighborhoodBuffer::longest`].
    fn at_most(&self, vertex: VertexId) -> u32;
}

impl Neighborhoods<'_> {
    /// Loads the neighborhoods of as many vertices as fit, starting at `start`, and returns their range, which is empty
    /// only at the end of the graph. Removes the previous content. Positions are relative to `start`. Neighbors
    /// connected by edges in both directions are distinguished if the graph is directed and `distinguish` is true.
    ///
    /// The range does not depend on threads: it reads as many vertices as fit by their bounds, then more in the
    /// remaining space, until little is left.
    ///
    /// # Errors
    ///
    /// Returns an error if a read fails or the data is damaged, or if the run is interrupted.
    pub fn load(
        &self,
        start: VertexId,
        space: &NeighborhoodBuffer,
        selection: &impl SelectNeighbors,
        distinguish: bool,
    ) -> Result<VertexRange> {
        self.load_ranges(
            start,
            space,
            |vertex| u64::from(selection.at_most(vertex)),
            |range| {
                self.out.sweep(range, &LoadOut { selection, space, start })?;
                match self.into {
                    Some(into) => into.sweep(range, &LoadIn { selection, space, start, distinguish }),
                    None => Ok(()),
                }
            },
        )
    }

    /// Same as [`Neighborhoods::load`] for an undirected graph, with a value for each neighbor: the result of `value`
    /// for the weight of the edge, or the smallest weight of duplicate edges.
    ///
    /// # Errors
    ///
    /// Returns an error if a read fails or the data is damaged, if the run is interrupted, or if the graph is directed.
    pub fn load_values(
        &self,
        start: VertexId,
        space: &NeighborhoodBuffer,
        selection: &impl SelectNeighbors,
        value: &(impl Fn(f64) -> f64 + Sync),
    ) -> Result<VertexRange> {
        if self.directed() {
            return Err(Error::internal("neighbor values are supported in undirected graphs only"));
        }
        let entries = |vertex| (1 + NeighborhoodBuffer::VALUE_ENTRIES) * u64::from(selection.at_most(vertex));
        self.load_ranges(start, space, entries, |range| {
            self.out.sweep(range, &LoadValues { selection, space, start, value })
        })
    }

    /// Loads ranges of vertices with `load` until the space is nearly full; `at_most` bounds the number of entries of a
    /// vertex.
    fn load_ranges(
        &self,
        start: VertexId,
        space: &NeighborhoodBuffer,
        at_most: impl Fn(VertexId) -> u64,
        load: impl Fn(VertexRange) -> Result<()>,
    ) -> Result<VertexRange> {
        space.begin(space.positions());
        let mut end = start;
        let last = (u64::from(start) + space.positions() as u64).min(u64::from(self.vertices())) as u32;
        while end < last && !(end > start && space.nearly_full()) {
            let range = VertexRange::new(end, end + fitting(space, VertexRange::new(end, last), &at_most));
            if range.start == range.end {
                break;
            }
            load(range)?;
            space.check()?;
            end = range.end;
        }
        Ok(VertexRange::new(start, end))
    }
}

/// Returns the number of vertices from the start of `range` that fit.
fn fitting(space: &NeighborhoodBuffer, range: VertexRange, at_most: &impl Fn(VertexId) -> u64) -> u32 {
    let mut entries = 0;
    let fits = range.iter().zip(1_u64..).take_while(|(vertex, number)| {
        entries += at_most(*vertex);
        space.has_room(entries, *number)
    });
    fits.count() as u32
}

struct LoadOut<'l, H> {
    selection: &'l H,
    space: &'l NeighborhoodBuffer,
    start: VertexId,
}

impl<H: SelectNeighbors> FoldLists for LoadOut<'_, H> {
    type Fold = (Distinct, Vec<VertexId>);

    #[inline]
    fn wants(&self, vertex: VertexId) -> bool {
        self.selection.at_most(vertex) > 0
    }

    #[inline]
    fn begin(&self, _: VertexId) -> Self::Fold {
        (Distinct::new(), Vec::new())
    }

    #[inline]
    fn neighbors(&self, vertex: VertexId, (distinct, kept): &mut Self::Fold, piece: Neighbors<'_>) -> ControlFlow<()> {
        distinct.for_each(vertex, piece, |id| kept.extend(Some(id).filter(|id| self.selection.keeps(vertex, *id))));
        ControlFlow::Continue(())
    }

    #[inline]
    fn end(&self, vertex: VertexId, (_, kept): Self::Fold) {
        self.space.store(0, (vertex - self.start) as usize, &kept, &[]);
    }
}

struct LoadValues<'l, H, V> {
    selection: &'l H,
    space: &'l NeighborhoodBuffer,
    start: VertexId,
    value: &'l V,
}

impl<H: SelectNeighbors, V: Fn(f64) -> f64 + Sync> FoldLists for LoadValues<'_, H, V> {
    /// Kept neighbors, and the smallest weight of each.
    type Fold = (Vec<VertexId>, Vec<f64>);

    #[inline]
    fn wants(&self, vertex: VertexId) -> bool {
        self.selection.at_most(vertex) > 0
    }

    #[inline]
    fn begin(&self, _: VertexId) -> Self::Fold {
        (Vec::new(), Vec::new())
    }

    #[inline]
    fn neighbors(&self, vertex: VertexId, (kept, weights): &mut Self::Fold, piece: Neighbors<'_>) -> ControlFlow<()> {
        piece.try_for_each(|id, weight| {
            match weights.last_mut().filter(|_| kept.last() == Some(&id)) {
                Some(least) => *least = weight.min(*least),
                None if id != vertex && self.selection.keeps(vertex, id) => {
                    kept.push(id);
                    weights.push(weight);
                }
                None => {}
            }
            ControlFlow::Continue(())
        })
    }

    #[inline]
    fn end(&self, vertex: VertexId, (kept, mut weights): Self::Fold) {
        weights.iter_mut().for_each(|weight| *weight = (self.value)(*weight));
        self.space.store_values((vertex - self.start) as usize, &kept, &weights);
    }
}

struct LoadIn<'l, H> {
    selection: &'l H,
    space: &'l NeighborhoodBuffer,
    start: VertexId,
    distinguish: bool,
}

/// List of in-neighbors that is merged with a stored out-list.
struct Joined {
    distinct: Distinct,
    fresh: Vec<VertexId>,
    double: Vec<VertexId>,
    passed: usize,
}

impl<H: SelectNeighbors> FoldLists for LoadIn<'_, H> {
    type Fold = Joined;

    #[inline]
    fn wants(&self, vertex: VertexId) -> bool {
        self.selection.at_most(vertex) > 0
    }

    #[inline]
    fn begin(&self, _: VertexId) -> Joined {
        Joined { distinct: Distinct::new(), fresh: Vec::new(), double: Vec::new(), passed: 0 }
    }

    #[inline]
    fn neighbors(&self, vertex: VertexId, joined: &mut Joined, piece: Neighbors<'_>) -> ControlFlow<()> {
        let Joined { distinct, fresh, double, passed } = joined;
        let held = self.space.part(0, (vertex - self.start) as usize).single;
        distinct.for_each(vertex, piece, |id| {
            if !self.selection.keeps(vertex, id) {
                return;
            }
            while held.get(*passed).is_some_and(|other| other.load(Relaxed) < id) {
                *passed += 1;
            }
            match held.get(*passed).is_some_and(|other| other.load(Relaxed) == id) {
                true if self.distinguish => double.push(id),
                true => {}
                false => fresh.push(id),
            }
        });
        ControlFlow::Continue(())
    }

    #[inline]
    fn end(&self, vertex: VertexId, joined: Joined) {
        let position = (vertex - self.start) as usize;
        self.space.mark_double(0, position, &joined.double);
        self.space.store(1, position, &joined.fresh, &[]);
    }
}
