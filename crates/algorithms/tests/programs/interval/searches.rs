//! Searches and components: the same answers to the last bit.

use crate::settings::{Made, Setting};
use crate::trials::{Trial, bits, trials};
use outcrop_algorithms::models::{Place, Real};
use outcrop_algorithms::sssp::{self, Method};
use outcrop_algorithms::weights::RefusedEdge;
use outcrop_algorithms::{AtomicFloat, IdOrder, Outcome, Values, bfs, wcc};
use outcrop_engine::Engine;
use outcrop_engine::schedule::Schedule;
use outcrop_types::{Error, Purpose, VertexValues};
use std::sync::atomic::{AtomicU32, AtomicU64};

fn assert_same(found: &Outcome, expected: &Outcome) {
    assert!(bits(found) == bits(expected));
    assert!(found.columns.iter().map(|column| &column.name).eq(expected.columns.iter().map(|column| &column.name)));
}

/// Id orders: one that turns the vertices around, and those of none.
fn with_ranks(trial: &Trial, run: impl Fn(IdOrder<'_>)) {
    let budget = outcrop_types::MemoryBudget::new(1 << 20);
    let turned = |vertex| trial.vertices - 1 - vertex as u32;
    let ranks = VertexValues::new(&budget, Purpose::IdMap, trial.vertices as usize, turned).unwrap();
    run(IdOrder(None));
    run(IdOrder(Some(&ranks)));
}

/// Sources in the first few vertices, one of them twice.
fn sources(trial: &Trial) -> Vec<u32> {
    [40, 0, 2, 40].into_iter().filter(|source| *source < trial.vertices).collect()
}

#[test]
fn breadth_first_searches_agree() {
    for trial in trials() {
        let sources = sources(&trial);
        with_ranks(&trial, |ranks| {
            trial.run(
                |place| bfs::interval::work(place, true),
                |engine| bfs::interval::bfs(engine, &sources, Some(ranks)).unwrap(),
                |engine| bfs::edge_map::bfs(engine, &sources, Some(ranks), false, u32::MAX, 0).unwrap(),
                assert_same,
            );
        });
    }
}

#[test]
fn components_agree() {
    for trial in trials() {
        with_ranks(&trial, |ranks| {
            trial.run(
                wcc::interval::work,
                |engine| wcc::interval::wcc(engine, ranks).unwrap(),
                |engine| {
                    let graph = &trial.setting.graph;
                    wcc::wcc(engine, &graph.out, &graph.into, ranks, wcc::Method::Sweep).unwrap()
                },
                assert_same,
            );
        });
    }
}

fn never(edge: RefusedEdge) -> Error {
    panic!("{edge:?}")
}

fn shortest_paths<F: AtomicFloat>(
    engine: &Engine<'_>,
    sources: &[u32],
    ranks: IdOrder<'_>,
    as_values: impl Fn(VertexValues<F::Plain>) -> Values,
) -> Outcome {
    sssp::edge_map::sssp::<F>(engine, sources, Some(ranks), Method::BellmanFord, f64::INFINITY, as_values, never)
        .unwrap()
}

fn compare_shortest_paths<R: Real, F: AtomicFloat>(as_values: impl Fn(VertexValues<F::Plain>) -> Values) {
    for trial in trials() {
        let sources = sources(&trial);
        with_ranks(&trial, |ranks| {
            trial.run(
                sssp::interval::work::<R>,
                |engine| sssp::interval::sssp::<R>(engine, &sources, Some(ranks), never).unwrap(),
                |engine| shortest_paths::<F>(engine, &sources, ranks, &as_values),
                assert_same,
            );
        });
    }
}

#[test]
fn shortest_paths_agree_in_double_precision() {
    compare_shortest_paths::<f64, AtomicU64>(Values::Float64);
}

#[test]
fn shortest_paths_agree_in_single_precision() {
    compare_shortest_paths::<f32, AtomicU32>(Values::Float32);
}

#[test]
fn the_first_negative_edge_that_leaves_a_reached_vertex_is_told() {
    let edges = vec![(0, 1, 1.0), (1, 3, -2.0), (1, 2, -1.0), (5, 0, -9.0), (2, 4, 1.0)];
    let setting = Setting::new(6, edges, 2);
    for (on_disk, schedule) in
        [(false, Schedule::Select), (false, Schedule::Sweep), (true, Schedule::Select), (true, Schedule::Sweep)]
    {
        let requirements = sssp::interval::work::<f32>(Place { vertices: 6, weighted: true, on_disk }).requirements;
        let engine = setting.engine(&Made { schedule, requirements, ..Made::new(6, on_disk) });
        let refuse = |edge: RefusedEdge| Error::Usage(format!("{edge:?}"));
        let error = sssp::interval::sssp::<f32>(&engine, &[0], None, refuse).err().unwrap();
        let expected = RefusedEdge { source: 1, target: 2, weight: -1.0 };
        assert_eq!(error.to_string(), format!("{expected:?}"));
    }
}
