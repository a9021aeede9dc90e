//! Promises of the `compact` layout alone: lists of any length in bounded memory, an index that need not be in memory,
//! and bytes.

use crate::cases::collect::{Collect, Reading, sweep_all};
use crate::cases::graph::{Case, Ids};
use crate::cases::layouts::compact;
use crate::cases::lists::Lists;
use crate::reading::adjacency::{Built, assert_any_cache, assert_lists_read, built, during, small_hubs, some_set};
use outcrop_io::{IoChoice, MergePolicy};
use outcrop_store::access::{Adjacency, Pages};
use outcrop_store::layout::compact::{IndexResidence, SEGMENT_ENTRIES};
use outcrop_store::layout::{DegreeReader, degrees};
use outcrop_store::{Codec, PAYLOAD_BYTES};
use outcrop_types::{Cancellation, Direction, Error, MemoryBudget, VertexRange, VertexSet};
use std::os::unix::fs::FileExt;

const CODECS: [Codec; 2] = [Codec::Packed, Codec::Alternating];
/// Windows of one region each.
const SMALLEST: IndexResidence = IndexResidence::Streamed { window: 1 };

/// Lists around the ends of segments, two that are longer than the largest request, and vertices of several regions of
/// the index.
fn long_lists(weighted: bool) -> Case {
    let case = Case::random(Ids::Dense, 13_000, 20_000);
    let mut edges = case.edges.clone();
    let segment = SEGMENT_ENTRIES as u64;
    let lengths = [(5, segment - 1), (6, segment), (7, segment + 1), (4096, 2 * segment), (12_999, 3 * segment + 5)];
    edges.extend(lengths.into_iter().flat_map(|(v, length)| (0..length).map(move |i| (v, i % 13_000, i as f64))));
    let entries = if weighted { 70_000 } else { 270_000 };
    edges.extend([70, 9000].into_iter().flat_map(|hub| (0..entries).map(move |i| (hub, i * 7 % 13_000, 0.5))));
    Case { edges, weighted, ..case }
}

fn long_lists_in(codec: Codec, weighted: bool) -> Built {
    built(&long_lists(weighted).laid_out(&compact(codec)))
}

#[test]
fn lists_of_any_length_come_back_from_any_cache() {
    for (codec, weighted) in [(Codec::Packed, true), (Codec::Alternating, false)] {
        assert_any_cache(&long_lists_in(codec, weighted));
    }
}

#[test]
fn an_index_in_windows_gives_the_same() {
    for codec in CODECS {
        for weighted in [false, true] {
            let built = built(&Case { weighted, ..Case::random(Ids::Dense, 13_000, 40_000) }.laid_out(&compact(codec)));
            for (index, cache_bytes, threads) in
                [(SMALLEST, 0, 1), (SMALLEST, 1 << 16, 3), (IndexResidence::STREAMED, 1 << 20, 2)]
            {
                let reading = Reading { index, cache_bytes, threads, ..Reading::PLAIN };
                assert_lists_read(&built, 6, &|direction| reading.open(&built.store, direction).unwrap());
            }
        }
    }
    let few = built(&small_hubs(true).laid_out(&compact(Codec::Packed)));
    let reading = Reading { index: SMALLEST, ..Reading::PLAIN };
    assert_lists_read(&few, 3, &|direction| reading.open(&few.store, direction).unwrap());
}

#[test]
fn lists_are_held_beside_an_index_in_windows() {
    let built = built(&Case::random(Ids::Dense, 13_000, 60_000).laid_out(&compact(Codec::Packed)));
    let ranked: Vec<u32> = (0..13_000).filter(|vertex| vertex % 3 == 0 || *vertex > 9000).collect();
    crate::reading::statics::keep(&built.store, &ranked, u64::MAX);
    let reading = Reading { index: SMALLEST, threads: 2, ..Reading::PLAIN };
    assert_lists_read(&built, 4, &|direction| {
        crate::reading::statics::open(&built.store, direction, reading, u64::MAX)
    });
    let lists = crate::reading::statics::open(&built.store, Direction::Out, reading, u64::MAX);
    let all = during(&lists, |lists| sweep_all(lists).map(|_| ()));
    let not_empty = ranked.iter().filter(|vertex| !built.model.out[**vertex as usize].is_empty()).count() as u64;
    assert_eq!(all.static_hits, not_empty);
    let cost = lists.cost_of(&VertexSet::all(13_000));
    let without = reading.open(&built.store, Direction::Out).unwrap().cost_of_sweep();
    assert!(cost.resident_bytes > 0 && cost.bytes < without.bytes, "{cost:?} {without:?}");
}

