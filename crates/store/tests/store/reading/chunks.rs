//! Promises of the chunked layout alone: what it reads, what that costs, and the memory that it takes.

use crate::cases::collect::{Collect, Reading, sweep_all};
use crate::cases::graph::{Case, Ids};
use crate::cases::layouts::{TINY, chunks, some};
use crate::cases::lists::Lists;
use crate::reading::adjacency::{Built, assert_select, built, draw, during, small_hubs, some_set};
use outcrop_io::MergePolicy;
use outcrop_store::access::Adjacency;
use outcrop_store::layout::chunked::{ChunkSettings, IndexKind};
use outcrop_store::layout::{Layout, LayoutKind};
use outcrop_store::{ChunkedEntry, Codec};
use outcrop_types::{Direction, MemoryBudget, VertexSet};

fn chunked_layouts() -> impl Iterator<Item = Layout> {
    some().into_iter().filter(|layout| layout.kind() == LayoutKind::Chunked)
}

fn entry(built: &Built) -> &ChunkedEntry {
    built.store.manifest().chunked(Direction::Out).unwrap()
}

fn file_bytes(built: &Built) -> u64 {
    built.store.manifest().file("out.chunks").unwrap().bytes
}

#[test]
fn the_figures_of_the_manifest_add_up() {
    for (layout, weighted) in chunked_layouts().flat_map(|layout| [(layout.clone(), false), (layout, true)]) {
        let built = built(&small_hubs(weighted).laid_out(&layout));
        for direction in [Direction::Out, Direction::In] {
            let entry = built.store.manifest().chunked(direction).unwrap();
            let lists = built.model.lists(direction);
            let mini = |list: &Vec<_>| list.len() <= entry.settings.mini_degree as usize;
            let minis: usize = lists.iter().filter(|list| mini(list)).map(Vec::len).sum();
            let located = lists.iter().filter(|list| !mini(list)).count();
            assert_eq!((entry.mini_entries, u64::from(entry.located)), (minis as u64, located as u64));
            assert_eq!(entry.levels.iter().map(|level| level.lists).sum::<u64>(), located as u64, "{layout:?}");
            let arcs: usize = lists.iter().filter(|list| !mini(list)).map(Vec::len).sum();
            assert_eq!(entry.levels.iter().map(|level| level.arcs).sum::<u64>(), arcs as u64, "{layout:?}");
            let bytes = |(level, figures): (usize, &outcrop_store::LevelFigures)| {
                let bytes = figures.chunks * entry.settings.chunk_bytes(level) as u64;
                assert!(figures.white_space <= bytes);
                bytes
            };
            let all: u64 = entry.levels.iter().enumerate().map(bytes).sum();
            assert_eq!(all, built.store.manifest().file(&format!("{}.chunks", direction.name())).unwrap().bytes);
        }
    }
}

#[test]
fn lists_that_fill_what_others_leave_make_fewer_chunks() {
    let with = |combine| {
        let built = built(&small_hubs(false).laid_out(&chunks(TINY, |settings| settings.combine = combine)));
        file_bytes(&built)
    };
    assert!(with(true) < with(false), "{} {}", with(true), with(false));
}

#[test]
fn no_chunk_is_read_twice_in_one_select_or_sweep() {
    for layout in chunked_layouts() {
        let built = built(&small_hubs(true).laid_out(&layout));
        let (bytes, chunks) = (file_bytes(&built), u64::from(entry(&built).chunks()));
        for threads in [1, 2, 4] {
            let reading = Reading { threads, ..Reading::PLAIN };
            let lists = reading.open(&built.store, Direction::Out).unwrap();
            for dense in [false, true] {
                let read = during(&lists, |lists| {
                    let collect = Collect::new(lists.num_vertices(), &|_| true);
                    match dense {
                        true => lists.select(&VertexSet::all(lists.num_vertices()), &collect),
                        false => sweep_all(lists).map(|_| ()),
                    }
                });
                assert_eq!((read.cache_misses, read.cache_hits), (chunks, 0), "{layout:?}");
                // Chunks of chains may lie in the gaps between others.
                assert!((bytes..=2 * bytes).contains(&read.bytes_read), "{read:?} {bytes}");
            }
            // Without gaps nothing is read for nothing.
            let merge = MergePolicy { gap_bytes: 0, longest_bytes: 1 << 30 };
            let lists = reading.open_within(&built.store, Direction::Out, merge, &MemoryBudget::new(1 << 30)).unwrap();
            assert_eq!(lists.cost_of_sweep().bytes, bytes);
            assert_eq!(during(&lists, |lists| sweep_all(lists).map(|_| ())).bytes_read, bytes);
        }
    }
}

