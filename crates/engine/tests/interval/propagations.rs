//! Values that get better until none does.

use crate::lists::{Edge, drawn_edges, members};
use crate::settings::{Made, Setting, plain};
use outcrop_engine::interval::IntervalProgram;
use outcrop_engine::schedule::Schedule;
use outcrop_engine::{Directions, Number};
use outcrop_io::BitFlip;
use outcrop_types::{Result, SplitMix64, VertexId, VertexSet};
use std::sync::Arc;

const VERTICES: u32 = 20_000;
const SOURCE: VertexId = 19_999;

/// Steps from a source.
struct Hops;

impl IntervalProgram for Hops {
    type Source = u32;
    type Target = u32;
    type Sum = u32;

    fn settled(&self, value: u32) -> bool {
        value == 0
    }

    fn begin(&self, _: VertexId) -> u32 {
        u32::MAX
    }

    fn gather(&self, least: &mut u32, _: VertexId, value: u32, _: f64) {
        *least = value.saturating_add(1).min(*least);
    }

    fn apply(&self, _: VertexId, old: u32, least: u32) -> u32 {
        old.min(least)
    }
}

/// The least label that reaches a vertex.
struct Labels;

impl IntervalProgram for Labels {
    type Source = u64;
    type Target = u64;
    type Sum = u64;

    fn settled(&self, value: u64) -> bool {
        value == 0
    }

    fn begin(&self, _: VertexId) -> u64 {
        u64::MAX
    }

    fn gather(&self, least: &mut u64, _: VertexId, value: u64, _: f64) {
        *least = value.min(*least);
    }

    fn apply(&self, _: VertexId, old: u64, least: u64) -> u64 {
        old.min(least)
    }
}

/// The shortest weighted way from a source.
struct Distances;

impl IntervalProgram for Distances {
    type Source = f64;
    type Target = f64;
    type Sum = f64;

    fn begin(&self, _: VertexId) -> f64 {
        f64::INFINITY
    }

    fn gather(&self, least: &mut f64, _: VertexId, value: f64, weight: f64) {
        *least = (value + weight).min(*least);
    }

    fn apply(&self, _: VertexId, old: f64, least: f64) -> f64 {
        old.min(least)
    }
}

/// Iterates until nothing is active; the values, which never depend on threads.
fn run<V: Number, P: IntervalProgram<Source = V, Target = V, Sum = V>>(
    setting: &Setting,
    made: &Made,
    (program, along): (&P, Directions),
    start: impl Fn(VertexId) -> V + Sync,
    mut active: VertexSet,
) -> Vec<V> {
    let engine = setting.engine(made);
    let mut values = engine.values(start).unwrap();
    let mut before = active.len();
    while !active.is_empty() {
        assert!(before > 0);
        active = engine.propagate(program, along, &mut values, &active).unwrap();
        before = active.len();
        engine.end_iteration(None);
    }
    assert_eq!(engine.value_traffic().1 > 0, made.on_disk);
    drop(engine);
    if made.on_disk {
        assert_eq!(setting.graph.budget.available(), setting.graph.budget.limit());
    }
    plain(values)
}

/// By relaxing every edge until nothing changes.
fn relaxed<V: Number + PartialOrd>(relax: impl Fn(V, f64) -> V, edges: &[Edge], mut values: Vec<V>) -> Vec<V> {
    loop {
        let mut changed = false;
        for (source, target, weight) in edges {
            let offered = relax(values[*source as usize], *weight);
            if offered < values[*target as usize] {
                values[*target as usize] = offered;
                changed = true;
            }
        }
        if !changed {
            return values;
        }
    }
}

/// A few long ways, a vertex with many edges, many vertices that nothing reaches.
fn edges() -> Vec<Edge> {
    let mut edges = drawn_edges(VERTICES, 30_000);
    edges.extend((0..60).map(|step| (SOURCE - step, SOURCE - step - 1, 1.0)));
    edges.extend((0..VERTICES).step_by(2).map(|other| (5000, other, 3.0)));
    edges
}

/// Every way of running: where values are, how iterations are scheduled, with how much memory, and with one thread or
/// two.
fn every_way(check: impl Fn(&Made, usize)) {
    for on_disk in [false, true] {
        for schedule in [Schedule::Auto, Schedule::Select, Schedule::Sweep] {
            for without_in_lists in [false, true] {
                let made = Made { schedule, without_in_lists, ..Made::new(VERTICES, on_disk) };
                check(&made, 2);
            }
            check(&Made { schedule, memory: 0, ..Made::new(VERTICES, on_disk) }, 1);
        }
    }
}

fn from_source<T: Number>(value: T, else_value: T) -> impl Fn(VertexId) -> T + Copy {
    move |vertex| if vertex == SOURCE { value } else { else_value }
}