#[test]
fn a_damaged_window_is_an_error_and_others_are_read() {
    let built = built(&Case::random(Ids::Dense, 13_000, 60_000).laid_out(&compact(Codec::Packed)));
    let lists = Reading { index: SMALLEST, ..Reading::PLAIN }.open(&built.store, Direction::Out).unwrap();
    let path = built.store.folder().join("out.index");
    let whole = std::fs::read(&path).unwrap();
    let file = std::fs::File::options().write(true).open(&path).unwrap();
    // In the second region: a vertex takes two bytes of the index, or one.
    let place = 4096 * 3 + 50;
    file.write_all_at(&[whole[place] ^ 4], place as u64).unwrap();
    let sweep = |start, end| {
        let collect = Collect::new(13_000, &|_| true);
        lists.sweep(VertexRange::new(start, end), &collect).map(|()| collect.into_lists())
    };
    assert!(matches!(sweep(0, 13_000), Err(Error::Corrupt { .. })));
    let first = sweep(0, 4000).unwrap();
    assert!(first.into_iter().take(4000).map(Option::unwrap).eq(built.model.out[..4000].iter().cloned()));
    assert!(matches!(
        lists.select(&VertexSet::all(13_000), &Collect::new(13_000, &|_| true)),
        Err(Error::Corrupt { .. })
    ));
    file.write_all_at(&whole[place..=place], place as u64).unwrap();
    assert!(sweep(0, 13_000).unwrap().into_iter().map(Option::unwrap).eq(built.model.out.iter().cloned()));
}

#[test]
fn an_index_in_windows_takes_the_memory_of_a_window() {
    let built = built(&Case::random(Ids::Dense, 60_000, 100_000).laid_out(&compact(Codec::Packed)));
    for index in [IndexResidence::Resident, SMALLEST, IndexResidence::STREAMED] {
        let reading = Reading { index, ..Reading::PLAIN };
        let workers = reading.workers();
        let plan = Lists::memory(&built.store, Direction::Out, &workers, reading.index);
        let budget = MemoryBudget::new(plan.total());
        let lists = reading.open_within(&built.store, Direction::Out, MergePolicy::default(), &budget).unwrap();
        assert_eq!((budget.peak(), budget.available()), (plan.total(), DegreeReader::MEMORY_BYTES));
        assert!(sweep_all(&lists).unwrap() == built.model.out);
        let short = MemoryBudget::new(plan.total() - 1);
        assert!(reading.open_within(&built.store, Direction::Out, MergePolicy::default(), &short).is_err());
    }
    let memory = |index| Lists::memory(&built.store, Direction::Out, &Reading::PLAIN.workers(), index).total();
    assert!(memory(IndexResidence::Resident) > memory(SMALLEST) - DegreeReader::MEMORY_BYTES + 200_000);
}

#[test]
fn degrees_come_from_the_index() {
    let built = long_lists_in(Codec::Packed, true);
    for direction in [Direction::Out, Direction::In] {
        let expected: Vec<u32> = built.model.lists(direction).iter().map(|list| list.len() as u32).collect();
        let budget = MemoryBudget::new(DegreeReader::MEMORY_BYTES + 4 * 13_000);
        let all = degrees(&built.store, direction, IoChoice::Buffered, &budget, &Cancellation::new()).unwrap();
        assert_eq!(all[..], expected);
        let mut reader =
            DegreeReader::open(&built.store, direction, IoChoice::Buffered, &MemoryBudget::new(1 << 20)).unwrap();
        let mut some = vec![9];
        for (start, end) in [(0, 13_000), (0, 1), (4095, 4097), (4096, 8192), (12_999, 13_000), (500, 500)] {
            reader.read(VertexRange::new(start, end), &mut some).unwrap();
            assert_eq!(some, expected[start as usize..end as usize]);
        }
    }
}

