//! Select and sweep against the model, whatever the cache, the threads and the way to read.

use crate::cases::collect::{Collect, Reading, sweep_all};
use crate::cases::graph::{Case, Ids};
use crate::cases::layouts::{self, pages_of};
use crate::cases::lists::{Lists, lists_name};
use crate::cases::model::{List, Model};
use outcrop_io::{IoChoice, MergePolicy, PageCache};
use outcrop_store::access::{AccessFigures, Adjacency};
use outcrop_store::layout::{Layout, degrees as load_degrees};
use outcrop_store::{Component, Store};
use outcrop_types::{Direction, MemoryBudget, Result, VertexRange, VertexSet};

pub struct Built {
    _folder: tempfile::TempDir,
    pub store: Store,
    pub model: Model,
}

pub fn built(case: &Case) -> Built {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("graph.outcrop");
    case.build(&target).unwrap();
    Built { store: Store::open(&target).unwrap(), _folder: folder, model: Model::of(case) }
}

/// A smaller graph with lists of every length up to many tiny chunks.
pub fn small_hubs(weighted: bool) -> Case {
    let case = Case::random(Ids::Dense, 700, 5000);
    let mut edges = case.edges.clone();
    edges.extend((0..250).flat_map(|v| (0..v * v / 8 % 700).map(move |i| (v, (i * 3 + v) % 700, 1.0))));
    edges.extend([7, 8, 9, 200, 699].into_iter().flat_map(|hub| (0..6000 + hub).map(move |i| (hub, i * i % 700, 2.0))));
    Case { edges, weighted, ..case }
}

/// A graph with short lists, lists over several units, and two hubs whose lists are longer than the largest request.
fn hubs(weighted: bool) -> Case {
    let case = Case::random(Ids::Dense, 3000, 30_000);
    let mut edges = case.edges.clone();
    edges.extend((0..if weighted { 33_000 } else { 66_000 }).map(|i| (70, i * 7 % 66_001, i as f64)));
    edges.extend((0..70_000).map(|i| (2999, i % 3000, 0.5)));
    edges.extend((0..3000).flat_map(|i| [(900, i, 1.0), (901, i, 2.0)]));
    Case { edges, weighted, interval_arcs: 5000, ..case }
}

/// Bytes of what of the lists is read and cached as a whole; 4096 of lists in chunks.
fn page_bytes(built: &Built) -> u64 {
    built.store.manifest().csr(Direction::Out).map_or(4096, |entry| u64::from(entry.page_bytes))
}

pub fn cache_sizes(built: &Built) -> [u64; 4] {
    let all = crate::cases::lists::cache_bytes_for_all(&built.store, Direction::Out);
    let file = lists_name(&built.store, Direction::Out);
    let units = built.store.manifest().file(&file).unwrap().bytes / page_bytes(built);
    let table = PageCache::table_bytes(units);
    if all == 0 || !built.store.manifest().lists.chunked.is_empty() {
        return [0, all / 10, all / 2, all];
    }
    let few = |frames: u64| table + frames * (all - table) / units;
    [0, few(2), few(10), all]
}

pub fn draw(state: &mut u64, below: u32) -> u32 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    ((*state >> 33) % u64::from(below)) as u32
}

pub fn some_set(state: &mut u64, universe: u32) -> VertexSet {
    let count = [1, 5, 60, 1000, universe][draw(state, 5) as usize].min(universe);
    VertexSet::from_members((0..count).map(|_| draw(state, universe)).collect(), universe)
}

fn assert_lists(found: Vec<Option<List>>, expected: &[List], wanted: impl Fn(u32) -> bool) {
    for (vertex, found) in (0..).zip(found) {
        assert_eq!(found.as_ref(), expected.get(vertex as usize).filter(|_| wanted(vertex)), "vertex {vertex}");
    }
}

pub fn assert_select(lists: &Lists, expected: &[List], set: &VertexSet) {
    let collect = Collect::new(set.universe(), &|_| true);
    lists.select(set, &collect).unwrap();
    assert_lists(collect.into_lists(), expected, |vertex| set.contains(vertex));
}

fn assert_sweep(lists: &Lists, expected: &[List], range: VertexRange, modulus: u32) {
    let wants = |vertex: u32| vertex.is_multiple_of(modulus);
    let collect = Collect::new(lists.num_vertices(), &wants);
    lists.sweep(range, &collect).unwrap();
    assert_lists(collect.into_lists(), expected, |vertex| range.contains(vertex) && wants(vertex));
}

