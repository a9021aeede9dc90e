//! Loads the neighbourhoods of a range of vertices into memory.

use super::distinct::Distinct;
use super::held_space::HeldSpace;
use super::lists::Neighbourhoods;
use outcrop_store::access::{FoldLists, Neighbours};
use outcrop_types::{Error, Result, VertexId, VertexRange};
use std::ops::ControlFlow;
use std::sync::atomic::Ordering::Relaxed;

/// Part of a neighbourhood that is held.
pub trait HoldNeighbours: Sync {
    /// True if `neighbour` is held for `vertex`.
    fn keeps(&self, vertex: VertexId, neighbour: VertexId) -> bool;

    /// A bound of how many neighbours of `vertex` are kept: at most [`HeldSpace::longest`].
    fn at_most(&self, vertex: VertexId) -> u32;
}

impl Neighbourhoods<'_> {
    /// Loads the neighbourhoods of as many vertices from `start` on as there is room for, and returns their range,
    /// which is only empty at the end of the graph. What was held before is forgotten. Positions are counted from
    /// `start`. Neighbours that are joined by edges of both directions are told apart where the graph is directed and
    /// `tell_apart` is given.
    ///
    /// The range does not depend on threads: as many vertices are read as there is room for by their bounds, then more
    /// in the room that is left, until little is.
    ///
    /// # Errors
    /// A failed or damaged read; interruption.
    pub fn load(
        &self,
        start: VertexId,
        space: &HeldSpace,
        hold: &impl HoldNeighbours,
        tell_apart: bool,
    ) -> Result<VertexRange> {
        self.load_ranges(
            start,
            space,
            |vertex| u64::from(hold.at_most(vertex)),
            |range| {
                self.out.sweep(range, &LoadOut { hold, space, start })?;
                match self.into {
                    Some(into) => into.sweep(range, &LoadIn { hold, space, start, tell_apart }),
                    None => Ok(()),
                }
            },
        )
    }

    /// [`Neighbourhoods::load`] of an undirected graph with a value for each neighbour that is held: what `value` makes
    /// of the weight of the edge to it, of repeated edges the smallest.
    ///
    /// # Errors
    /// A failed or damaged read; interruption; a directed graph.
    pub fn load_values(
        &self,
        start: VertexId,
        space: &HeldSpace,
        hold: &impl HoldNeighbours,
        value: &(impl Fn(f64) -> f64 + Sync),
    ) -> Result<VertexRange> {
        if self.directed() {
            return Err(Error::internal("neighbor values are supported in undirected graphs only"));
        }
        let entries = |vertex| (1 + HeldSpace::VALUE_ENTRIES) * u64::from(hold.at_most(vertex));
        self.load_ranges(start, space, entries, |range| {
            self.out.sweep(range, &LoadValues { hold, space, start, value })
        })
    }

    /// Loads ranges of vertices by `load` until the space is nearly full; `at_most` bounds what is held of a vertex.
    fn load_ranges(
        &self,
        start: VertexId,
        space: &HeldSpace,
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

/// Number of vertices from the start of `range` on that fit.
fn fitting(space: &HeldSpace, range: VertexRange, at_most: &impl Fn(VertexId) -> u64) -> u32 {
    let mut entries = 0;
    let fits = range.iter().zip(1_u64..).take_while(|(vertex, number)| {
        entries += at_most(*vertex);
        space.has_room(entries, *number)
    });
    fits.count() as u32
}

struct LoadOut<'l, H> {
    hold: &'l H,
    space: &'l HeldSpace,
    start: VertexId,
}

impl<H: HoldNeighbours> FoldLists for LoadOut<'_, H> {
    type Fold = (Distinct, Vec<VertexId>);

    #[inline]
    fn wants(&self, vertex: VertexId) -> bool {
        self.hold.at_most(vertex) > 0
    }

    #[inline]
    fn begin(&self, _: VertexId) -> Self::Fold {
        (Distinct::new(), Vec::new())
    }

    #[inline]
    fn neighbours(
        &self,
        vertex: VertexId,
        (distinct, kept): &mut Self::Fold,
        piece: Neighbours<'_>,
    ) -> ControlFlow<()> {
        distinct.for_each(vertex, piece, |id| kept.extend(Some(id).filter(|id| self.hold.keeps(vertex, *id))));
        ControlFlow::Continue(())
    }

    #[inline]
    fn end(&self, vertex: VertexId, (_, kept): Self::Fold) {
        self.space.hold(0, (vertex - self.start) as usize, &kept, &[]);
    }
}

struct LoadValues<'l, H, V> {
    hold: &'l H,
    space: &'l HeldSpace,
    start: VertexId,
    value: &'l V,
}

impl<H: HoldNeighbours, V: Fn(f64) -> f64 + Sync> FoldLists for LoadValues<'_, H, V> {
    /// The neighbours that are held, and the smallest weight of each.
    type Fold = (Vec<VertexId>, Vec<f64>);

    #[inline]
    fn wants(&self, vertex: VertexId) -> bool {
        self.hold.at_most(vertex) > 0
    }

    #[inline]
    fn begin(&self, _: VertexId) -> Self::Fold {
        (Vec::new(), Vec::new())
    }

    #[inline]
    fn neighbours(&self, vertex: VertexId, (kept, weights): &mut Self::Fold, piece: Neighbours<'_>) -> ControlFlow<()> {
        piece.try_for_each(|id, weight| {
            match weights.last_mut().filter(|_| kept.last() == Some(&id)) {
                Some(least) => *least = weight.min(*least),
                None if id != vertex && self.hold.keeps(vertex, id) => {
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
        self.space.hold_values((vertex - self.start) as usize, &kept, &weights);
    }
}

struct LoadIn<'l, H> {
    hold: &'l H,
    space: &'l HeldSpace,
    start: VertexId,
    tell_apart: bool,
}

/// An in-list that is being joined with what is held.
struct Joined {
    distinct: Distinct,
    fresh: Vec<VertexId>,
    double: Vec<VertexId>,
    passed: usize,
}

impl<H: HoldNeighbours> FoldLists for LoadIn<'_, H> {
    type Fold = Joined;

    #[inline]
    fn wants(&self, vertex: VertexId) -> bool {
        self.hold.at_most(vertex) > 0
    }

    #[inline]
    fn begin(&self, _: VertexId) -> Joined {
        Joined { distinct: Distinct::new(), fresh: Vec::new(), double: Vec::new(), passed: 0 }
    }

    #[inline]
    fn neighbours(&self, vertex: VertexId, joined: &mut Joined, piece: Neighbours<'_>) -> ControlFlow<()> {
        let Joined { distinct, fresh, double, passed } = joined;
        let held = self.space.part(0, (vertex - self.start) as usize).single;
        distinct.for_each(vertex, piece, |id| {
            if !self.hold.keeps(vertex, id) {
                return;
            }
            while held.get(*passed).is_some_and(|other| other.load(Relaxed) < id) {
                *passed += 1;
            }
            match held.get(*passed).is_some_and(|other| other.load(Relaxed) == id) {
                true if self.tell_apart => double.push(id),
                true => {}
                false => fresh.push(id),
            }
        });
        ControlFlow::Continue(())
    }

    #[inline]
    fn end(&self, vertex: VertexId, joined: Joined) {
        let position = (vertex - self.start) as usize;
        self.space.tell_apart(0, position, &joined.double);
        self.space.hold(1, position, &joined.fresh, &[]);
    }
}
