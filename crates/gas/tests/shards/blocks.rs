//! Contents of shards, found and expected.

use crate::lists::Edge;
use outcrop_engine::Directions;
use outcrop_store::access::{ArcBlock, BlockId, Shards};
use outcrop_types::VertexId;
use std::collections::BTreeMap;

/// Weights, ascending, of all arcs from one vertex to another.
pub type Arcs = BTreeMap<(VertexId, VertexId), Vec<f64>>;

/// The arcs that programs are to see of `edges`.
pub fn arcs_of(edges: &[Edge], along: Directions) -> Arcs {
    let mut arcs = Arcs::new();
    for (source, target, weight) in edges {
        arcs.entry((*source, *target)).or_default().push(*weight);
        if along == Directions::Both {
            arcs.entry((*target, *source)).or_default().push(*weight);
        }
    }
    arcs.values_mut().for_each(|weights| weights.sort_by(f64::total_cmp));
    if along == Directions::Both {
        arcs.retain(|(source, target), _| source != target);
        arcs.values_mut().for_each(|weights| weights.truncate(1));
    }
    arcs
}

/// All blocks, shard by shard.
pub fn all_blocks(shards: &impl Shards) -> Vec<BlockId> {
    let intervals = shards.bounds().len() as u32 - 1;
    (0..intervals).flat_map(|to| (0..intervals).map(move |from| BlockId { from, to })).collect()
}

/// Arcs of the blocks, checked to lie where they belong.
pub fn read_all(shards: &impl Shards, blocks: &[BlockId]) -> Arcs {
    let (mut arcs, mut next) = (Arcs::new(), 0);
    let mut take = |position: usize, block: &ArcBlock| {
        let id = blocks[position];
        assert_eq!((position, block.len() as u64), (next, shards.arcs(id)));
        next += 1;
        assert_eq!(block.is_empty(), shards.bytes(id) == 0);
        assert_eq!(block.weights.len(), if shards.weights().is_some() { block.len() } else { 0 });
        let inside = |interval: u32, vertex| {
            let place = interval as usize;
            (shards.bounds()[place]..shards.bounds()[place + 1]).contains(vertex)
        };
        assert!(block.sources.iter().all(|source| inside(id.from, source)));
        assert!(block.targets.iter().all(|target| inside(id.to, target)));
        assert!(block.sources.iter().zip(&block.targets).is_sorted());
        for (place, ends) in block.sources.iter().copied().zip(block.targets.iter().copied()).enumerate() {
            arcs.entry(ends).or_default().push(block.weights.get(place).copied().unwrap_or(1.0));
        }
        Ok(())
    };
    shards.read(blocks, &mut take).unwrap();
    assert_eq!(next, blocks.len());
    arcs.values_mut().for_each(|weights| weights.sort_by(f64::total_cmp));
    arcs
}
