//! Selections for the static cache against Algorithm 1 as it stands in the paper.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, its helpers included")]

mod naive;
mod pages;

use naive::Naive;
use outcrop_placement::selection::{Candidates, GvsOptions, Preference, Requesters, Rounds, gvs};
use outcrop_store::access::{Adjacency, Pages, Workers};
use outcrop_types::{BitSet, Cancellation, Error, MemoryBudget, Silent};
use pages::PagedLists;
use std::num::NonZeroU32;

const VERTICES: u32 = 60;

/// A skewed graph with loops, repeated edges and vertices without any; both directions.
fn graph(seed: u32, workers: &Workers) -> (PagedLists, PagedLists) {
    let mut state = seed.wrapping_add(7);
    let mut draw = |below: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) % below
    };
    let edges: Vec<(u32, u32)> = (0..500)
        .map(|_| {
            let (a, b) = (draw(VERTICES - 5), draw(VERTICES - 5));
            (draw(a + 1), draw(b + 1))
        })
        .collect();
    let reversed = edges.iter().map(|(source, target)| (*target, *source));
    (PagedLists::new(VERTICES, edges.iter().copied(), 32, workers), PagedLists::new(VERTICES, reversed, 32, workers))
}

fn workers(threads: usize) -> Workers {
    Workers::start(threads, Cancellation::new()).unwrap()
}

fn select(seed: u32, threads: usize, options: &GvsOptions, budget: u64) -> Result<Vec<u32>, Error> {
    let workers = workers(threads);
    let (lists, back) = graph(seed, &workers);
    let (lengths, requests) = (lists.lengths(), back.lengths());
    let candidates = Candidates { lists: &lists, lengths: &lengths, requests: &requests };
    gvs(&candidates, Requesters::Lists(&back), options, &workers, &MemoryBudget::new(budget), &Silent)
}

fn of(rounds: u32) -> Rounds {
    Rounds::Of(NonZeroU32::new(rounds).unwrap())
}

/// Selected vertices, in whatever order.
fn sorted(mut selection: Vec<u32>) -> Vec<u32> {
    selection.sort_unstable();
    selection
}

#[test]
fn rounds_are_those_of_algorithm_1() {
    let workers = workers(1);
    for seed in 0..12 {
        for (rounds, preference) in
            [(1, Preference::Highest), (4, Preference::Highest), (25, Preference::Highest), (3, Preference::Lowest)]
        {
            let options = GvsOptions { entries: 200, rounds: of(rounds), preference };
            let (lists, back) = graph(seed, &workers);
            let mut naive = Naive::new(&lists, &back);
            let mut selection = select(seed, 2, &options, 1 << 30).unwrap();
            for round in 1..=rounds {
                let expected = naive.round(200 * u64::from(round) / u64::from(rounds), preference);
                let later = selection.split_off(expected.len());
                // Of equal penalties any may come first, and at the end of a round another may be the first that does
                // not fit.
                assert_eq!(sorted(selection), sorted(expected), "seed {seed}, round {round} of {rounds}");
                selection = later;
            }
            assert!(selection.is_empty());
        }
    }
}

#[test]
fn one_by_one_takes_the_highest_penalty_of_what_is_left() {
    let workers = workers(1);
    for seed in 0..12 {
        let options = GvsOptions { entries: 200, rounds: Rounds::OneByOne, preference: Preference::Highest };
        let (lists, back) = graph(seed, &workers);
        let mut naive = Naive::new(&lists, &back);
        let selection = select(seed, 2, &options, 1 << 30).unwrap();
        let entries: usize = selection.iter().map(|vertex| lists.lists[*vertex as usize].len()).sum();
        assert!((150..=200).contains(&entries));
        for vertex in selection {
            let highest = (0..VERTICES).filter_map(|u| naive.penalty(u)).fold(0.0, f32::max);
            assert!(naive.penalty(vertex).unwrap() >= highest * (1.0 - 1e-5));
            naive.gone[vertex as usize] = true;
        }
    }
}

