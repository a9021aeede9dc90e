//! State shared by all steps.

use crate::search::push::push;
use crate::{IdOrder, UNREACHED};
use outcrop_engine::{EdgeMap, EdgeMapOptions, EdgeMapOutput, Engine};
use outcrop_store::access::Adjacency;
use outcrop_types::{BitSet, Direction, Result, VertexId, VertexSet, VertexValues};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Number of vertices per unit of work of a thread.
pub(super) const BLOCK: u32 = 1 << 14;

/// Found components, and the remaining graph.
pub(super) struct Search<'s, 'e> {
    pub(super) engine: &'s Engine<'e>,
    pub(super) out: &'s dyn Adjacency,
    pub(super) into: &'s dyn Adjacency,
    pub(super) ranks: IdOrder<'s>,
    /// Smallest rank of the component.
    pub(super) component: VertexValues<AtomicU32>,
    /// While trimming: number of out-edges to remaining vertices. Later, like the next field, one number per vertex for
    /// the other steps.
    pub(super) out_left: VertexValues<AtomicU32>,
    /// While trimming: number of in-edges from remaining vertices.
    pub(super) in_left: VertexValues<AtomicU32>,
    /// Vertices found by the forward search.
    pub(super) reached: BitSet,
    /// Vertices found by a backward search.
    pub(super) reaching: BitSet,
}

impl<'s, 'e> Search<'s, 'e> {
    /// Creates the initial state, in which all vertices remain, with these degrees.
    pub(super) fn new(
        engine: &'s Engine<'e>,
        out: &'s dyn Adjacency,
        into: &'s dyn Adjacency,
        out_degrees: VertexValues<u32>,
        in_degrees: VertexValues<u32>,
        ranks: IdOrder<'s>,
    ) -> Result<Self> {
        let vertices = engine.vertices();
        let unassigned = |_| AtomicU32::new(UNREACHED);
        Ok(Self {
            engine,
            out,
            into,
            ranks,
            component: engine.vertex_values(unassigned)?,
            out_left: out_degrees.map(AtomicU32::new),
            in_left: in_degrees.map(AtomicU32::new),
            reached: BitSet::empty(vertices),
            reaching: BitSet::empty(vertices),
        })
    }

    #[inline]
    pub(super) fn is_left(&self, vertex: VertexId) -> bool {
        self.component[vertex as usize].load(Relaxed) == UNREACHED
    }

    /// Folds the remaining vertices, in blocks.
    pub(super) fn of_blocks<T: Send>(
        &self,
        of_block: impl Fn(&mut dyn Iterator<Item = VertexId>) -> T + Sync,
    ) -> Vec<T> {
        self.engine.workers().map_blocks(self.engine.vertices(), BLOCK, |block| {
            of_block(&mut block.iter().filter(|vertex| self.is_left(*vertex)))
        })
    }

    pub(super) fn is_unfinished(&self) -> bool {
        self.of_blocks(|left| left.next().is_some()).contains(&true)
    }

    /// Returns the remaining vertices for which `wanted` holds.
    pub(super) fn left_that(&self, wanted: impl Fn(&Self, VertexId) -> bool + Sync) -> Result<VertexSet> {
        self.engine.collect(|next| {
            self.of_blocks(|left| left.filter(|vertex| wanted(self, *vertex)).for_each(|vertex| next.add(vertex)));
            Ok(())
        })
    }

    /// Makes `vertex`, which has no edges to or from remaining vertices, a component; returns true unless it already is
    /// one.
    pub(super) fn take_out(&self, vertex: VertexId) -> bool {
        let rank = self.ranks.of(vertex);
        self.component[vertex as usize].compare_exchange(UNREACHED, rank, Relaxed, Relaxed).is_ok()
    }

    /// Propagates from `frontier` along `lists` until nothing changes; `take` returns true if the second of two
    /// vertices propagates in the next round.
    pub(super) fn spread(
        &self,
        lists: &dyn Adjacency,
        mut frontier: VertexSet,
        take: impl Fn(&Self, VertexId, VertexId) -> bool + Sync,
    ) -> Result<()> {
        while !frontier.is_empty() {
            frontier = self.engine.collect(|next| {
                push(self.engine, lists, &frontier, &|from, to| {
                    if take(self, from, to) {
                        next.add(to);
                    }
                })
            })?;
        }
        Ok(())
    }

    /// Adds the vertices reached from `start` to `found`, in the given direction and only through vertices for which
    /// `within` holds. Returns true if there is nothing left to do after `rounds`.
    pub(super) fn reach(
        &self,
        start: VertexId,
        along: Direction,
        rounds: u32,
        found: &BitSet,
        within: impl Fn(VertexId) -> bool + Sync,
    ) -> Result<bool> {
        found.insert(start);
        let mut frontier = VertexSet::from_members(vec![start], self.engine.vertices());
        let options = EdgeMapOptions { along, ..EdgeMapOutput::Frontier.into() };
        for _ in 0..rounds {
            if frontier.is_empty() {
                break;
            }
            frontier = self.engine.edge_map(&frontier, &Reach { found, within: &within }, options)?;
        }
        Ok(frontier.is_empty())
    }
}

/// Search that ignores vertices for which `within` does not hold.
struct Reach<'r, W> {
    found: &'r BitSet,
    within: &'r W,
}

impl<W: Fn(VertexId) -> bool + Sync> EdgeMap for Reach<'_, W> {
    #[inline]
    fn update_atomic(&self, _: VertexId, target: VertexId, _: f64) -> bool {
        self.found.insert(target)
    }

    #[inline]
    fn cond(&self, target: VertexId) -> bool {
        !self.found.contains(target) && (self.within)(target)
    }

    fn tries_first(&self) -> bool {
        true
    }
}
