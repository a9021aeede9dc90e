//! Shards: those of the whole graph, or dynamic ones.

use super::block_store::{BlockStore, CELL_BYTES, Cells, empty_cells, lock};
use super::edge_values::EdgeValues;
use outcrop_store::access::{ArcBlock, BlockId, Shards};
use outcrop_types::{BitSet, Error, Result, VertexId};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Where the arcs are.
enum Structure<'g> {
    /// In the shards of the graph.
    Whole(&'g dyn Shards),
    /// In dynamic shards.
    Dynamic { store: BlockStore<'g>, cells: Cells, arcs: Vec<AtomicU64> },
}

/// Shards, and what their edges hold.
pub(super) struct ShardSet<'g> {
    shards: &'g dyn Shards,
    structure: Structure<'g>,
    pub(super) values: EdgeValues<'g>,
    /// The vertices all of whose out-edges are in here; `None` for all.
    pub(super) sources: Option<BitSet>,
}

/// Memory that the tables of shards take for each block, in bytes: of those of the graph, and of dynamic ones.
pub(super) const TABLE_BYTES: [u64; 2] = [EdgeValues::BLOCK_BYTES, EdgeValues::BLOCK_BYTES + CELL_BYTES + 8];

impl<'g> ShardSet<'g> {
    /// The shards of the graph; nothing on their edges.
    pub(super) fn whole(shards: &'g dyn Shards, values: BlockStore<'g>) -> Self {
        let values = EdgeValues::new(intervals_of(shards), values);
        Self { shards, structure: Structure::Whole(shards), values, sources: None }
    }

    /// Dynamic shards in the same intervals, without arcs at first, that are to have all out-edges of `sources`.
    pub(super) fn dynamic(shards: &'g dyn Shards, stores: (BlockStore<'g>, BlockStore<'g>), sources: BitSet) -> Self {
        let values = EdgeValues::new(intervals_of(shards), stores.1);
        let arcs = (0..values.blocks()).map(|_| AtomicU64::new(0)).collect();
        let structure = Structure::Dynamic { store: stores.0, cells: empty_cells(values.blocks()), arcs };
        Self { shards, structure, values, sources: Some(sources) }
    }

    /// Whether all out-edges of `vertex` are in here.
    #[inline]
    pub(super) fn has_all_of(&self, vertex: VertexId) -> bool {
        self.sources.as_ref().is_none_or(|sources| sources.contains(vertex))
    }

    /// Arcs of a block.
    pub(super) fn arcs(&self, block: BlockId) -> u64 {
        match &self.structure {
            Structure::Whole(shards) => shards.arcs(block),
            Structure::Dynamic { arcs, .. } => arcs[self.values.slot(block)].load(Relaxed),
        }
    }

    /// All arcs.
    pub(super) fn all_arcs(&self) -> u64 {
        match &self.structure {
            Structure::Whole(shards) => all_arcs(*shards),
            Structure::Dynamic { arcs, .. } => arcs.iter().map(|arcs| arcs.load(Relaxed)).sum(),
        }
    }

    /// Reads the arcs of blocks ([`Shards::read`]).
    pub(super) fn read(
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
            store.get(&lock(&cells[self.values.slot(*block)]), &mut scratch.numbers)?;
            scratch.unpack(self.shards.weighted())?;
            take(position, &scratch.arcs)?;
        }
        Ok(())
    }

    /// Fills a block of dynamic shards, once.
    pub(super) fn fill(&self, block: BlockId, arcs: &ArcBlock, numbers: &mut Vec<u32>) -> Result<()> {
        let Structure::Dynamic { store, cells, arcs: counts } = &self.structure else { return Ok(()) };
        numbers.clear();
        numbers.extend_from_slice(&arcs.sources);
        numbers.extend_from_slice(&arcs.targets);
        numbers.extend(arcs.weights.iter().map(|weight| weight.to_bits()));
        let slot = self.values.slot(block);
        counts[slot].store(arcs.len() as u64, Relaxed);
        store.put(&mut lock(&cells[slot]), bytemuck::cast_slice(numbers))
    }
}

/// How many intervals there are.
pub(super) fn intervals_of(shards: &dyn Shards) -> usize {
    shards.bounds().len().saturating_sub(1)
}

/// The arcs of all blocks.
pub(super) fn all_arcs(shards: &dyn Shards) -> u64 {
    blocks(intervals_of(shards)).map(|block| shards.arcs(block)).sum()
}

/// All blocks between so many intervals.
pub(super) fn blocks(intervals: usize) -> impl Iterator<Item = BlockId> {
    let intervals = intervals as u32;
    (0..intervals).flat_map(move |to| (0..intervals).map(move |from| BlockId { from, to }))
}

/// Room to unpack the arcs of dynamic shards in; kept from one block to the next.
#[derive(Default)]
pub(super) struct Scratch {
    pub(super) numbers: Vec<u32>,
    arcs: ArcBlock,
}

impl Scratch {
    fn unpack(&mut self, weighted: bool) -> Result<()> {
        let columns = if weighted { 3 } else { 2 };
        let count = self.numbers.len() / columns;
        if count * columns != self.numbers.len() {
            return Err(Error::Usage("a dynamic shard has another size than it was given".to_owned()));
        }
        let (sources, rest) = self.numbers.split_at(count);
        let (targets, weights) = rest.split_at(count);
        self.arcs.clear();
        self.arcs.sources.extend_from_slice(sources);
        self.arcs.targets.extend_from_slice(targets);
        self.arcs.weights.extend(weights.iter().map(|bits| f32::from_bits(*bits)));
        Ok(())
    }
}
