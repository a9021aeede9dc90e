//! Arcs grouped by the interval of their target and, within a group, by their source: the shards of GraphChi (Kyrola,
//! Blelloch, Guestrin, OSDI 2012), which are also the initial state of dynamic shards (Vora, Xu, Gupta, USENIX ATC
//! 2016).

use super::AccessStatistics;
use outcrop_types::{Result, VertexId, WeightType};

/// Block: the arcs from one interval to another. Shard `to` consists of the blocks of all `from`, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlockId {
    /// Interval of the sources.
    pub from: u32,
    /// Interval of the targets.
    pub to: u32,
}

/// Arcs of a block in ascending order of source, then target, with the multiplicity of the graph.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ArcBlock {
    /// Source of each arc.
    pub sources: Vec<VertexId>,
    /// Target of each arc.
    pub targets: Vec<VertexId>,
    /// Weight of each arc; empty if the graph has no weights.
    pub weights: Vec<f64>,
}

impl ArcBlock {
    /// Returns the number of arcs.
    pub const fn len(&self) -> usize {
        self.sources.len()
    }

    /// Returns true if there are no arcs.
    pub const fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }

    /// Removes all arcs and keeps the memory.
    pub fn clear(&mut self) {
        self.sources.clear();
        self.targets.clear();
        self.weights.clear();
    }
}

/// Graph in shards. Several threads may read blocks concurrently.
pub trait Shards: Sync {
    /// Returns the start of each interval, followed by the number of vertices. The values ascend from 0; interval `i`
    /// consists of the vertices `bounds[i]..bounds[i + 1]`.
    fn bounds(&self) -> &[VertexId];

    /// Returns the type of the arc weights on disk, if there are any.
    fn weights(&self) -> Option<WeightType>;

    /// Returns the number of arcs in a block.
    fn arcs(&self, block: BlockId) -> u64;

    /// Returns the number of bytes of a block on disk.
    fn bytes(&self, block: BlockId) -> u64;

    /// Reads blocks with concurrent requests and calls `take` with the position of each in `blocks` and its arcs, in
    /// the order of `blocks`. Blocks without arcs are passed without reading.
    ///
    /// # Errors
    ///
    /// Returns an error if a read fails or the data is damaged, or the error of `take`.
    fn read(&self, blocks: &[BlockId], take: &mut dyn FnMut(usize, &ArcBlock) -> Result<()>) -> Result<()>;

    /// Returns the memory per thread for reading as many blocks at once as there are intervals, in bytes.
    fn reading_bytes(&self) -> u64;

    /// Returns the read counters.
    fn statistics(&self) -> &AccessStatistics;
}
