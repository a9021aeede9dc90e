//! PageRank and products: the same but for rounding.

use crate::trials::{Trial, assert_close, reals, trials};
use outcrop_algorithms::models::Real;
use outcrop_algorithms::pagerank::{self, PageRankParams, Stop};
use outcrop_algorithms::{AtomicFloat, Outcome, Values, spmv};
use outcrop_types::{Direction, Purpose, VertexValues};
use std::sync::atomic::{AtomicU32, AtomicU64};

fn compare_ranks<R: Real, F: AtomicFloat>(
    trial: &Trial,
    parameters: &PageRankParams<'_>,
    as_values: fn(VertexValues<F::Plain>) -> Values,
    relative: f64,
) {
    trial.run(
        pagerank::interval::work::<R>,
        |engine| pagerank::interval::pagerank::<R>(engine, parameters, None).unwrap(),
        |engine| {
            pagerank::edge_map::pagerank::<F, _>(engine, trial.out_degrees(), parameters, false, as_values).unwrap()
        },
        |found, expected| {
            assert_eq!(found.iterations, expected.iterations);
            assert_eq!(found.convergence.is_some(), expected.convergence.is_some());
            assert_close(&reals(found), &reals(expected), relative);
        },
    );
}

#[test]
fn ranks_agree() {
    for trial in trials() {
        let jumps: Vec<_> =
            [(0, 0.0), (0, 2.0), (7, 1.0), (7, 0.5)].into_iter().filter(|(v, _)| *v < trial.vertices).collect();
        let some = Some(&jumps[..]).filter(|jumps| !jumps.is_empty());
        let stops = [Stop::After(3), Stop::After(0), Stop::Below { tolerance: 1e-6, at_most: 100 }];
        for stop in stops.into_iter().take(if trial.vertices > 1000 { 1 } else { 3 }) {
            for personalization in [None, some] {
                let parameters = PageRankParams { alpha: 0.85, stop, personalization };
                compare_ranks::<f64, AtomicU64>(&trial, &parameters, Values::Float64, 1e-12);
            }
        }
        let parameters = PageRankParams { alpha: 0.85, stop: Stop::After(9), personalization: some };
        compare_ranks::<f32, AtomicU32>(&trial, &parameters, Values::Float32, 1.2e-6);
    }
}

/// Ranks of edge maps until `tolerance`, with and without acceleration.
fn accelerated_and_not(trial: &Trial, jumps: Option<&[(u32, f64)]>, tolerance: f64) -> [Outcome; 2] {
    let stop = Stop::Below { tolerance, at_most: 1000 };
    let parameters = PageRankParams { alpha: 0.85, stop, personalization: jumps };
    [true, false].map(|accelerated| {
        let engine = trial.edge_map_engine();
        let degrees = trial.out_degrees();
        let ranks = Values::Float64;
        pagerank::edge_map::pagerank::<AtomicU64, _>(&engine, degrees, &parameters, accelerated, ranks).unwrap()
    })
}

#[test]
fn accelerated_ranks_agree_within_the_tolerance_in_fewer_iterations() {
    let ([mut with, mut without], tolerances) = ([0; 2], [1e-4, 1e-9, 1e-13]);
    for (trial, tolerance) in trials().iter().flat_map(|trial| tolerances.map(|tolerance| (trial, tolerance))) {
        let jumps = [(0, 2.0), (7, 1.0)];
        let some = Some(&jumps[..]).filter(|_| trial.vertices > 7);
        for personalization in [None, some] {
            let [found, expected] = accelerated_and_not(trial, personalization, tolerance);
            let (iterations, most) = (found.iterations, expected.iterations);
            assert!(
                iterations <= most + most / 10 + 1,
                "{iterations} instead of {most} iterations, {} vertices",
                trial.vertices
            );
            (with, without) = (with + iterations, without + most);
            let [ranks, exact] = [reals(&found), reals(&expected)];
            let error: f64 = ranks.iter().zip(&exact).map(|(rank, exact)| (rank - exact).abs()).sum();
            // Each is within alpha / (1 - alpha) of the exact ranks.
            assert!(error <= tolerance * 2.0 * 0.85 / 0.15 + 1e-14, "{error} with {tolerance}");
            assert!(ranks.iter().all(|rank| *rank >= 0.0));
            assert!(ranks.is_empty() || (ranks.iter().sum::<f64>() - 1.0).abs() <= tolerance + 1e-12);
        }
    }
    assert!(with * 5 < without * 4, "{with} instead of {without} iterations");
}

fn compare_products<R: Real, F: AtomicFloat>(as_values: fn(VertexValues<F::Plain>) -> Values, relative: f64) {
    let semiring = spmv::Semiring::default();
    let number = |vertex: u32| 1.0 + f64::from(vertex % 9) / 7.0;
    for (trial, along) in trials().into_iter().flat_map(|trial| {
        let trial = std::rc::Rc::new(trial);
        [Direction::In, Direction::Out].map(|along| (std::rc::Rc::clone(&trial), along))
    }) {
        trial.run(
            |place| spmv::interval::work::<R>(place, along),
            |engine| -> Outcome {
                let value = |vertex| R::of(number(vertex));
                let vector = engine.values(value).unwrap();
                spmv::interval::spmv(engine, &vector, along, semiring).unwrap()
            },
            |engine| {
                let value = |vertex: usize| F::new(number(vertex as u32));
                let count = trial.vertices as usize;
                let budget = &trial.setting.graph.budget;
                let vector = VertexValues::new(budget, Purpose::VertexValues, count, value).unwrap();
                spmv::edge_map::spmv::<F>(engine, vector, along, semiring, as_values).unwrap()
            },
            |found, expected| assert_close(&reals(found), &reals(expected), relative),
        );
    }
}

#[test]
fn products_agree() {
    compare_products::<f64, AtomicU64>(Values::Float64, 1e-12);
    compare_products::<f32, AtomicU32>(Values::Float32, 1.2e-7);
}