#[test]
fn hops_are_those_of_relaxed_edges() {
    let start = from_source(0, u32::MAX);
    let expected = relaxed(|hops: u32, _| hops.saturating_add(1), &edges(), (0..VERTICES).map(start).collect());
    assert!(expected.contains(&u32::MAX) && expected.iter().filter(|hops| **hops < u32::MAX).count() > 10_000);
    every_way(|made, threads| {
        let setting = Setting::new(VERTICES, edges(), threads);
        let active = VertexSet::from_members(vec![SOURCE], VERTICES);
        assert!(run(&setting, made, (&Hops, Directions::Out), start, active) == expected);
    });
}

#[test]
fn distances_are_those_of_relaxed_edges() {
    let start = from_source(0.0, f64::INFINITY);
    let expected = relaxed(|distance, weight| distance + weight, &edges(), (0..VERTICES).map(start).collect());
    every_way(|made, threads| {
        let setting = Setting::new(VERTICES, edges(), threads);
        let active = VertexSet::from_members(vec![SOURCE], VERTICES);
        assert!(run(&setting, made, (&Distances, Directions::Out), start, active) == expected);
    });
}

#[test]
fn labels_go_both_ways() {
    let sparse = drawn_edges(VERTICES, 16_000);
    let both: Vec<Edge> = sparse.iter().flat_map(|edge| [*edge, (edge.1, edge.0, edge.2)]).collect();
    let expected = relaxed(|label, _| label, &both, (0..VERTICES).map(u64::from).collect());
    every_way(|made, threads| {
        if !made.without_in_lists {
            let directed = Setting::new(VERTICES, sparse.clone(), threads);
            let all = VertexSet::all(VERTICES);
            assert!(run(&directed, made, (&Labels, Directions::Both), u64::from, all) == expected);
            let (undirected, made) =
                (Setting::undirected(VERTICES, &sparse, threads), Made { undirected: true, ..*made });
            let all = VertexSet::all(VERTICES);
            assert!(run(&undirected, &made, (&Labels, Directions::Both), u64::from, all) == expected);
        }
    });
}

#[test]
fn one_iteration_activates_what_got_better() {
    let edges = [(1, 2, 1.0), (2, 3, 1.0), (1, 4, 1.0), (5, 4, 1.0)];
    for on_disk in [false, true] {
        for schedule in [Schedule::Select, Schedule::Sweep] {
            let setting = Setting::new(6, edges.to_vec(), 1);
            let engine = setting.engine(&Made { schedule, ..Made::new(6, on_disk) });
            let mut values = engine.values(|_| 10).unwrap();
            values.set(1, 3).unwrap();
            values.set(4, 4).unwrap();
            let active = VertexSet::from_members(vec![1, 5], 6);
            let next = engine.propagate(&Hops, Directions::Out, &mut values, &active).unwrap();
            assert_eq!(members(&next), [2]);
            assert_eq!((values.get(2).unwrap(), values.get(3).unwrap()), (4, 10));
            assert_eq!(plain(values), [10, 3, 4, 10, 4, 10]);
        }
    }
}

/// Distances with values on a disk that flips a bit; read back at the end too.
fn distances_over(edges: &[Edge], flip: &Arc<BitFlip>) -> Result<Vec<f64>> {
    let setting = Setting::new(VERTICES, edges.to_vec(), 2).flipping(Arc::clone(flip));
    let engine = setting.engine(&Made::new(VERTICES, true));
    let start = |vertex| if vertex == SOURCE { 0.0 } else { f64::INFINITY };
    let mut values = engine.values(start)?;
    let mut active = VertexSet::from_members(vec![SOURCE], VERTICES);
    while !active.is_empty() {
        active = engine.propagate(&Distances, Directions::Out, &mut values, &active)?;
        engine.end_iteration(None);
    }
    (0..VERTICES).step_by(997).map(|vertex| values.get(vertex)).collect()
}

fn flip_bits(seed: u64, flips: u64) -> [u64; 3] {
    let (edges, draws) = (drawn_edges(VERTICES, 60_000), SplitMix64::new(seed, 9));
    let expected = distances_over(&edges, &Arc::new(BitFlip::never())).unwrap();
    let counts = BitFlip::campaign(&draws, flips, &expected, |flip| distances_over(&edges, flip));
    counts.map_err(|error| (seed, error)).unwrap()
}

#[test]
fn a_bit_that_changes_in_values_on_disk_is_noticed() {
    let [made, noticed, _] = flip_bits(7, 12);
    assert!(made >= 9 && noticed >= 9, "{noticed} of {made}");
}

#[test]
#[ignore = "some minutes: a thousand runs"]
fn a_thousand_bits_that_change_in_values_on_disk_are_noticed() {
    let seed = std::env::var("OUTCROP_SEED").map_or(7, |seed| seed.parse().unwrap());
    let [made, noticed, harmless] = flip_bits(seed, 1100);
    println!(
        "OUTCROP_SEED={seed}: {made} bits flipped in values, {noticed} noticed, {harmless} harmless, 0 undetected"
    );
    assert!(made >= 1000 && noticed + harmless == made, "{noticed} and {harmless} of {made}");
}