pub fn assert_reads(built: &Built, reading: Reading, rounds: usize) {
    assert_lists_read(built, rounds, &|direction| reading.open(&built.store, direction).unwrap());
}

pub fn assert_lists_read(built: &Built, rounds: usize, open: &dyn Fn(Direction) -> Lists) {
    for direction in [Direction::Out, Direction::In] {
        let lists = open(direction);
        let (expected, count) = (built.model.lists(direction), built.model.vertices());
        let mut state = 7;
        for _ in 0..rounds {
            assert_select(&lists, expected, &some_set(&mut state, count));
            let (a, b) = (draw(&mut state, count + 1), draw(&mut state, count + 1));
            assert_sweep(&lists, expected, VertexRange::new(a.min(b), a.max(b)), 1 + draw(&mut state, 4));
        }
        assert_select(&lists, expected, &VertexSet::all(count));
        assert_select(&lists, expected, &VertexSet::empty(count));
        assert_sweep(&lists, expected, VertexRange::new(0, count), 1);
        assert_sweep(&lists, expected, VertexRange::new(count, count), 1);
    }
}

#[test]
fn any_cache_and_any_number_of_threads_give_every_list_once() {
    for weighted in [false, true] {
        for page_bytes in [512, 4096, 16_384] {
            assert_any_cache(&built(&hubs(weighted).laid_out(&pages_of(page_bytes))));
        }
        assert_any_cache(&built(&hubs(weighted).laid_out(&Layout::default())));
        for layout in layouts::some() {
            assert_any_cache(&built(&small_hubs(weighted).laid_out(&layout)));
        }
    }
}

pub fn assert_any_cache(built: &Built) {
    for cache_bytes in cache_sizes(built) {
        for threads in [1, 2, 4] {
            assert_reads(built, Reading { io: IoChoice::Auto, cache_bytes, threads, ..Reading::PLAIN }, 3);
        }
    }
}

#[test]
fn decoded_lists_are_those_of_the_store() {
    for (weighted, layout) in [false, true].into_iter().flat_map(|w| layouts::some().into_iter().map(move |l| (w, l))) {
        let built = built(&small_hubs(weighted).laid_out(&layout));
        for threads in [1, 4] {
            assert_lists_read(&built, 9, &|direction| decoded(&built, direction, threads));
        }
        let lists = decoded(&built, Direction::Out, 2);
        let (all, set) = (VertexSet::all(built.model.vertices()), VertexSet::from_members(vec![3, 200], 1 << 20));
        let bytes = [lists.cost_of_sweep(), lists.cost_of(&all), lists.cost_of(&set)].map(|cost| cost.bytes);
        assert_eq!((bytes, lists.cost_of_sweep().arcs), ([0; 3], lists.num_arcs()));
        let figures = || lists.statistics().figures();
        let before = figures();
        sweep_all(&lists).unwrap();
        let swept = figures() - before;
        assert_eq!((swept.bytes_read, swept.entries), (0, lists.num_arcs()));
        assert!(before.bytes_read > 0 && swept.batches < swept.lists);
    }
    let many = built(&Case::random(Ids::Dense, 40_000, 90_000));
    assert_lists_read(&many, 9, &|direction| decoded(&many, direction, 2));
}

fn decoded(built: &Built, direction: Direction, threads: usize) -> Lists {
    let reading = Reading { threads, ..Reading::PLAIN };
    let bytes = Lists::decoding_bytes(&built.store, direction, built.store.manifest().graph.weighted);
    let mut lists = reading.open(&built.store, direction).unwrap();
    lists.decode(&built.store, IoChoice::Buffered, &MemoryBudget::new(bytes), &reading.workers()).unwrap();
    lists
}

#[test]
fn any_way_to_read_gives_the_same() {
    for page_bytes in [512, 4096, 65_536] {
        assert_any_way(&built(&hubs(true).laid_out(&pages_of(page_bytes))));
    }
    assert_any_way(&built(&small_hubs(true).laid_out(&layouts::chunks(layouts::TINY, |_| {}))));
}

fn assert_any_way(built: &Built) {
    for io in [IoChoice::Auto, IoChoice::Pread, IoChoice::Buffered, IoChoice::Mmap, IoChoice::Uring] {
        let reading = Reading { io, cache_bytes: 1 << 16, threads: 2, ..Reading::PLAIN };
        match reading.open(&built.store, Direction::Out) {
            Ok(_) => assert_reads(built, reading, 4),
            // Where the system refuses io_uring, asking for it by name is an error.
            Err(error) => assert!(io == IoChoice::Uring && error.exit_code() == 2, "{error}"),
        }
    }
}

