//! The state that all steps share.

use crate::search::push::push;
use crate::{IdOrder, UNREACHED};
use outcrop_engine::{Engine, FrontierBuilder};
use outcrop_store::access::Adjacency;
use outcrop_types::{BitSet, Result, VertexId, VertexSet, VertexValues};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Vertices that a thread takes at once.
pub(super) const BLOCK: u32 = 1 << 14;

/// Components that are found, and what is left.
pub(super) struct Search<'s, 'e> {
    pub(super) engine: &'s Engine<'e>,
    pub(super) out: &'s dyn Adjacency,
    pub(super) into: &'s dyn Adjacency,
    pub(super) ranks: IdOrder<'s>,
    /// The smallest rank of the component.
    pub(super) component: VertexValues<AtomicU32>,
    /// While trimming: out-edges to vertices that are left. Later a number a vertex for the other steps, as is the
    /// next.
    pub(super) out_left: VertexValues<AtomicU32>,
    /// While trimming: in-edges from vertices that are left.
    pub(super) in_left: VertexValues<AtomicU32>,
    pub(super) next: FrontierBuilder,
    /// Vertices that the forward search has found.
    pub(super) reached: BitSet,
    /// Vertices that a backward search has found.
    pub(super) reaching: BitSet,
}

impl<'s, 'e> Search<'s, 'e> {
    /// Everything is left, with these degrees.
    pub(super) fn new(
        engine: &'s Engine<'e>,
        (out, into): (&'s dyn Adjacency, &'s dyn Adjacency),
        (out_degrees, in_degrees): (VertexValues<u32>, VertexValues<u32>),
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
            next: FrontierBuilder::new(vertices),
            reached: BitSet::empty(vertices),
            reaching: BitSet::empty(vertices),
        })
    }

    #[inline]
    pub(super) fn is_left(&self, vertex: VertexId) -> bool {
        self.component[vertex as usize].load(Relaxed) == UNREACHED
    }

    /// Folds the vertices that are left, in blocks.
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

    /// The vertices that are left and that `wanted` wants.
    pub(super) fn left_that(&mut self, wanted: impl Fn(&Self, VertexId) -> bool + Sync) -> VertexSet {
        self.of_blocks(|left| left.filter(|vertex| wanted(self, *vertex)).for_each(|vertex| self.next.add(vertex)));
        self.next.take()
    }

    /// Makes `vertex`, which has no edges from or to what is left, a component; whether it was none.
    pub(super) fn take_out(&self, vertex: VertexId) -> bool {
        let rank = self.ranks.of(vertex);
        self.component[vertex as usize].compare_exchange(UNREACHED, rank, Relaxed, Relaxed).is_ok()
    }

    /// Hands on from `frontier` along `lists`; `take` says whether the second of two vertices hands on in the next
    /// round. Whether there was nothing left to do after `rounds`.
    pub(super) fn spread(
        &mut self,
        lists: &dyn Adjacency,
        mut frontier: VertexSet,
        rounds: u32,
        take: impl Fn(&Self, VertexId, VertexId) -> bool + Sync,
    ) -> Result<bool> {
        for _ in 0..rounds {
            if frontier.is_empty() {
                return Ok(true);
            }
            push(self.engine, lists, &frontier, &|from, to| {
                if take(self, from, to) {
                    self.next.add(to);
                }
            })?;
            frontier = self.next.take();
        }
        Ok(frontier.is_empty())
    }
}
