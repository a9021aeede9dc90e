//! Promises of the `sliding` layout alone: blocks for engines, lists of both directions from one file, little memory to
//! write them, bytes.

use crate::cases::collect::{Reading, sweep_all, work};
use crate::cases::graph::{Case, Ids};
use crate::cases::layouts::sliding;
use crate::cases::lists::Lists;
use crate::cases::model::List;
use crate::reading::adjacency::{Built, assert_any_cache, built, small_hubs};
use outcrop_io::{Device, Fault, FaultyDevice, IoChoice, PlannedFault};
use outcrop_store::access::{ArcBlock, BlockId, Shards};
use outcrop_store::layout::Layout;
use outcrop_store::layout::sliding::{SlidingSettings, StoredShards};
use outcrop_store::{Dedup, Store};
use outcrop_types::{Cancellation, Direction, Error, MemoryBudget, Result, VertexId};
use std::sync::Arc;

fn open(store: &Store, budget: &MemoryBudget) -> StoredShards {
    StoredShards::open(store, IoChoice::Auto, 1, budget, &Cancellation::new()).unwrap()
}

fn all_blocks(shards: &StoredShards) -> Vec<BlockId> {
    let intervals = shards.bounds().len() as u32 - 1;
    (0..intervals).flat_map(|to| (0..intervals).map(move |from| BlockId { from, to })).collect()
}

/// The arcs of the blocks as lists by source.
fn lists_of(shards: &StoredShards, blocks: &[BlockId]) -> Result<Vec<List>> {
    let mut lists = vec![List::new(); *shards.bounds().last().unwrap() as usize];
    let inside = |interval: u32, vertex: VertexId| {
        (shards.bounds()[interval as usize]..shards.bounds()[interval as usize + 1]).contains(&vertex)
    };
    shards.read(blocks, &mut |place, block: &ArcBlock| {
        assert_eq!(block.len() as u64, shards.arcs(blocks[place]));
        for (place_of_arc, (source, target)) in block.sources.iter().zip(&block.targets).enumerate() {
            assert!(inside(blocks[place].from, *source) && inside(blocks[place].to, *target));
            let weight = block.weights.get(place_of_arc).copied().unwrap_or(1.0);
            lists[*source as usize].push((*target, weight));
        }
        Ok(())
    })?;
    Ok(lists)
}

fn shards_of(weighted: bool, intervals: u32) -> Built {
    built(&small_hubs(weighted).laid_out(&sliding(intervals)))
}

#[test]
fn blocks_hold_the_arcs_of_the_store() {
    for (weighted, undirected) in [(true, false), (false, false), (true, true)] {
        let case = Case { undirected, ..small_hubs(weighted) };
        let built = built(&case.laid_out(&sliding(6)));
        let budget = MemoryBudget::new(1 << 30);
        let shards = open(&built.store, &budget);
        assert_eq!(shards.weights().is_some(), weighted);
        let blocks = all_blocks(&shards);
        assert!(lists_of(&shards, &blocks).unwrap() == built.model.out);
        assert!(
            budget.peak() <= StoredShards::bytes(built.store.manifest().lists.sliding.as_ref().unwrap()) + (1 << 20)
        );
        // Row by row instead of shard by shard.
        let mut rows = blocks.clone();
        rows.sort_by_key(|block| (block.from, block.to));
        assert!(lists_of(&shards, &rows).unwrap() == built.model.out);
        let figures = shards.statistics().figures();
        assert!(figures.bytes_read >= 2 * shards.total_bytes() && figures.cache_hits == 0);
    }
}

#[test]
fn any_cache_and_any_number_of_threads_give_every_list() {
    for (weighted, intervals) in [(true, 1), (false, 9)] {
        assert_any_cache(&shards_of(weighted, intervals));
    }
}

