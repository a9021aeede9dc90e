//! Lists that are held beside the page cache: each comes once, from one of the two, and is what the model says.

use crate::cases::collect::{Collect, Reading, sweep_all, work};
use crate::cases::graph::{Case, Ids};
use crate::cases::layouts::{TINY, chunks, compact, of_single_lists, pages_of};
use crate::cases::lists::Lists;
use crate::reading::adjacency::{Built, assert_lists_read, built, cache_sizes, during, small_hubs};
use outcrop_io::IoChoice;
use outcrop_store::access::{Adjacency, Workers};
use outcrop_store::layout::Layout;
use outcrop_store::{Codec, SelectionDraft, SelectionInfo, SelectionNote, StaticLists, Store, WorkContext};
use outcrop_types::{Direction, MemoryBudget, Result, VertexRange, VertexSet};

pub fn note() -> SelectionNote {
    SelectionNote { method: "gvs".to_owned(), rounds: 7 }
}

/// Writes and publishes a selection of one direction.
pub fn write_selection(
    store: &Store,
    direction: Direction,
    ranked: &[u32],
    note: &SelectionNote,
    most_bytes: u64,
    work: WorkContext<'_>,
) -> Result<SelectionInfo> {
    let mut draft = SelectionDraft::begin(work.storage, store)?;
    let info = draft.write(direction, ranked, note, most_bytes, work)?;
    draft.publish()?;
    Ok(info)
}

/// Keeps the lists of `ranked` in both directions; what is known of the out-lists.
pub fn keep(store: &Store, ranked: &[u32], most_bytes: u64) -> SelectionInfo {
    keep_within(store, ranked, most_bytes, &MemoryBudget::new(1 << 30), &Reading::PLAIN.workers())
}

pub fn keep_within(
    store: &Store,
    ranked: &[u32],
    most_bytes: u64,
    budget: &MemoryBudget,
    workers: &Workers,
) -> SelectionInfo {
    let write = |direction| {
        let work = work(IoChoice::Buffered, budget, workers);
        write_selection(store, direction, ranked, &note(), most_bytes, work).unwrap()
    };
    let into = write(Direction::In);
    assert_eq!(Some(&into), store.selection(Direction::In, IoChoice::Buffered).unwrap().as_ref());
    let out = write(Direction::Out);
    assert_eq!(Some(&out), store.selection(Direction::Out, IoChoice::Buffered).unwrap().as_ref());
    assert_eq!(budget.available(), budget.limit(), "everything reserved is given back");
    out
}

/// The lists of a direction, with at most `most_bytes` of its selection.
pub fn open(store: &Store, direction: Direction, reading: Reading, most_bytes: u64) -> Lists {
    let mut lists = reading.open(store, direction).unwrap();
    let budget = MemoryBudget::new(1 << 30);
    let workers = reading.workers();
    if let Some(statics) = StaticLists::load(store, direction, most_bytes, work(reading.io, &budget, &workers)).unwrap()
    {
        assert!(statics.bytes() <= most_bytes && statics.bytes() == budget.limit() - budget.available());
        lists.use_static(statics).unwrap();
    }
    lists
}

fn selections(vertices: u32) -> [Vec<u32>; 3] {
    [vec![], (0..vertices).rev().filter(|vertex| vertex * 7 % 5 < 2).collect(), (0..vertices).rev().collect()]
}

fn assert_any_selection(built: &Built, rounds: usize) {
    for ranked in selections(built.model.vertices()) {
        keep(&built.store, &ranked, u64::MAX);
        for cache_bytes in cache_sizes(built) {
            for threads in [1, 3] {
                let reading = Reading { cache_bytes, threads, ..Reading::PLAIN };
                assert_lists_read(built, rounds, &|direction| open(&built.store, direction, reading, u64::MAX));
            }
        }
    }
}

#[test]
fn any_selection_and_any_cache_give_every_list_once() {
    for weighted in [false, true] {
        for layout in of_single_lists() {
            assert_any_selection(&built(&small_hubs(weighted).laid_out(&layout)), 2);
        }
    }
}

#[test]
fn an_undirected_store_has_one_selection_for_both_directions() {
    let built = built(&Case { undirected: true, ..small_hubs(true) }.laid_out(&Layout::default()));
    assert_any_selection(&built, 1);
    assert!(built.store.folder().join("static.out").exists() && !built.store.folder().join("static.in").exists());
}

/// Layouts whose lists are all in pages of which no list takes several.
fn paged() -> [Case; 4] {
    let case = Case { weighted: true, ..Case::random(Ids::Dense, 2000, 60_000) };
    let raw = chunks(TINY, |settings| (settings.codec, settings.mini_degree) = (Codec::Raw32, 0));
    [pages_of(1024), Layout::default(), raw, compact(Codec::Alternating)].map(|layout| case.laid_out(&layout))
}

