//! Heat.

use super::engines::{run, run_with_threads};
use crate::graphs::{Graph, arcs, graphs, large, undirected};
use crate::setting::KINDS;
use crate::trials::reals;
use outcrop_algorithms::heat::gas::{self, HeatParams};
use outcrop_engine::Directions;
use outcrop_gas::ShardKind;
use outcrop_types::{Error, MemoryBudget, Purpose, SplitMix64, VertexValues};
use std::f64::consts::PI;

/// Temperatures in memory that nobody else counts.
fn values(of: &[f64]) -> VertexValues<f64> {
    VertexValues::new(&MemoryBudget::new(1 << 20), Purpose::VertexValues, of.len(), |vertex| of[vertex]).unwrap()
}

/// Runs in all ways with these delays, and hands over temperatures and iterations.
fn temperatures(
    (graph, start): (&Graph, &[f64]),
    (parameters, delays): (HeatParams, &[u64]),
    mut check: impl FnMut(&[f64], u32),
) {
    run(graph, delays, &gas::work, |engine, _| {
        let ran = gas::heat(engine, values(start), parameters, |bad| panic!("{bad:?}")).unwrap();
        check(&reals(&ran), ran.iterations);
    });
}

fn assert_near(found: &[f64], expected: &[f64], bound: f64) {
    assert_eq!(found.len(), expected.len());
    for (vertex, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!((found - expected).abs() <= bound, "vertex {vertex}: {found:e}, expected {expected:e}");
    }
}

/// A vector that the Laplacian of `graph` only scales, by `eigenvalue`.
struct Mode {
    graph: Graph,
    eigenvalue: f64,
    of: Vec<f64>,
}

impl Mode {
    fn new(vertices: u32, edges: Vec<(u32, u32)>, eigenvalue: f64, of: impl Fn(f64) -> f64) -> Self {
        let of = (0..vertices).map(|vertex| of(f64::from(vertex))).collect();
        Self { graph: undirected(vertices, edges), eigenvalue, of }
    }
}

/// Modes of paths, cycles, complete graphs and stars.
fn modes() -> Vec<Mode> {
    let path: Vec<_> = (1..17).map(|vertex| (vertex - 1, vertex)).collect();
    let cycle: Vec<_> = (0..15).map(|vertex| (vertex, (vertex + 1) % 15)).collect();
    let complete: Vec<_> = (0..9).flat_map(|one| (0..one).map(move |other| (one, other))).collect();
    let star: Vec<_> = (1..12).map(|leaf| (leaf, 0)).collect();
    let mut modes = Vec::new();
    for k in 0..4 {
        let (half, whole) = (PI * f64::from(k) / 17.0, 2.0 * PI * f64::from(k) / 15.0);
        modes.push(Mode::new(17, path.clone(), 2.0 - 2.0 * half.cos(), move |vertex| (half * (vertex + 0.5)).cos()));
        modes.push(Mode::new(15, cycle.clone(), 2.0 - 2.0 * whole.cos(), move |vertex| (whole * vertex).cos()));
    }
    modes.push(Mode::new(9, complete, 9.0, |vertex| vertex - 4.0));
    modes.push(Mode::new(12, star.clone(), 1.0, |vertex| if vertex == 0.0 { 0.0 } else { vertex - 6.0 }));
    modes.push(Mode::new(12, star, 12.0, |vertex| if vertex == 0.0 { 11.0 } else { -1.0 }));
    modes
}

fn largest_degree(graph: &Graph) -> f64 {
    f64::from(arcs(graph, Directions::Both).out_degrees().into_iter().max().unwrap_or(0))
}

#[test]
fn modes_fade_by_their_eigenvalues() {
    for Mode { graph, eigenvalue, of } in modes() {
        let start: Vec<f64> = of.iter().map(|value| 20.0 + value).collect();
        let degree = largest_degree(&graph);
        for (rate, meant) in [(None, 1.0 / (1.0 + degree)), (Some(0.7 / degree), 0.7 / degree)] {
            for steps in [0, 1, 7, 40] {
                let fading = (1.0 - meant * eigenvalue).powi(steps);
                let expected: Vec<f64> = of.iter().map(|value| 20.0 + fading * value).collect();
                let parameters = HeatParams { rate, steps: steps as u32, tolerance: 0.0 };
                temperatures((&graph, &start), (parameters, &[0]), |found, _| assert_near(found, &expected, 1e-11));
            }
        }
    }
}

/// Steps by the definition.
fn stepped(graph: &Graph, start: &[f64], rate: f64, steps: u32) -> Vec<f64> {
    let arcs = arcs(graph, Directions::Both).arcs;
    (0..steps).fold(start.to_vec(), |before, _| {
        let mut after = before.clone();
        for (source, target, _) in &arcs {
            after[*target as usize] += rate * (before[*source as usize] - before[*target as usize]);
        }
        after
    })
}

/// Cold, but for some vertices.
fn drawn_start(vertices: u32) -> Vec<f64> {
    let random = SplitMix64::new(8, 0);
    let temperature = |vertex: u32| match random.up_to(u64::from(vertex), 9) {
        0 => 100.0 - f64::from(vertex % 150),
        _ => 0.0,
    };
    (0..vertices).map(temperature).collect()
}

