//! Workspace of a thread.

use crate::program::{GasProgram, OutEdge, Reverse};
use crate::shards::Delayed;
use crate::shards::Scratch;
use outcrop_store::access::{ArcBlock, BlockId};
use outcrop_types::{VertexId, VertexRange};

/// Buffers for an interval and for a block, reused for the next.
pub(crate) struct Workspace<P: GasProgram> {
    pub(crate) blocks: Vec<BlockId>,
    pub(crate) scratch: Scratch,
    /// Current edge values or those of later shards, and new ones.
    pub(crate) held: Vec<P::Edge>,
    pub(crate) values: Vec<P::Edge>,
    /// Vertices of updates, positions in a batch, or the bytes of a dynamic shard.
    pub(crate) numbers: Vec<u32>,
    pub(crate) bytes: Vec<u8>,
    pub(crate) opposite: Opposite<P::Edge>,
    /// Contents of the reverse edges of a batch.
    pub(crate) reverse: Vec<Option<Reverse<P::Edge>>>,
    /// Sum gathered at each vertex of the interval.
    pub(crate) sums: Vec<Option<P::Sum>>,
    /// `true` per vertex with updates, if all edge values are gathered.
    pub(crate) touched: Vec<bool>,
    /// Change that each vertex propagates.
    pub(crate) changes: Vec<P::Change>,
    pub(crate) delayed: Delayed<P::Change>,
    /// Values of the interval, if they are on disk.
    pub(crate) vertex_values: Vec<P::Value>,
}

impl<P: GasProgram> Default for Workspace<P> {
    fn default() -> Self {
        Self {
            blocks: Vec::new(),
            scratch: Scratch::default(),
            held: Vec::new(),
            values: Vec::new(),
            numbers: Vec::new(),
            bytes: Vec::new(),
            opposite: Opposite::default(),
            reverse: Vec::new(),
            sums: Vec::new(),
            touched: Vec::new(),
            changes: Vec::new(),
            delayed: Delayed::new(),
            vertex_values: Vec::new(),
        }
    }
}

/// Reverse edges of a block's edges, with their values: found while iterating over the block in order.
pub(crate) struct Opposite<E> {
    pub(crate) arcs: ArcBlock,
    pub(crate) values: Vec<E>,
    /// Position of the next reverse edge, per target vertex of the interval.
    next: Vec<usize>,
    first: VertexId,
}

impl<E> Default for Opposite<E> {
    fn default() -> Self {
        Self { arcs: ArcBlock::default(), values: Vec::new(), next: Vec::new(), first: 0 }
    }
}

impl<E: Copy> Opposite<E> {
    /// Starts with the edges back from `range`.
    pub(crate) fn begin(&mut self, range: VertexRange) {
        self.first = range.start;
        self.next.clear();
        let mut position = 0;
        for vertex in range.start..range.end {
            position += self.arcs.sources[position..].partition_point(|source| *source < vertex);
            self.next.push(position);
        }
    }

    /// Returns the content of the edge from `target` to `source`. Sources must ascend from call to call.
    #[inline]
    pub(crate) fn of(&mut self, source: VertexId, target: VertexId, waiting: bool) -> Option<Reverse<E>> {
        let next = self.next.get_mut((target - self.first) as usize)?;
        while self.arcs.sources.get(*next) == Some(&target) {
            let found = self.arcs.targets[*next];
            if found >= source {
                let value = (found == source).then(|| self.values.get(*next).copied()).flatten()?;
                return Some(Reverse { value, waiting });
            }
            *next += 1;
        }
        None
    }
}

/// Returns the arc at `position` of a block as an edge of its source.
#[inline]
pub(crate) fn out_edge<E>(arcs: &ArcBlock, position: usize, previous: E, reverse: Option<Reverse<E>>) -> OutEdge<E> {
    let weight = arcs.weights.get(position).copied().unwrap_or(1.0);
    OutEdge { target: arcs.targets[position], weight, previous, reverse }
}