#[test]
fn what_is_in_memory_is_not_read_again() {
    for layout in chunked_layouts() {
        let built = built(&small_hubs(false).laid_out(&layout));
        let cache_bytes = crate::cases::lists::cache_bytes_for_all(&built.store, Direction::Out);
        let reading = Reading { cache_bytes, threads: 2, ..Reading::PLAIN };
        let lists = reading.open(&built.store, Direction::Out).unwrap();
        sweep_all(&lists).unwrap();
        let cost = lists.cost_of_sweep();
        assert_eq!((cost.bytes, cost.requests, cost.resident_bytes), (0, 0, file_bytes(&built)));
        assert_eq!(cost.arcs, lists.num_arcs());
        let all = lists.cost_of(&VertexSet::all(lists.num_vertices()));
        assert_eq!((all.bytes, all.requests), (0, 0));
        let again = during(&lists, |lists| sweep_all(lists).map(|_| ()));
        assert_eq!((again.bytes_read, again.requests, again.cache_misses), (0, 0, 0));
        assert_eq!(again.cache_hits, u64::from(entry(&built).chunks()));
    }
}

/// Selects that leave some chunks in memory: what is folded from there must not be folded again from a read that covers
/// it.
#[test]
fn chunks_in_memory_between_others_are_folded_once() {
    for layout in chunked_layouts() {
        let built = built(&small_hubs(false).laid_out(&layout));
        let (expected, all) = (&built.model.out, VertexSet::all(built.model.vertices()));
        let cache_bytes = crate::cases::lists::cache_bytes_for_all(&built.store, Direction::Out);
        for threads in [1, 2] {
            let mut state = 5;
            for _ in 0..8 {
                let reading = Reading { cache_bytes, threads, ..Reading::PLAIN };
                let merge = MergePolicy { gap_bytes: 1 << 20, longest_bytes: 1 << 30 };
                let lists =
                    reading.open_within(&built.store, Direction::Out, merge, &MemoryBudget::new(1 << 30)).unwrap();
                assert_select(&lists, expected, &some_set(&mut state, all.universe()));
                assert_select(&lists, expected, &some_set(&mut state, all.universe()));
                assert_select(&lists, expected, &all);
                assert_eq!(sweep_all(&lists).unwrap(), *expected);
            }
        }
    }
}

#[test]
fn some_of_the_lists_of_a_chain_can_be_selected() {
    // Every list is longer than two chunks, and short ones fill the last of each.
    let hubs = (0..40_u64).flat_map(|hub| (0..3000 + 100 * hub).map(move |i| (5 * hub, i * 7 % 5000, 1.0)));
    let small = (0..200_u64).flat_map(|v| (0..3 + v % 9).map(move |i| (v, i * 400 + v, 2.0)));
    for (weighted, layout) in chunked_layouts().flat_map(|layout| [(false, layout.clone()), (true, layout)]) {
        let edges = hubs.clone().chain(small.clone()).collect();
        let built = built(&Case { weighted, ..Case::new(Ids::Dense, edges) }.laid_out(&layout));
        let count = built.model.vertices();
        let mut state = 11;
        for (cache_bytes, threads) in [(0, 1), (1 << 18, 2), (1 << 26, 1)] {
            let reading = Reading { cache_bytes, threads, ..Reading::PLAIN };
            let lists = reading.open(&built.store, Direction::Out).unwrap();
            for size in [1, 1, 1, 2, 3, 10, 100] {
                let members = (0..size).map(|_| draw(&mut state, 200)).collect();
                assert_select(&lists, &built.model.out, &VertexSet::from_members(members, count));
                let near: Vec<u32> = (0..count).filter(|_| draw(&mut state, 40) < size).collect();
                let set = VertexSet::from_members(near, count);
                assert_select(&lists, &built.model.out, &set);
                assert_some_break(&lists, &built, &set, 500 * size as usize);
            }
        }
    }
}

fn assert_some_break(lists: &Lists, built: &Built, set: &VertexSet, enough: usize) {
    let collect = Collect::new(set.universe(), &|_| true).until(enough);
    lists.select(set, &collect).unwrap();
    for (vertex, (found, expected)) in (0..).zip(collect.into_lists().into_iter().zip(&built.model.out)) {
        assert_eq!(found.is_some(), set.contains(vertex));
        let found = found.unwrap_or_default();
        assert!(expected.starts_with(&found) && (found.len() >= enough.min(expected.len()) || !set.contains(vertex)));
    }
}