#[test]
fn steps_are_those_of_the_definition_and_keep_the_sum() {
    for graph in graphs() {
        let (start, rate) = (drawn_start(graph.vertices), 1.0 / (1.0 + largest_degree(&graph)));
        for (rate, given) in [(rate, None), (rate / 2.0, Some(rate / 2.0))] {
            let expected = stepped(&graph, &start, rate, 12);
            let parameters = HeatParams { rate: given, steps: 12, tolerance: 0.0 };
            temperatures((&graph, &start), (parameters, &[0]), |found, iterations| {
                assert_near(found, &expected, 1e-11);
                assert!((found.iter().sum::<f64>() - start.iter().sum::<f64>()).abs() < 1e-9);
                assert!(iterations <= 12);
            });
        }
    }
}

#[test]
fn what_is_kept_back_is_bounded_and_keeps_the_sum() {
    for graph in graphs() {
        let (start, rate) = (drawn_start(graph.vertices), 1.0 / (1.0 + largest_degree(&graph)));
        for (steps, tolerance) in [(12, 1e-3), (60, 0.5)] {
            let expected = stepped(&graph, &start, rate, steps);
            let parameters = HeatParams { rate: None, steps, tolerance };
            temperatures((&graph, &start), (parameters, &[0]), |found, iterations| {
                assert_near(found, &expected, 2.0 * tolerance * f64::from(steps));
                assert!((found.iter().sum::<f64>() - start.iter().sum::<f64>()).abs() < 1e-9);
                assert_eq!(iterations, steps);
            });
        }
    }
}

#[test]
fn a_tolerance_updates_fewer_edges() {
    let graph = &graphs()[4];
    let start = drawn_start(graph.vertices);
    let updated = [0.0, 1e-2, 1.0].map(|tolerance| {
        let diffusion = gas::Diffusion::new(&start, HeatParams { rate: None, steps: 50, tolerance });
        let along = arcs(graph, Directions::Both);
        let came = crate::interpreter::interpret(&diffusion, &along, diffusion.iterations());
        came.updated.iter().sum::<u64>()
    });
    assert!(updated[0] > updated[1] && updated[1] > updated[2], "{updated:?}");
}

#[test]
fn delayed_heat_stays_between_the_lowest_and_the_highest() {
    let graph = &graphs()[4];
    let start = drawn_start(graph.vertices);
    // Heat flows by what is known of neighbors: to what they had at some time.
    let (lowest, highest) =
        start.iter().fold((-1e-9_f64, 1e-9_f64), |(low, high), x| (low.min(*x - 1e-9), high.max(*x + 1e-9)));
    let parameters = HeatParams { rate: None, steps: 200, tolerance: 0.0 };
    temperatures((graph, &start), (parameters, &[200, 1 << 20]), |found, _| {
        assert!(found.iter().all(|temperature| (lowest..=highest).contains(temperature)));
    });
}

#[test]
fn temperatures_do_not_depend_on_threads_or_shards() {
    let graph = &large();
    let start = drawn_start(graph.vertices);
    let parameters = HeatParams { rate: None, steps: 12, tolerance: 0.01 };
    let mut same = None;
    for kind in KINDS {
        run_with_threads(graph, kind, &gas::work, |engine, way| {
            let ran = gas::heat(engine, values(&start), parameters, |bad| panic!("{bad:?}")).unwrap();
            let (found, expected) = (reals(&ran), same.get_or_insert_with(|| reals(&ran)));
            match kind {
                // What was delayed comes last in lists of updates.
                ShardKind::EdgeList => assert_near(&found, expected, 1e-12),
                _ => assert!(found == *expected, "{way:?}"),
            }
        });
    }
}

#[test]
fn rates_that_are_not_stable_are_refused_with_the_largest_that_is() {
    let graph = undirected(12, (1..9).map(|leaf| (leaf, 0)).chain([(3, 3), (0, 1)]));
    let start = vec![1.0; 12];
    run(&graph, &[0], &gas::work, |engine, _| {
        let with = |rate| {
            let parameters = HeatParams { rate: Some(rate), steps: 3, tolerance: 0.0 };
            gas::heat(engine, values(&start), parameters, |bad| panic!("{bad:?}"))
        };
        let refused = with(0.2).unwrap_err().to_string();
        assert!(refused.contains("0.2 is unstable") && refused.ends_with("0.125"), "{refused}");
        with(0.125).unwrap();
    });
}

#[test]
fn temperatures_that_are_no_numbers_are_refused_and_named() {
    let graph = undirected(4, [(0, 1), (1, 2)]);
    for bad in [f64::NAN, f64::NEG_INFINITY, 1e300] {
        run(&graph, &[0], &gas::work, |engine, _| {
            let refuse =
                |bad: outcrop_algorithms::models::BadValue| Error::Usage(format!("{} {}", bad.vertex, bad.value));
            let parameters = HeatParams { rate: None, steps: 3, tolerance: 0.0 };
            let refused = gas::heat(engine, values(&[0.0, -3.0, 1.0, bad]), parameters, refuse).unwrap_err();
            assert_eq!(refused.to_string(), format!("3 {bad}"));
        });
    }
}