#[test]
fn what_is_resident_costs_nothing_and_is_not_read_again() {
    for index in [IndexResidence::Resident, IndexResidence::STREAMED] {
        let built = long_lists_in(Codec::Alternating, true);
        let bytes = built.store.manifest().file("out.shards").unwrap().bytes;
        let cache_bytes = crate::cases::lists::cache_bytes_for_all(&built.store, Direction::Out);
        let reading = Reading { cache_bytes, threads: 2, index, ..Reading::PLAIN };
        let lists = reading.open(&built.store, Direction::Out).unwrap();
        assert!(lists.cost_of_sweep().bytes >= bytes);
        let first = during(&lists, |lists| sweep_all(lists).map(|_| ()));
        assert!(first.bytes_read >= bytes);
        let second = during(&lists, |lists| sweep_all(lists).map(|_| ()));
        assert_eq!((second.bytes_read, second.requests, second.cache_misses), (0, 0, 0));
        let (cost, all) = (lists.cost_of_sweep(), lists.cost_of(&VertexSet::all(lists.num_vertices())));
        assert_eq!((cost.bytes, cost.requests, cost.arcs), (0, 0, lists.num_arcs()));
        assert_eq!((all.bytes, all.requests), (0, 0));
        // A list counts by its bytes; all of them have all entries but what is lost in rounding.
        assert!(lists.num_arcs() - all.arcs < 10, "{all:?}");
    }
}

#[test]
fn the_cost_of_a_select_is_what_it_reads() {
    let built = long_lists_in(Codec::Packed, true);
    for (index, exact) in [(IndexResidence::Resident, true), (SMALLEST, false)] {
        let reading = Reading { index, ..Reading::PLAIN };
        let lists = reading.open(&built.store, Direction::Out).unwrap();
        let mut state = 5;
        for _ in 0..20 {
            let set = some_set(&mut state, lists.num_vertices());
            let cost = lists.cost_of(&set);
            let read = during(&lists, |lists| lists.select(&set, &Collect::new(set.universe(), &|_| true)));
            if exact && set.len() < 64 {
                assert_eq!((read.bytes_read, read.requests), (cost.bytes, cost.requests));
            }
            // Where only the sum of many lists is known, a hub among them makes each count for more.
            assert!(cost.bytes >= read.bytes_read / 2, "{read:?} {cost:?}");
            assert!(!set.is_empty() && cost.bytes > 0 && cost.requests > 0 && cost.arcs > 0);
        }
    }
}

#[test]
fn pages_are_known_where_the_index_is_in_memory() {
    let built = long_lists_in(Codec::Packed, false);
    let open = |index| Reading { index, ..Reading::PLAIN }.open(&built.store, Direction::Out).unwrap();
    let lists = open(IndexResidence::Resident);
    let pages: Vec<u32> = (0..13_000).filter_map(|vertex| lists.page_of(vertex)).collect();
    assert!(pages.is_sorted() && pages.first() == Some(&0));
    assert_eq!(pages.len(), built.model.out.iter().filter(|list| !list.is_empty()).count());
    assert!(pages.last().unwrap() < &lists.num_pages());
    assert_eq!(open(SMALLEST).page_of(70), None);
}

/// The example of `docs/format/compact.md`.
#[test]
fn bytes_are_as_documented() {
    let edges = vec![(0, 2, 1.0), (0, 5, 2.0), (0, 300, 0.5), (2, 1, 1.0)];
    for (weighted, list) in [
        (false, vec![3, 0x02, 0x83, 0x02, 0x27, 1, 1]),
        (true, {
            let weights = |weights: &[f64]| weights.iter().flat_map(|w| (*w as f32).to_le_bytes()).collect::<Vec<_>>();
            [vec![3, 0x02, 0x83, 0x02, 0x27], weights(&[1.0, 2.0, 0.5]), vec![1, 1], weights(&[1.0])].concat()
        }),
    ] {
        let case = Case { weighted, ..Case::new(Ids::Dense, edges.clone()) };
        let built = built(&case.laid_out(&compact(Codec::Alternating)));
        let payload = |name: &str| {
            let bytes = std::fs::read(built.store.folder().join(name)).unwrap();
            assert_eq!(bytes.len(), PAYLOAD_BYTES + 8);
            bytes[8..].to_vec()
        };
        let (first, second) = if weighted { (17, 6) } else { (5, 2) };
        let shards = payload("out.shards");
        assert_eq!(shards[..list.len()], list);
        assert!(shards[list.len()..].iter().all(|byte| *byte == 0));
        assert_eq!(payload("out.index")[..7], [3, first, 0, 1, second, 0, 0]);
        let entry = built.store.manifest().compact(Direction::Out).unwrap().clone();
        // 301 vertices, two of which have a list.
        assert_eq!((entry.arcs, entry.index_bytes, entry.list_bytes), (4, 303, list.len() as u64));
        let words: Vec<u64> = payload("out.directory").as_chunks().0.iter().map(|w| u64::from_le_bytes(*w)).collect();
        assert_eq!(words[..5], [0, 0, 303, list.len() as u64, 0]);
    }
}
