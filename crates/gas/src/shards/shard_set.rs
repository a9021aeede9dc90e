//! Shard sets: the shards of the whole graph, or dynamic shards.

use super::block_store::{BlockStore, CELL_BYTES, Cells, empty_cells, lock};
use super::edge_values::EdgeValues;
use outcrop_engine::State;
use outcrop_store::access::{ArcBlock, BlockId, Shards};
use outcrop_store::layout::sliding::{BlockShape, decode_block, encode_block};
use outcrop_types::{BitSet, Error, Result, VertexId, VertexRange};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Location of the arcs.
enum Structure<'g> {
    /// Shards of the whole graph.
    Whole(&'g dyn Shards),
    /// Dynamic shards.
    Dynamic { store: BlockStore<'g>, cells: Cells, arcs: Vec<AtomicU64> },
}

/// Shards, and their edge values.
pub(crate) struct ShardSet<'g> {
    shards: &'g dyn Shards,
    structure: Structure<'g>,
    pub(crate) values: EdgeValues<'g>,
    /// Vertices whose out-edges are all in this set; `None` for all vertices.
    pub(crate) sources: Option<BitSet>,
}

/// Memory per block for the tables of shards, in bytes: for the graph's shards, and for dynamic ones.
pub(crate) const TABLE_BYTES: [u64; 2] = [EdgeValues::BLOCK_BYTES, EdgeValues::BLOCK_BYTES + CELL_BYTES + 8];

impl<'g> ShardSet<'g> {
    /// Creates the shards of the graph, without edge values.
    pub(crate) fn whole(shards: &'g dyn Shards, values: BlockStore<'g>) -> Self {
        let values = EdgeValues::new(intervals_of(shards), values);
        Self { shards, structure: Structure::Whole(shards), values, sources: None }
    }

    /// Creates empty dynamic shards with the same intervals, for all out-edges of `sources`.
    pub(crate) fn dynamic(shards: &'g dyn Shards, stores: (BlockStore<'g>, BlockStore<'g>), sources: BitSet) -> Self {
        let values = EdgeValues::new(intervals_of(shards), stores.1);
        let arcs = (0..values.blocks()).map(|_| AtomicU64::new(0)).collect();
        let structure = Structure::Dynamic { store: stores.0, cells: empty_cells(values.blocks()), arcs };
        Self { shards, structure, values, sources: Some(sources) }
    }

    /// Returns true if all out-edges of `vertex` are in this set.
    #[inline]
    pub(crate) fn has_all_of(&self, vertex: VertexId) -> bool {
        self.sources.as_ref().is_none_or(|sources| sources.contains(vertex))
    }

    /// Returns the number of arcs of a block.
    pub(crate) fn arcs(&self, block: BlockId) -> u64 {
        match &self.structure {
            Structure::Whole(shards) => shards.arcs(block),
            Structure::Dynamic { arcs, .. } => arcs[self.values.slot(block)].load(Relaxed),
        }
    }

    /// Returns the number of arcs of all blocks.
    pub(crate) fn all_arcs(&self) -> u64 {
        match &self.structure {
            Structure::Whole(shards) => all_arcs(*shards),
            Structure::Dynamic { arcs, .. } => arcs.iter().map(|arcs| arcs.load(Relaxed)).sum(),
        }
    }

    /// Reads the arcs of blocks ([`Shards::read`]).
    pub(crate) fn read(
        &self,
        blocks: &[BlockId],
        scratch: &mut Scratch,
        take: &mut dyn FnMut(usize, &ArcBlock) -> Result<()>,
    ) -> Result<()> {
        let (store, cells) = match &self.structure {
            Structure::Whole(shards) => return shards.read(blocks, take),
            Structure::Dynamic { store, cells, .. } => (store, cells),
        };
        blocks.iter().for_each(|block| store.prefetch(&lock(&cells[self.values.slot(*block)])));
        for (position, block) in blocks.iter().enumerate() {
            store.get(&lock(&cells[self.values.slot(*block)]), &mut scratch.bytes)?;
            let damaged = |_| Error::internal("a dynamic shard differs from what was written");
            decode_block(&scratch.bytes, self.shape(*block), &mut scratch.arcs).map_err(damaged)?;
            take(position, &scratch.arcs)?;
        }
        Ok(())
    }

    /// Fills a block of dynamic shards with the arcs in `scratch`, once. `relative` is a buffer.
    pub(crate) fn fill(&self, block: BlockId, scratch: &mut Scratch, relative: &mut Vec<u32>) -> Result<()> {
        let Structure::Dynamic { store, cells, arcs: counts } = &self.structure else { return Ok(()) };
        let (shape, Scratch { bytes, arcs }) = (self.shape(block), scratch);
        bytes.clear();
        encode_block(arcs, (shape.sources.start, shape.targets.start), shape.weights, relative, bytes);
        let slot = self.values.slot(block);
        counts[slot].store(arcs.len() as u64, Relaxed);
        store.put(&mut lock(&cells[slot]), bytes)
    }

    /// Frees the memory of a block, which is no longer needed.
    pub(crate) fn release(&self, block: BlockId) {
        if let Structure::Dynamic { store, cells, .. } = &self.structure {
            store.release(&mut lock(&cells[self.values.slot(block)]));
        }
        self.values.release(block);
    }

    /// Serializes dynamic shards and edge values.
    pub(crate) fn visit(&mut self, bytes: &mut Vec<u8>, state: &mut State<'_>) -> Result<()> {
        if let Structure::Dynamic { store, cells, arcs } = &self.structure {
            state.shared(arcs)?;
            cells.iter().try_for_each(|cell| store.visit(&mut lock(cell), bytes, state))?;
        }
        self.sources.iter_mut().try_for_each(|sources| state.members(sources))?;
        self.values.visit(bytes, state)
    }

    fn shape(&self, block: BlockId) -> BlockShape {
        let bounds = self.shards.bounds();
        let range = |interval: u32| VertexRange::new(bounds[interval as usize], bounds[interval as usize + 1]);
        let arcs = self.arcs(block) as u32;
        BlockShape { sources: range(block.from), targets: range(block.to), arcs, weights: self.shards.weights() }
    }
}

/// Returns the number of intervals.
pub(crate) fn intervals_of(shards: &dyn Shards) -> usize {
    shards.bounds().len().saturating_sub(1)
}

/// Returns the number of arcs of all blocks.
pub(crate) fn all_arcs(shards: &dyn Shards) -> u64 {
    blocks(intervals_of(shards)).map(|block| shards.arcs(block)).sum()
}

/// Iterates over all blocks between `intervals` intervals.
pub(crate) fn blocks(intervals: usize) -> impl Iterator<Item = BlockId> {
    let intervals = intervals as u32;
    (0..intervals).flat_map(move |to| (0..intervals).map(move |from| BlockId { from, to }))
}

/// Reusable buffers for decoding or encoding the arcs of dynamic shards.
#[derive(Default)]
pub(crate) struct Scratch {
    bytes: Vec<u8>,
    pub(crate) arcs: ArcBlock,
}
