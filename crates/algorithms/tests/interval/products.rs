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
        |engine| pagerank::edge_map::pagerank::<F, _>(engine, trial.out_degrees(), parameters, as_values).unwrap(),
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
