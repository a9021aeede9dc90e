//! Shards in memory, that count what is read and fail when they are told to.

use crate::graphs::Arcs;
use outcrop_store::access::{AccessStatistics, ArcBlock, BlockId, Shards};
use outcrop_types::{Cancellation, Error, Result, VertexId, WeightType};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Bytes that an arc is said to take on disk.
pub const ARC_BYTES: u64 = 3;

pub struct MemoryShards {
    bounds: Vec<VertexId>,
    blocks: Vec<ArcBlock>,
    weighted: bool,
    statistics: AccessStatistics,
    /// Calls of `read`.
    pub calls: AtomicU64,
    /// Arcs that were handed over.
    pub arcs_read: AtomicU64,
    /// Call that fails, of those that come: 0 is the next.
    pub fails_at: AtomicU64,
    /// Is set by the call at which it fails, instead of failing.
    pub cancels: Option<Cancellation>,
}

impl MemoryShards {
    pub fn new(graph: &Arcs, bounds: Vec<VertexId>, weighted: bool) -> Self {
        let intervals = bounds.len() - 1;
        let interval_of = |vertex: VertexId| bounds[1..].partition_point(|end| *end <= vertex);
        let mut blocks = vec![ArcBlock::default(); intervals * intervals];
        for (source, target, weight) in &graph.arcs {
            let block = &mut blocks[interval_of(*target) * intervals + interval_of(*source)];
            block.sources.push(*source);
            block.targets.push(*target);
            block.weights.extend(weighted.then_some(*weight));
        }
        Self {
            bounds,
            blocks,
            weighted,
            statistics: AccessStatistics::default(),
            calls: AtomicU64::new(0),
            arcs_read: AtomicU64::new(0),
            fails_at: AtomicU64::new(u64::MAX),
            cancels: None,
        }
    }

    fn block(&self, block: BlockId) -> &ArcBlock {
        &self.blocks[block.to as usize * (self.bounds.len() - 1) + block.from as usize]
    }

    fn count_call(&self) -> Result<()> {
        self.calls.fetch_add(1, Relaxed);
        match (self.fails_at.fetch_sub(1, Relaxed), &self.cancels) {
            (0, Some(cancellation)) => {
                cancellation.cancel();
                Ok(())
            }
            (0, None) => Err(Error::io("read", "shards", std::io::Error::other("a read that fails"))),
            _ => Ok(()),
        }
    }
}

impl Shards for MemoryShards {
    fn bounds(&self) -> &[VertexId] {
        &self.bounds
    }

    fn weights(&self) -> Option<WeightType> {
        self.weighted.then_some(WeightType::F64)
    }

    fn arcs(&self, block: BlockId) -> u64 {
        self.block(block).len() as u64
    }

    fn bytes(&self, block: BlockId) -> u64 {
        self.arcs(block) * ARC_BYTES
    }

    fn read(&self, blocks: &[BlockId], take: &mut dyn FnMut(usize, &ArcBlock) -> Result<()>) -> Result<()> {
        self.count_call()?;
        for (position, id) in blocks.iter().enumerate() {
            let block = self.block(*id);
            if !block.is_empty() {
                self.arcs_read.fetch_add(block.len() as u64, Relaxed);
                self.statistics.count_request(self.bytes(*id));
            }
            take(position, block)?;
        }
        Ok(())
    }

    fn reading_bytes(&self) -> u64 {
        4096
    }

    fn statistics(&self) -> &AccessStatistics {
        &self.statistics
    }
}