#[test]
fn a_list_can_be_left_early() {
    [512, 4096].into_iter().for_each(|size| assert_left_early(&built(&hubs(false).laid_out(&pages_of(size)))));
    for layout in layouts::some() {
        assert_left_early(&built(&small_hubs(false).laid_out(&layout)));
    }
}

fn assert_left_early(built: &Built) {
    for cache_bytes in cache_sizes(built) {
        let lists = Reading { cache_bytes, threads: 2, ..Reading::PLAIN }.open(&built.store, Direction::Out).unwrap();
        for enough in [1, 1500, 4000, 40_000] {
            let collect = Collect::new(lists.num_vertices(), &|_| true).until(enough);
            lists.sweep(VertexRange::new(0, lists.num_vertices()), &collect).unwrap();
            for (found, expected) in collect.into_lists().into_iter().zip(&built.model.out) {
                let found = found.unwrap();
                assert!(found.len() >= enough.min(expected.len()) && expected.starts_with(&found));
            }
        }
    }
}

pub fn during(lists: &Lists, act: impl FnOnce(&Lists) -> Result<()>) -> AccessFigures {
    let before = lists.statistics().figures();
    act(lists).unwrap();
    lists.statistics().figures() - before
}

#[test]
fn what_is_resident_is_not_read_again() {
    for page_bytes in [512, 4096, 16_384] {
        assert_not_read_again(&built(&hubs(true).laid_out(&pages_of(page_bytes))));
    }
}

fn assert_not_read_again(built: &Built) {
    let bytes = built.store.manifest().file("out.edges").unwrap().bytes;
    let cache_bytes = crate::cases::lists::cache_bytes_for_all(&built.store, Direction::Out);
    let lists = Reading { cache_bytes, ..Reading::PLAIN }.open(&built.store, Direction::Out).unwrap();
    assert_eq!(lists.cost_of_sweep().bytes, bytes);
    let first = during(&lists, |lists| sweep_all(lists).map(|_| ()));
    // The last of small pages only fill the file; a request may bring pages again that are resident already.
    let (pages, filling) = (bytes / page_bytes(built), 4096 / page_bytes(built).min(4096));
    let visited = first.cache_misses + first.cache_hits;
    assert!(first.bytes_read >= bytes && first.cache_misses <= first.bytes_read / page_bytes(built), "{first:?}");
    assert!((pages + 1 - filling..=pages + 50).contains(&visited), "{first:?} {pages}");
    let (cost, all) = (lists.cost_of_sweep(), lists.cost_of(&VertexSet::all(lists.num_vertices())));
    assert!(cost.bytes < 4096 && cost.requests <= 1 && cost.bytes + cost.resident_bytes == bytes, "{cost:?}");
    assert_eq!((all.bytes, all.requests, all.arcs), (0, 0, lists.num_arcs()));
    let second = during(&lists, |lists| sweep_all(lists).map(|_| ()));
    assert_eq!((second.bytes_read, second.requests, second.cache_misses), (0, 0, 0));
    assert!(second.cache_hits + filling > pages);
}

#[test]
fn the_cost_of_a_select_is_what_it_reads_but_for_the_ends_of_shares() {
    for page_bytes in [512, 4096, 16_384] {
        let built = built(&hubs(true).laid_out(&pages_of(page_bytes)));
        // Through the system's page cache, and by sectors.
        [IoChoice::Buffered, IoChoice::Pread].into_iter().for_each(|io| assert_cost(&built, io));
    }
}

#[test]
fn the_cost_of_a_large_set_is_about_what_it_reads() {
    const VERTICES: u32 = 300_000;
    let built = built(&Case::random(Ids::Dense, VERTICES.into(), 600_000).laid_out(&pages_of(4096)));
    let lists = Reading { threads: 2, ..Reading::PLAIN }.open(&built.store, Direction::Out).unwrap();
    for step in [2, 5, 20] {
        let set = VertexSet::from_members((0..VERTICES).step_by(step).collect(), VERTICES);
        let cost = lists.cost_of(&set);
        let collect = Collect::new(VERTICES, &|_| true);
        let read = during(&lists, |lists| lists.select(&set, &collect));
        let entries: usize = collect.into_lists().into_iter().flatten().map(|list| list.len()).sum();
        let near = |estimate: u64, right: u64| estimate.abs_diff(right) <= right / 2;
        assert!(near(cost.arcs, entries as u64) && near(cost.bytes, read.bytes_read), "{cost:?} {read:?}");
    }
}

