//! Vectors that are multiplied edge by edge as often as the run did.

use crate::answer::Answer;
use crate::graph::Model;
use crate::reference::Trial;
use crate::setup::{request, with};
use outcrop::RunRequest;
use std::rc::Rc;

type Lists = Rc<Vec<Vec<(usize, f64)>>>;

/// Relative, of a value, and absolute: sums are taken in another order, and values may underflow.
const CLOSE: (f64, f64) = (1e-10, 1e-15);
/// Some of the graphs take many iterations.
const MANY: u32 = 100_000;

pub fn eigenvector_trials(model: &Model) -> Vec<Trial> {
    let trial = |request: RunRequest<'static>, weighted: bool, tolerance: f64| {
        let [into, _] = lists(model, weighted);
        let start = vec![1.0 / into.len() as f64; into.len()];
        let weights = into.iter().flatten().map(|(_, weight)| *weight);
        let largest = if weighted { weights.fold(0.0, f64::max) } else { 1.0 };
        let shift = if largest > 0.0 { largest.min(1.0) } else { 1.0 };
        let step = move |values: &[f64]| {
            let sums = product(&into, values);
            scaled(&sums.iter().zip(values).map(|(sum, value)| sum + shift * value).collect::<Vec<_>>(), norm)
        };
        let request = with(&with(&request, "tol", tolerance), "max-iter", MANY);
        Trial::new(request, move |answer| {
            assert_columns(answer, [("eigenvector", &replayed(answer, start.clone(), &step, (1.0, tolerance))[1])])
        })
    };
    let mut trials = vec![trial(request!("eigenvector"), false, 0.2)];
    trials.push(trial(request!("eigenvector"), false, 0.02));
    let weighted = || trial(request!("eigenvector", "weighted" = true), true, 0.05);
    trials.extend(model.weighted.then(weighted));
    trials
}

pub fn katz_trials(model: &Model) -> Vec<Trial> {
    let trial = |request: RunRequest<'static>, [into, _]: [Lists; 2], normalized: bool| {
        let most = into.iter().map(|list| list.iter().map(|(_, weight)| weight).sum::<f64>()).fold(1.0, f64::max);
        let (alpha, beta, tolerance, start) = (0.5 / most, 2.5, 1e-9, vec![0.0; into.len()]);
        let count = into.len() as f64;
        let step =
            move |values: &[f64]| product(&into, values).iter().map(|sum| alpha * sum + beta).collect::<Vec<_>>();
        let request = with(&with(&with(&request, "alpha", alpha), "beta", beta), "tol", tolerance);
        Trial::new(request, move |answer: &Answer| {
            let [_, values] = replayed(answer, start.clone(), &step, (count, tolerance));
            assert_columns(answer, [("katz", &if normalized { scaled(&values, norm) } else { values })])
        })
    };
    let mut trials = vec![
        trial(request!("katz"), lists(model, false), true),
        trial(request!("katz", "unnormalized" = true), lists(model, false), false),
    ];
    trials.extend(model.weighted.then(|| trial(request!("katz", "weighted" = true), lists(model, true), true)));
    trials
}

pub fn hits_trials(model: &Model) -> Vec<Trial> {
    let trial = |request: RunRequest<'static>, [into, out]: [Lists; 2], tolerance: f64| {
        let start = vec![1.0 / (into.len() as f64).sqrt(); into.len()];
        let step = {
            let into = Rc::clone(&into);
            move |values: &[f64]| scaled(&product(&out, &product(&into, values)), norm)
        };
        let request = with(&with(&request, "tol", tolerance), "max-iter", MANY);
        Trial::new(request, move |answer: &Answer| {
            let [before, hubs] = replayed(answer, start.clone(), &step, (1.0, tolerance));
            let [hubs, authorities] = [&hubs, &product(&into, &before)].map(|values| scaled(values, total));
            assert_columns(answer, [("hub", &hubs), ("authority", &authorities)]);
        })
    };
    let mut trials = vec![trial(request!("hits"), lists(model, true), 0.02)];
    let unweighted = || trial(request!("hits", "unweighted" = true), lists(model, false), 0.01);
    trials.extend(model.weighted.then(unweighted));
    trials
}

/// In-lists and out-lists, with their weights or with weights of 1.
fn lists(model: &Model, weighted: bool) -> [Lists; 2] {
    let entry = |(other, weight): &(usize, f64)| (*other, if weighted { *weight } else { 1.0 });
    let list = |list: &Vec<(usize, f64)>| list.iter().map(entry).collect::<Vec<_>>();
    [&model.into, &model.out].map(|lists| Rc::new(lists.iter().map(list).collect()))
}

fn product(lists: &[Vec<(usize, f64)>], values: &[f64]) -> Vec<f64> {
    lists.iter().map(|list| list.iter().map(|(other, weight)| weight * values[*other]).sum()).collect()
}

fn norm(values: &[f64]) -> f64 {
    values.iter().map(|value| value * value).sum::<f64>().sqrt()
}

fn total(values: &[f64]) -> f64 {
    values.iter().sum()
}

fn scaled(values: &[f64], divisor: fn(&[f64]) -> f64) -> Vec<f64> {
    let divisor = divisor(values);
    values.iter().map(|value| if divisor == 0.0 { *value } else { value / divisor }).collect()
}

/// The values before and after the last of as many steps as the run took: the last change, divided by a number, is the
/// first below the tolerance.
fn replayed(
    answer: &Answer,
    mut values: Vec<f64>,
    step: &impl Fn(&[f64]) -> Vec<f64>,
    (divisor, tolerance): (f64, f64),
) -> [Vec<f64>; 2] {
    let mut before = values.clone();
    for iteration in 1..=answer.iterations {
        let next = step(&values);
        let change = values.iter().zip(&next).map(|(old, new)| (old - new).abs()).sum::<f64>();
        let ends = iteration == answer.iterations;
        let limit = tolerance * divisor * if ends { 1.0 + 1e-6 } else { 1.0 - 1e-6 };
        assert!(values.is_empty() || (change < limit) == ends, "{change:e} in iteration {iteration}");
        before = std::mem::replace(&mut values, next);
    }
    [before, values]
}

fn assert_columns<const N: usize>(answer: &Answer, columns: [(&str, &[f64]); N]) {
    for (name, expected) in columns {
        let found = answer.doubles(name);
        assert_eq!(found.len(), expected.len());
        for (rank, (found, expected)) in found.into_iter().zip(expected).enumerate() {
            let found = found.unwrap();
            assert!(
                (found - expected).abs() <= CLOSE.0 * expected + CLOSE.1,
                "{name} of rank {rank}: {found:e}, expected {expected:e}"
            );
        }
    }
}