#[test]
fn what_is_held_whole_is_not_read_and_costs_nothing() {
    for case in paged() {
        let built = built(&case);
        let all: Vec<u32> = (0..2000).collect();
        let info = keep(&built.store, &all, u64::MAX);
        assert_eq!((info.method.as_str(), info.rounds, info.lists), ("gvs", 7, 2000));
        for threads in [1, 2] {
            let reading = Reading { threads, ..Reading::PLAIN };
            let lists = open(&built.store, Direction::Out, reading, u64::MAX);
            assert_eq!(info.arcs, lists.num_arcs());
            let loaded = lists.statistics().figures();
            assert!(loaded.bytes_read >= info.bytes && loaded.requests > 0);
            let (sweep, select) = (lists.cost_of_sweep(), lists.cost_of(&VertexSet::all(2000)));
            assert_eq!((sweep.bytes, sweep.requests, sweep.arcs), (0, 0, lists.num_arcs()));
            assert_eq!((select.bytes, select.requests), (0, 0));
            assert!(sweep.resident_bytes > 0 && select.resident_bytes > 0);
            let sweep = during(&lists, |lists| sweep_all(lists).map(|_| ()));
            let sparse = VertexSet::from_members((0..2000).step_by(50).collect(), 2000);
            let collect = Collect::new(2000, &|_| true);
            let select = during(&lists, |lists| lists.select(&sparse, &collect));
            assert_eq!((sweep.bytes_read, sweep.static_hits, sweep.static_misses), (0, 2000, 0));
            assert_eq!((select.bytes_read, select.static_hits, select.static_hit_ratio()), (0, 40, Some(1.0)));
        }
    }
}

#[test]
fn hits_and_misses_are_the_lists_in_pages() {
    for case in paged() {
        let built = built(&case);
        let half: Vec<u32> = (0..2000).step_by(2).collect();
        keep(&built.store, &half, u64::MAX);
        for cache_bytes in [0, 1 << 20] {
            let reading = Reading { cache_bytes, threads: 2, ..Reading::PLAIN };
            let lists = open(&built.store, Direction::Out, reading, u64::MAX);
            let collect = Collect::new(2000, &|vertex| vertex % 4 < 2);
            let sweep = during(&lists, |lists| lists.sweep(VertexRange::new(0, 2000), &collect));
            assert_eq!((sweep.static_hits, sweep.static_misses), (500, 500));
            for step in [40, 1] {
                let set = VertexSet::from_members((1..2000).step_by(step).collect(), 2000);
                let collect = Collect::new(2000, &|_| true);
                let select = during(&lists, |lists| lists.select(&set, &collect));
                let hits = (1..2000).step_by(step).filter(|vertex| vertex % 2 == 0).count() as u64;
                assert_eq!((select.static_hits, select.static_hits + select.static_misses), (hits, set.len() as u64));
            }
        }
        let without = Reading::PLAIN.open(&built.store, Direction::Out).unwrap();
        let sweep = during(&without, |lists| sweep_all(lists).map(|_| ()));
        assert_eq!((sweep.static_hits, sweep.static_misses, sweep.static_hit_ratio()), (0, 0, None));
    }
}

#[test]
fn pages_that_only_hold_lists_that_are_held_are_not_read() {
    for case in paged() {
        let built = built(&case);
        let first: Vec<u32> = (0..1000).collect();
        keep(&built.store, &first, u64::MAX);
        let lists = open(&built.store, Direction::Out, Reading::PLAIN, u64::MAX);
        let all = Reading::PLAIN.open(&built.store, Direction::Out).unwrap();
        let read = |lists: &Lists| during(lists, |lists| sweep_all(lists).map(|_| ())).bytes_read;
        let (some, every) = (read(&lists), read(&all));
        assert!(some <= every * 3 / 4, "{some} {every}");
        assert!(some.abs_diff(lists.cost_of_sweep().bytes) <= every / 10);
    }
}

#[test]
fn as_much_of_a_selection_is_held_as_fits() {
    for case in paged() {
        let built = built(&case);
        let ranked: Vec<u32> = (0..2000).map(|i| i * 7 % 2000).collect();
        let info = keep(&built.store, &ranked, u64::MAX);
        let whole = StaticLists::bytes_for(2000, info.lists, info.bytes);
        let (budget, workers) = (MemoryBudget::new(1 << 30), Reading::PLAIN.workers());
        let load = |most_bytes| {
            let work = work(IoChoice::Mmap, &budget, &workers);
            StaticLists::load(&built.store, Direction::Out, most_bytes, work).unwrap()
        };
        assert_eq!(load(whole).map(|statics| (statics.lists(), statics.bytes())), Some((2000, whole)));
        assert!(load(0).is_none() && load(4096).is_none());
        let mut last = 0;
        for most_bytes in (0..16).map(|part| whole * part / 16) {
            let lists = load(most_bytes).map_or(0, |statics| {
                assert!(statics.bytes() <= most_bytes);
                statics.lists()
            });
            assert!(lists >= last && lists < 2000);
            last = lists;
        }
        assert!(last > 1000);
        let some = open(&built.store, Direction::Out, Reading::PLAIN, whole / 2);
        assert_eq!(sweep_all(&some).unwrap(), built.model.out);
        let sweep = during(&some, |lists| sweep_all(lists).map(|_| ()));
        assert!(sweep.static_hits > 500 && sweep.static_misses > 500);
    }
}