#[test]
fn hubs_at_the_start_do_not_stand_for_others() {
    const VERTICES: u64 = 300_000;
    // Lists by falling length, as in degree order.
    let list = |vertex: u64| (0..(100_000 / (vertex + 1)).max(1)).map(move |edge| (vertex, edge * 3, 1.0));
    let built = built(&Case::new(Ids::Dense, (0..VERTICES).flat_map(list).collect()).laid_out(&pages_of(4096)));
    let lists = Reading { threads: 2, ..Reading::PLAIN }.open(&built.store, Direction::Out).unwrap();
    for step in [1, 2, 5] {
        let members: Vec<u32> = (0..VERTICES as u32).filter(|vertex| *vertex < 1000 || vertex % step == 0).collect();
        let set = VertexSet::from_members(members, VERTICES as u32);
        let mut entries = 0;
        set.for_each(|vertex| entries += (100_000 / (u64::from(vertex) + 1)).max(1));
        let arcs = lists.cost_of(&set).arcs;
        assert!(arcs.abs_diff(entries) <= entries / 20, "{arcs} for {entries}");
    }
}

fn assert_cost(built: &Built, io: IoChoice) {
    let mut state = 3;
    for merge in [
        MergePolicy::default(),
        MergePolicy { gap_bytes: 0, longest_bytes: 0 },
        MergePolicy { gap_bytes: 1 << 40, longest_bytes: u64::MAX },
    ] {
        let gap = merge.gap_bytes.clamp(4096, 256 << 10).max(page_bytes(built));
        for threads in [1, 2] {
            let reading = Reading { threads, io, ..Reading::PLAIN };
            let budget = MemoryBudget::new(1 << 30);
            let lists = reading.open_within(&built.store, Direction::Out, merge, &budget).unwrap();
            for _ in 0..20 {
                let set = some_set(&mut state, lists.num_vertices());
                let cost = lists.cost_of(&set);
                let collect = Collect::new(set.universe(), &|_| true);
                let read = during(&lists, |lists| lists.select(&set, &collect));
                let entries: usize = collect.into_lists().into_iter().flatten().map(|list| list.len()).sum();
                let (requests, slack) = (read.requests.abs_diff(cost.requests), read.requests + cost.requests);
                assert_eq!(cost.arcs, entries as u64);
                assert!(read.bytes_read.abs_diff(cost.bytes) <= slack * gap, "{read:?} {cost:?}");
                assert!(requests <= 2 * (1 + set.positions() as u64 / 64), "{read:?} {cost:?}");
                if set.len() < 64 {
                    assert_eq!((read.bytes_read, read.requests), (cost.bytes, cost.requests));
                }
            }
        }
    }
}

#[test]
fn opening_reserves_exactly_what_the_estimate_says() {
    let built = built(&hubs(false));
    for threads in [1, 2, 4] {
        let reading = Reading { threads, ..Reading::PLAIN };
        let workers = reading.workers();
        let plan = Lists::memory(&built.store, Direction::Out, &workers, reading.index);
        let degrees = 4 * u64::from(built.model.vertices());
        let budget = MemoryBudget::new(plan.total() + degrees);
        let open = |reading: Reading, budget: &MemoryBudget| {
            reading.open_within(&built.store, Direction::Out, MergePolicy::default(), budget)
        };
        let lists = open(reading, &budget).unwrap();
        let free = degrees + Component::READER_BYTES;
        assert_eq!((budget.available(), budget.peak()), (free, plan.total()));
        load_degrees(&built.store, Direction::Out, IoChoice::Auto, &budget, workers.cancellation()).unwrap();
        assert!(budget.peak() == budget.limit() && budget.available() == free);
        drop(lists);
        assert!(open(reading, &MemoryBudget::new(plan.total() - 1)).is_err());
        let with_cache = MemoryBudget::new(plan.total() + (1 << 20));
        let lists = open(Reading { cache_bytes: 1 << 20, ..reading }, &with_cache).unwrap();
        assert!(sweep_all(&lists).unwrap() == built.model.out && with_cache.peak() <= with_cache.limit());
    }
}