#[test]
fn the_cost_of_a_select_is_about_what_it_reads() {
    // Lists of about ten neighbors: all of one level.
    let apart = MergePolicy { gap_bytes: 0, longest_bytes: 4096 };
    for (codec, merge) in [Codec::Packed, Codec::Raw32].into_iter().zip([apart, MergePolicy::default()]) {
        let layout = chunks(&[4096], |settings| settings.codec = codec);
        let built = built(&Case::random(Ids::Dense, 20_000, 200_000).laid_out(&layout));
        let lists =
            Reading::PLAIN.open_within(&built.store, Direction::Out, merge, &MemoryBudget::new(1 << 30)).unwrap();
        let mut state = 3;
        for size in [1, 10, 100, 1000, 20_000] {
            let set = VertexSet::from_members((0..size).map(|_| draw(&mut state, 20_000)).collect(), 20_000);
            let cost = lists.cost_of(&set);
            let arcs: usize = (0..20_000).filter(|v| set.contains(*v)).map(|v| built.model.out[v as usize].len()).sum();
            let read = during(&lists, |lists| lists.select(&set, &Collect::new(20_000, &|_| true)));
            let near = |estimate: u64, right: u64| estimate <= 3 * right && right <= 3 * estimate;
            assert!(near(cost.arcs, arcs as u64), "{cost:?} {arcs}");
            assert!(near(cost.bytes, read.bytes_read) && near(cost.requests, read.requests), "{cost:?} {read:?}");
        }
        assert_eq!(lists.cost_of(&VertexSet::empty(20_000)), outcrop_store::access::IoCost::default());
    }
}

#[test]
fn the_cost_is_the_same_whatever_the_threads() {
    let built = built(&small_hubs(true).laid_out(&chunks(TINY, |_| {})));
    let cost = |threads| {
        let lists = Reading { threads, ..Reading::PLAIN }.open(&built.store, Direction::Out).unwrap();
        let mut state = 3;
        let sets = (0..10).map(|_| some_set(&mut state, lists.num_vertices()));
        sets.map(|set| lists.cost_of(&set)).collect::<Vec<_>>()
    };
    assert!(cost(1) == cost(2) && cost(1) == cost(4));
}

#[test]
fn opening_takes_no_more_than_the_plan_says() {
    for (weighted, layout) in chunked_layouts().flat_map(|layout| [(false, layout.clone()), (true, layout)]) {
        let built = built(&small_hubs(weighted).laid_out(&layout));
        for threads in [1, 2, 4] {
            let reading = Reading { threads, ..Reading::PLAIN };
            let plan = Lists::memory(&built.store, Direction::Out, &reading.workers(), reading.index).total();
            let budget = MemoryBudget::new(plan);
            let open = || reading.open_within(&built.store, Direction::Out, MergePolicy::default(), &budget);
            let lists = open().unwrap_or_else(|error| panic!("{layout:?} {weighted}: {error}"));
            assert!(sweep_all(&lists).unwrap() == built.model.out);
            assert!(budget.peak() <= plan);
            drop(lists);
            assert_eq!(budget.available(), plan, "everything reserved is given back");
            let cache_bytes = crate::cases::lists::cache_bytes_for_all(&built.store, Direction::Out);
            let budget = MemoryBudget::new(plan + cache_bytes);
            let reading = Reading { cache_bytes, ..reading };
            reading.open_within(&built.store, Direction::Out, MergePolicy::default(), &budget).unwrap();
        }
    }
}

#[test]
fn lists_longer_than_what_is_kept_in_memory_are_written_in_parts() {
    // More than 2^19 entries, and a list after it in what its last chunk leaves.
    for entries in [1_200_000, 1 << 19, (1 << 19) + 1] {
        assert_written_in_parts(entries);
    }
}

fn assert_written_in_parts(entries: u64) {
    let edges = (0..entries).map(|i| (1, i / 3, 1.0)).chain((0..50).map(|i| (2, i, 1.0)));
    let case = Case { memory: 256 << 20, ..Case::new(Ids::Dense, edges.collect()) };
    for codec in [Codec::Packed, Codec::Raw32] {
        for sizes in [&[4096, 2 << 20], &[4096, 16_384]] {
            let index = IndexKind::Direct;
            let settings =
                ChunkSettings { codec, index, levels: ChunkSettings::levels_of(sizes), ..ChunkSettings::default() };
            let built = built(&case.laid_out(&Layout::Chunked(settings)));
            let lists = Reading::PLAIN.open(&built.store, Direction::Out).unwrap();
            assert!(sweep_all(&lists).unwrap() == built.model.out);
            let level = *entry(&built).levels.last().unwrap();
            assert_eq!(level.arcs, entries);
            let chunk_bytes = u64::from(sizes[1]);
            let needed = (4 * entries).div_ceil(chunk_bytes - 100);
            assert!(codec != Codec::Raw32 || level.chunks <= needed + 1, "{} chunks for {needed}", level.chunks);
        }
    }
}
