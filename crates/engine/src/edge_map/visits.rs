//! Edge maps as visitors of the store: the loops over neighbors.

use super::program::{EdgeMap, EdgeMapData, Gather};
use crate::frontier::FrontierBuilder;
use outcrop_store::access::{FoldLists, Neighbors};
use outcrop_types::{BitSet, VertexId};
use std::ops::ControlFlow;

/// Collector of the results of a map.
pub(super) trait Collect<T>: Sync {
    /// Collects the `value` of `vertex`.
    fn collect(&self, vertex: VertexId, value: T);

    /// Sets whether only one thread collects.
    fn set_alone(&self, alone: bool) {
        _ = alone;
    }
}

/// Discards results.
impl Collect<()> for () {
    #[inline]
    fn collect(&self, _: VertexId, (): ()) {}
}

impl Collect<()> for FrontierBuilder {
    #[inline]
    fn collect(&self, vertex: VertexId, (): ()) {
        self.add(vertex);
    }

    fn set_alone(&self, alone: bool) {
        Self::set_alone(self, alone);
    }
}

/// Adapter from a program without values to one with values.
pub(super) struct Plain<'p, P>(pub(super) &'p P);

impl<P: EdgeMap> EdgeMapData for Plain<'_, P> {
    type Data = ();

    #[inline]
    fn update(&self, source: VertexId, target: VertexId, weight: f64) -> Option<()> {
        self.0.update(source, target, weight).then_some(())
    }

    #[inline]
    fn update_atomic(&self, source: VertexId, target: VertexId, weight: f64) -> Option<()> {
        self.0.update_atomic(source, target, weight).then_some(())
    }

    #[inline]
    fn cond(&self, target: VertexId) -> bool {
        self.0.cond(target)
    }

    #[inline]
    fn settled(&self, target: VertexId) -> bool {
        self.0.settled(target)
    }

    fn tries_first(&self) -> bool {
        self.0.tries_first()
    }
}

pub(super) struct Push<'p, P, C> {
    pub(super) program: &'p P,
    pub(super) collect: &'p C,
    /// Vertices whose lists a sweep visits; `None` for all.
    pub(super) frontier: Option<&'p BitSet>,
    /// True if a sweep also reads the lists of other vertices and skips them.
    pub(super) read_all: bool,
}

impl<P: EdgeMapData, C: Collect<P::Data>> FoldLists for Push<'_, P, C> {
    type Fold = ();

    fn selective(&self) -> bool {
        self.frontier.is_some() && !self.read_all
    }

    fn wants(&self, vertex: VertexId) -> bool {
        self.read_all || self.frontier.is_none_or(|frontier| frontier.contains(vertex))
    }

    fn begin(&self, _: VertexId) {}

    #[inline]
    fn neighbors(&self, source: VertexId, (): &mut (), piece: Neighbors<'_>) -> ControlFlow<()> {
        if self.read_all && self.frontier.is_some_and(|frontier| !frontier.contains(source)) {
            return ControlFlow::Break(());
        }
        piece.try_for_each(|target, weight| {
            if self.program.cond(target)
                && let Some(value) = self.program.update_atomic(source, target, weight)
            {
                self.collect.collect(target, value);
            }
            ControlFlow::Continue(())
        })
    }

    fn end(&self, _: VertexId, (): ()) {}
}

pub(super) struct Pull<'p, P, C> {
    pub(super) program: &'p P,
    pub(super) frontier: &'p BitSet,
    pub(super) collect: &'p C,
    /// True if unneeded lists are also read, and skipped.
    pub(super) read_all: bool,
}

impl<P: EdgeMapData, C: Collect<P::Data>> Pull<'_, P, C> {
    /// Processes an edge from the frontier; returns true if `target` is settled.
    #[inline]
    fn take(&self, source: VertexId, target: VertexId, weight: f64) -> bool {
        if let Some(value) = self.program.update(source, target, weight) {
            self.collect.collect(target, value);
        }
        self.program.settled(target)
    }
}

impl<P: EdgeMapData, C: Collect<P::Data>> FoldLists for Pull<'_, P, C> {
    type Fold = ();

    fn selective(&self) -> bool {
        !self.read_all
    }

    fn wants(&self, vertex: VertexId) -> bool {
        self.read_all || self.program.cond(vertex)
    }

    fn stops_early(&self) -> bool {
        true
    }

    fn peeks(&self) -> bool {
        !self.read_all && self.program.tries_first()
    }

    #[inline]
    fn peek(&self, target: VertexId, source: VertexId) -> bool {
        self.frontier.contains(source) && self.take(source, target, 1.0)
    }

    fn begin(&self, _: VertexId) {}

    #[inline]
    fn neighbors(&self, target: VertexId, (): &mut (), piece: Neighbors<'_>) -> ControlFlow<()> {
        if self.read_all && !self.program.cond(target) {
            return ControlFlow::Break(());
        }
        piece.try_for_each(|source, weight| {
            if !self.frontier.contains(source) {
                return ControlFlow::Continue(());
            }
            if self.take(source, target, weight) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
    }

    fn end(&self, _: VertexId, (): ()) {}
}

pub(super) struct GatherVisit<'p, G>(pub(super) &'p G);

impl<G: Gather> FoldLists for GatherVisit<'_, G> {
    type Fold = G::Sum;

    fn selective(&self) -> bool {
        false
    }

    fn begin(&self, vertex: VertexId) -> G::Sum {
        self.0.begin(vertex)
    }

    #[inline]
    fn neighbors(&self, _: VertexId, sum: &mut G::Sum, piece: Neighbors<'_>) -> ControlFlow<()> {
        self.0.gather(sum, piece);
        ControlFlow::Continue(())
    }

    fn end(&self, vertex: VertexId, sum: G::Sum) {
        self.0.apply(vertex, sum);
    }
}

/// Pull that folds whole lists: targets that `program` no longer permits to update afterwards are active.
pub(super) struct PullGather<'p, P, G, C> {
    pub(super) program: &'p P,
    pub(super) gather: &'p G,
    pub(super) collect: &'p C,
    /// True if unneeded lists are also read, and skipped.
    pub(super) read_all: bool,
}

impl<P: EdgeMap, G: Gather, C: Collect<()>> FoldLists for PullGather<'_, P, G, C> {
    /// `None` if the list is skipped.
    type Fold = Option<G::Sum>;

    fn selective(&self) -> bool {
        !self.read_all
    }

    fn wants(&self, vertex: VertexId) -> bool {
        self.read_all || self.program.cond(vertex)
    }

    fn begin(&self, vertex: VertexId) -> Self::Fold {
        (!self.read_all || self.program.cond(vertex)).then(|| self.gather.begin(vertex))
    }

    #[inline]
    fn neighbors(&self, _: VertexId, sum: &mut Self::Fold, piece: Neighbors<'_>) -> ControlFlow<()> {
        let Some(sum) = sum else { return ControlFlow::Break(()) };
        self.gather.gather(sum, piece);
        ControlFlow::Continue(())
    }

    fn end(&self, vertex: VertexId, sum: Self::Fold) {
        if let Some(sum) = sum {
            self.gather.apply(vertex, sum);
            if !self.program.cond(vertex) {
                self.collect.collect(vertex, ());
            }
        }
    }
}