#[test]
fn flipped_bits_are_noticed_or_do_no_harm() {
    let built = shards_of(true, 4);
    let (budget, cancellation) = (MemoryBudget::new(1 << 30), Cancellation::new());
    let mut noticed = 0;
    for flip in 0..200_u64 {
        let fault = Fault::FlipBit(flip.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let wrap = |device: Arc<dyn Device>| -> Arc<dyn Device> {
            Arc::new(FaultyDevice::new(device, [PlannedFault { request: flip % 3, fault }]))
        };
        let given = (&budget, &cancellation);
        let shards = StoredShards::open_through(&built.store, IoChoice::Buffered, 1, given, wrap).unwrap();
        match lists_of(&shards, &all_blocks(&shards)) {
            Ok(lists) => assert!(lists == built.model.out),
            Err(Error::Corrupt { .. }) => noticed += 1,
            Err(error) => panic!("{error}"),
        }
    }
    assert!(noticed > 150, "{noticed}");
}

#[test]
fn a_store_is_written_in_little_memory() {
    let case = Case::random(Ids::Dense, 1000, 60_000);
    // Most arcs go to one vertex, whose shard does not fit, but from everywhere.
    let hub = (0..400_000).map(|i| (i * 7 % 1000, 500, 1.0));
    let edges = case.edges.iter().copied().chain(hub).collect();
    let case = Case { edges, weighted: true, memory: 6 << 20, ..case }.laid_out(&sliding(40));
    let built = built(&case);
    assert!(built.store.manifest().lists.sliding.as_ref().unwrap().most_in_arcs > 400_000);
    let lists = Reading::PLAIN.open(&built.store, Direction::In).unwrap();
    assert!(sweep_all(&lists).unwrap() == built.model.reverse);
}

#[test]
fn more_intervals_take_less_memory_to_read() {
    let memory = |intervals| {
        let built = shards_of(true, intervals);
        let workers = Reading::PLAIN.workers();
        Lists::memory(&built.store, Direction::Out, &workers, Reading::PLAIN.index).total()
    };
    assert!(memory(1) > memory(4) && memory(4) > memory(16));
}

#[test]
fn as_many_intervals_as_asked_for_and_no_empty_ones() {
    for (asked, vertices) in [(Some(1024), 5000), (Some(3), 2), (None, 100), (Some(1), 0)] {
        let layout = Layout::Sliding(SlidingSettings { intervals: asked });
        let ring: Vec<_> = (0..vertices).map(|v| (v, (v + 1) % vertices, 1.0)).collect();
        let built = built(&Case { dedup: Dedup::Keep, ..Case::new(Ids::Dense, ring) }.laid_out(&layout));
        let entry = built.store.manifest().lists.sliding.clone().unwrap();
        let most = u64::from(asked.unwrap_or(1)).min(vertices.max(1));
        assert_eq!(u64::from(entry.intervals), most);
        let shards = open(&built.store, &MemoryBudget::new(1 << 30));
        assert!(vertices == 0 || shards.bounds().is_sorted_by(|one, next| one < next));
    }
}

#[test]
fn a_static_cache_is_refused() {
    let built = shards_of(false, 3);
    let (budget, workers) = (MemoryBudget::new(1 << 30), Reading::PLAIN.workers());
    let outcome = crate::reading::statics::write_selection(
        &built.store,
        Direction::Out,
        &[1, 2, 3],
        &crate::reading::statics::note(),
        u64::MAX,
        work(IoChoice::Auto, &budget, &workers),
    );
    assert!(matches!(outcome, Err(Error::Usage(message)) if message.contains("sliding")));
}

#[test]
fn blocks_stay_in_memory_as_long_as_there_is_room() {
    let built = shards_of(true, 8);
    let all = crate::cases::lists::cache_bytes_for_all(&built.store, Direction::In);
    for (cache_bytes, misses) in [(0, 64), (all / 2, 40), (all, 0)] {
        let lists = Reading { cache_bytes, ..Reading::PLAIN }.open(&built.store, Direction::In).unwrap();
        for _ in 0..2 {
            assert!(sweep_all(&lists).unwrap() == built.model.reverse);
        }
        let first = crate::reading::adjacency::during(&lists, |lists| sweep_all(lists).map(|_| ()));
        assert!(first.cache_misses <= misses && first.cache_hits + first.cache_misses == 64, "{first:?}");
    }
}

/// The file of a small graph, by hand from `docs/format/sliding.md`.
#[test]
fn bytes_are_as_documented() {
    let edges = vec![(0, 1, 0.5), (0, 3, 1.5), (2, 3, 2.5), (3, 0, 3.5), (3, 0, 4.5)];
    let case = Case { weighted: true, num_vertices: Some(4), ..Case::new(Ids::Dense, edges) };
    let built = built(&case.laid_out(&sliding(2)));
    let bounds = open(&built.store, &MemoryBudget::new(1 << 30)).bounds().to_vec();
    let table = std::fs::read(built.store.folder().join("shards.table")).unwrap();
    let blocks = std::fs::read(built.store.folder().join("shards.blocks")).unwrap();
    assert_eq!((table.len(), blocks.len()), (4096, 4096));
    let number = |bytes: &[u8], place: usize| u32::from_le_bytes(*bytes[place..].first_chunk().unwrap());
    assert_eq!([0, 1, 2].map(|place| number(&table, 8 + 4 * place)), *bounds);
    let mut begin = 0;
    let mut found = Vec::new();
    for block_number in 0..4 {
        let (arcs, bytes) = (number(&table, 20 + 8 * block_number), number(&table, 24 + 8 * block_number) as usize);
        let (from, to) = (bounds[block_number % 2], bounds[block_number / 2]);
        let block = &blocks[begin..begin + bytes];
        begin += bytes;
        if arcs == 0 {
            assert_eq!(bytes, 0);
            continue;
        }
        let end = 12 + number(block, 8) as usize;
        let weights = bytes - 4 * arcs as usize;
        let (width, packed) = (block[end], &block[end + 1..weights]);
        assert_eq!(packed.len(), (usize::from(width) * arcs as usize).div_ceil(8));
        // Of so few arcs all targets are in one byte, and so is the first source; the others are differences in bytes
        // of their own.
        for arc in 0..arcs as usize {
            let target =
                u64::from(packed.first().copied().unwrap_or(0)) >> (arc * usize::from(width)) & ((1 << width) - 1);
            let weight = f64::from(f32::from_le_bytes(*block[weights + 4 * arc..].first_chunk().unwrap()));
            found.push((to + target as u32, weight));
        }
        let inside = |bound: usize, vertex: u64| (bounds[bound]..bounds[bound + 1]).contains(&(vertex as u32));
        let first = case.edges.iter().find(|edge| inside(block_number % 2, edge.0) && inside(block_number / 2, edge.1));
        assert_eq!(u64::from(block[12]) + u64::from(from), first.unwrap().0);
    }
    found.sort_by(|one, other| one.1.total_cmp(&other.1));
    assert_eq!(found, case.edges.iter().map(|edge| (edge.1 as u32, edge.2)).collect::<Vec<_>>());
    assert!(blocks[begin..].iter().all(|byte| *byte == 0));
}
