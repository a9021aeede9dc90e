//! Arcs grouped by the interval of their target, in each group by their source: the shards of GraphChi (Kyrola,
//! Blelloch, Guestrin, OSDI 2012), which dynamic shards (Vora, Xu, Gupta, USENIX ATC 2016) begin with.

use super::AccessStatistics;
use outcrop_types::{Result, VertexId, WeightType};

/// The arcs from one interval to another: a block. Shard `to` is the blocks of all `from`, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlockId {
    /// The interval of the sources.
    pub from: u32,
    /// The interval of the targets.
    pub to: u32,
}

/// The arcs of a block, ascending by source, then by target; each as often as the graph has it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ArcBlock {
    /// Source of each arc.
    pub sources: Vec<VertexId>,
    /// Target of each arc.
    pub targets: Vec<VertexId>,
    /// The weight of each; empty where there are none.
    pub weights: Vec<f64>,
}

impl ArcBlock {
    /// Number of arcs.
    pub const fn len(&self) -> usize {
        self.sources.len()
    }

    /// True if there is no arc.
    pub const fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }

    /// Forgets all arcs, and keeps the room.
    pub fn clear(&mut self) {
        self.sources.clear();
        self.targets.clear();
        self.weights.clear();
    }
}

/// A graph in shards. Blocks are read by several threads at once.
pub trait Shards: Sync {
    /// Start of each interval, and at last the number of vertices: ascending, from 0 on; interval `i` has the vertices
    /// from `bounds[i]` up to but not with `bounds[i + 1]`.
    fn bounds(&self) -> &[VertexId];

    /// The type of the weights of arcs on disk, if they have any.
    fn weights(&self) -> Option<WeightType>;

    /// Number of arcs in a block.
    fn arcs(&self, block: BlockId) -> u64;

    /// Bytes of a block on disk.
    fn bytes(&self, block: BlockId) -> u64;

    /// Reads blocks, several requests at once, and calls `take` with the position of each in `blocks` and its arcs, in
    /// the order of `blocks`. Blocks without arcs are not read, and handed over empty.
    ///
    /// # Errors
    /// A failed or damaged read; what `take` returns.
    fn read(&self, blocks: &[BlockId], take: &mut dyn FnMut(usize, &ArcBlock) -> Result<()>) -> Result<()>;

    /// Memory that a thread takes while it reads as many blocks at once as there are intervals, in bytes.
    fn reading_bytes(&self) -> u64;

    /// Counts of reads so far.
    fn statistics(&self) -> &AccessStatistics;
}
