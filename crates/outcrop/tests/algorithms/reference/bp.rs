//! Messages of all edges at once, round after round, as odds and with the potentials as they are written.

use super::{Trial, simple};
use crate::graph::Model;
use outcrop::{InputVector, Precision, RunRequest};

/// What beliefs may be off: messages end within the tolerance of each other, and few neighbours hand on much of that.
const CLOSE: f64 = 1e-6;
const SINGLE: f64 = 1e-4;

pub fn trials(model: &Model) -> Vec<Trial> {
    let priors: Vec<f64> = (0..model.vertices()).map(|rank| 0.05 + 0.9 * (rank * 7 % 11) as f64 / 10.0).collect();
    let given = InputVector::Values(priors.clone().into());
    let whole = |request: &mut RunRequest| {
        (request.vector, request.coupling, request.tolerance) = (Some(given.clone()), Some(0.52), Some(1e-8));
    };
    let damped = |request: &mut RunRequest| {
        whole(request);
        (request.coupling, request.damping, request.precision) = (Some(0.49), Some(0.3), Some(Precision::Single));
        request.tolerance = Some(1e-6);
    };
    // Nothing is known of those that are not named.
    let some: Vec<_> = (0..model.vertices()).filter(|rank| rank % 3 == 1).collect();
    let entries: Vec<_> = some.iter().rev().map(|rank| (model.ids[*rank].clone(), priors[*rank])).collect();
    let thinned: Vec<_> = (0..model.vertices()).map(|rank| if rank % 3 == 1 { priors[rank] } else { 0.5 }).collect();
    let named = |request: &mut RunRequest| {
        (request.vector, request.coupling) = (Some(InputVector::Entries(entries.into())), Some(0.51));
        request.tolerance = Some(1e-8);
    };
    vec![
        trial(model, &priors, whole, CLOSE),
        trial(model, &priors, damped, SINGLE),
        trial(model, &thinned, named, CLOSE),
    ]
}

fn trial(model: &Model, priors: &[f64], change: impl FnOnce(&mut RunRequest), close: f64) -> Trial {
    let mut request = RunRequest::new("bp").unwrap();
    change(&mut request);
    request.max_iterations = Some(1000);
    let expected = beliefs(
        &simple(model).into_iter().map(|others| others.into_iter().collect()).collect::<Vec<_>>(),
        priors,
        request.coupling.unwrap(),
    );
    let check = move |answer: &crate::answer::Answer| {
        let found = answer.doubles("belief");
        assert_eq!(found.len(), expected.len());
        for (rank, (found, expected)) in found.into_iter().zip(&expected).enumerate() {
            let found = found.unwrap();
            assert!((found - expected).abs() <= close, "rank {rank}: {found:e}, expected {expected:e}");
        }
    };
    Trial { request, check: Box::new(check) }
}

/// Probabilities of state 1 once messages stay the same.
fn beliefs(neighbours: &[Vec<usize>], priors: &[f64], coupling: f64) -> Vec<f64> {
    // A message into each vertex from each of its neighbours: how likely it is in state 1 as far as that one is concerned.
    let mut messages: Vec<Vec<f64>> = neighbours.iter().map(|others| vec![0.5; others.len()]).collect();
    for _ in 0..200 {
        let odds: Vec<f64> = (0..neighbours.len()).map(|vertex| log_odds(priors[vertex], &messages[vertex])).collect();
        let message = |to: usize, from: usize| {
            let back = neighbours[from].binary_search(&to).unwrap();
            let state = 1.0 / (1.0 + (-(odds[from] - logit(messages[from][back]))).exp());
            coupling * state + (1.0 - coupling) * (1.0 - state)
        };
        let next =
            neighbours.iter().enumerate().map(|(to, others)| others.iter().map(|from| message(to, *from)).collect());
        let next: Vec<Vec<f64>> = next.collect();
        let change = messages.iter().flatten().zip(next.iter().flatten()).map(|(old, new)| (old - new).abs());
        let change = change.fold(0.0, f64::max);
        messages = next;
        if change < 1e-12 {
            break;
        }
    }
    let odds = (0..neighbours.len()).map(|vertex| log_odds(priors[vertex], &messages[vertex]));
    odds.map(|odds| 1.0 / (1.0 + (-odds).exp())).collect()
}

fn logit(probability: f64) -> f64 {
    (probability / (1.0 - probability)).ln()
}

fn log_odds(prior: f64, messages: &[f64]) -> f64 {
    logit(prior) + messages.iter().map(|message| logit(*message)).sum::<f64>()
}
