//! Products along the edges as they were given, one after the other, with the absolute terms beside the terms.

use crate::answer::Answer;
use crate::graph::Model;
use crate::reference::Trial;
use crate::setup::{request, with};
use outcrop::params::shared::PRECISION;
use outcrop::{InputVector, Precision, RunRequest};

/// Relative to the sum of absolute terms: sums are taken in another order.
const DOUBLE: f64 = 1e-12;
/// One rounding of the vector and one of the sum.
const SINGLE: f64 = 2.0 * f32::EPSILON as f64;

pub fn trials(model: &Model) -> Vec<Trial> {
    let mut trials = vec![trial(model, &vec![1.0; model.vertices()], &request!("spmv"))];
    trials.push(trial(model, &vec![1.0; model.vertices()], &request!("spmv", "transpose" = true)));
    let vector = signed(model.vertices());
    let whole = request!("spmv", "vector" = InputVector::Values(vector.clone().into()));
    trials.push(trial(model, &vector, &whole));
    trials.push(trial(model, &vector, &with(&with(&whole, "precision", "f32"), "transpose", true)));
    trials.push(by_id(model, &vector));
    for (combine, edge) in [("min", "plus"), ("max", "times"), ("min", "first"), ("plus", "plus")] {
        let whole = with(&with(&whole, "combine", combine), "edge", edge);
        trials.push(semiring(model, &vector, &whole, (combine, edge)));
    }
    trials
}

/// Least and greatest terms, and sums of other terms than products.
fn semiring(model: &Model, vector: &[f64], request: &RunRequest<'static>, (combine, edge): (&str, &str)) -> Trial {
    let of = |(other, weight): &(usize, f64)| match edge {
        "plus" => weight + vector[*other],
        "times" => weight * vector[*other],
        _ => vector[*other],
    };
    let combined = |list: &Vec<(usize, f64)>| match combine {
        "min" => list.iter().map(of).reduce(f64::min),
        "max" => list.iter().map(of).reduce(f64::max),
        _ => Some(list.iter().map(of).sum()),
    };
    let expected: Vec<Option<f64>> = model.into.iter().map(combined).collect();
    Trial::new(request.clone(), move |answer: &Answer| {
        for (rank, (shown, expected)) in answer.doubles("value").iter().zip(&expected).enumerate() {
            let close = |(shown, expected): (f64, f64)| (shown - expected).abs() <= 1e-9 * expected.abs().max(1.0);
            let same = shown.is_none() == expected.is_none() && shown.zip(*expected).is_none_or(close);
            assert!(same, "rank {rank}: {shown:?}, expected {expected:?}");
        }
    })
}

/// Values of both signs, and zeros.
pub fn signed(vertices: usize) -> Vec<f64> {
    (0..vertices).map(|rank| (rank % 7) as f64 / 3.0 - 1.0 + (rank / 7) as f64 * 1e-3).collect()
}

/// Every third value, named in no order.
fn by_id(model: &Model, vector: &[f64]) -> Trial {
    let named = (0..model.vertices()).rev().filter(|rank| rank % 3 == 1);
    let entries: Vec<_> = named.map(|rank| (model.ids[rank].clone(), vector[rank])).collect();
    let thinned: Vec<f64> = vector.iter().enumerate().map(|(rank, v)| if rank % 3 == 1 { *v } else { 0.0 }).collect();
    trial(model, &thinned, &request!("spmv", "vector" = InputVector::Entries(entries.into())))
}

fn trial(model: &Model, vector: &[f64], request: &RunRequest<'static>) -> Trial {
    let lists = if request.args().is_given("transpose") { &model.out } else { &model.into };
    let expected: Vec<(f64, f64)> = lists.iter().map(|list| product(list, vector)).collect();
    let precision = request.args().get(&PRECISION).unwrap();
    Trial::new(request.clone(), move |answer: &Answer| {
        assert_eq!(answer.iterations, 1);
        assert_products(answer, &expected, precision);
    })
}

/// The sum over a list, and that of the absolute terms.
fn product(list: &[(usize, f64)], vector: &[f64]) -> (f64, f64) {
    let terms = || list.iter().map(|(other, weight)| *weight * vector[*other]);
    (terms().sum(), terms().map(f64::abs).sum())
}

fn assert_products(answer: &Answer, expected: &[(f64, f64)], precision: Precision) {
    let (shown, relative) = match precision {
        Precision::Double => (answer.doubles("value"), DOUBLE),
        Precision::Single => (answer.singles("value"), SINGLE),
    };
    assert_eq!(shown.len(), expected.len());
    for (rank, (shown, (sum, absolute))) in shown.into_iter().zip(expected).enumerate() {
        let shown = shown.unwrap();
        assert!((shown - sum).abs() <= relative * absolute, "rank {rank}: {shown:e}, expected {sum:e}");
    }
}