#[test]
fn neither_threads_nor_memory_matter() {
    for rounds in [of(5), Rounds::OneByOne] {
        let options = GvsOptions { entries: 250, rounds, preference: Preference::Highest };
        let expected = select(3, 1, &options, 1 << 30).unwrap();
        assert_eq!(select(3, 4, &options, 1 << 30).unwrap(), expected);
        let least = match select(3, 1, &options, 4 << 10) {
            Err(Error::BudgetTooSmall { .. }) => 4 << 10,
            other => panic!("4 KiB are enough: {other:?}"),
        };
        let enough = (least..).step_by(1 << 10).find_map(|budget| select(3, 1, &options, budget).ok());
        assert_eq!(enough.unwrap(), expected);
    }
}

#[test]
fn all_that_fits_is_selected_and_nothing_twice() {
    let workers = workers(1);
    let (lists, _) = graph(1, &workers);
    let located = lists.lists.iter().filter(|list| !list.is_empty()).count();
    for rounds in [of(1), of(7), Rounds::OneByOne] {
        let options = GvsOptions { entries: lists.num_arcs(), rounds, preference: Preference::Highest };
        let mut selection = sorted(select(1, 2, &options, 1 << 30).unwrap());
        selection.dedup();
        assert_eq!(selection.len(), located);
        let nothing = GvsOptions { entries: 0, ..options };
        assert_eq!(select(1, 2, &nothing, 1 << 30).unwrap(), Vec::<u32>::new());
    }
}

#[test]
fn the_first_lists_that_fit_are_taken() {
    let workers = workers(1);
    let (lists, back) = graph(5, &workers);
    let (lengths, requests) = (lists.lengths(), back.lengths());
    let candidates = Candidates { lists: &lists, lengths: &lengths, requests: &requests };
    let ranked: Vec<u32> = (0..VERTICES).rev().collect();
    let first = candidates.first(&ranked, 200).unwrap();
    let located: Vec<u32> = ranked.iter().copied().filter(|vertex| lists.page_of(*vertex).is_some()).collect();
    assert_eq!(first, located[..first.len()]);
    let entries = |count: usize| located[..count].iter().map(|vertex| lengths[*vertex as usize]).sum::<u32>();
    assert!(entries(first.len()) <= 200 && entries(first.len() + 1) > 200);
    assert_eq!(candidates.first(&[VERTICES], 200), None);
}

#[test]
fn what_was_asked_for_alone_in_its_page_is_selected_first() {
    let workers = workers(2);
    let (lists, _) = graph(2, &workers);
    let lengths = lists.lengths();
    let page = |vertex: u32| lists.page_of(vertex);
    // Two vertices of one page asked for together, and one of another page by itself, all with lists of about the same
    // length.
    let alike = |vertex: &u32| (4..8).contains(&lengths[*vertex as usize]);
    let vertices: Vec<u32> = (0..VERTICES).filter(alike).collect();
    let pair = vertices.windows(2).find(|pair| page(pair[0]) == page(pair[1])).unwrap();
    let single = *vertices.iter().find(|vertex| page(**vertex) != page(pair[0])).unwrap();
    let set = |members: &[u32]| {
        let set = BitSet::empty(VERTICES);
        members.iter().for_each(|member| _ = set.insert(*member));
        set
    };
    let sets = [set(&[pair[0], pair[1], single]), set(&[single])];
    let requests: Vec<u32> =
        (0..VERTICES).map(|vertex| sets.iter().filter(|set| set.contains(vertex)).count() as u32).collect();
    let candidates = Candidates { lists: &lists, lengths: &lengths, requests: &requests };
    let options = GvsOptions { entries: 20, rounds: Rounds::OneByOne, preference: Preference::Highest };
    let budget = MemoryBudget::new(1 << 20);
    let selection = gvs(&candidates, Requesters::Sets(&sets), &options, &workers, &budget, &Silent).unwrap();
    assert_eq!(selection[0], single);
    assert_eq!(sorted(selection[1..3].to_vec()), pair);
}
