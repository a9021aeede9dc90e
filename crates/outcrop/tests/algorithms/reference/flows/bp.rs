//! Messages of all edges at once, round after round, as odds and with the potentials as they are written.

use crate::graph::Model;
use crate::reference::{Trial, simple};
use crate::setup::{request, with};
use outcrop::{InputVector, RunRequest};

/// Error that beliefs may have: messages end within the tolerance of each other, and few neighbors hand on much of
/// that.
const CLOSE: f64 = 1e-6;
const SINGLE: f64 = 1e-4;

pub fn trials(model: &Model) -> Vec<Trial> {
    let priors: Vec<f64> = (0..model.vertices()).map(|rank| 0.05 + 0.9 * (rank * 7 % 11) as f64 / 10.0).collect();
    let given = InputVector::Values(priors.clone().into());
    let whole = request!("bp", "vector" = given.clone(), "tol" = 1e-8);
    let damped = request!("bp", "vector" = given, "tol" = 1e-6, "damping" = 0.3, "precision" = "f32");
    // Nothing is known of those that are not named.
    let some: Vec<_> = (0..model.vertices()).filter(|rank| rank % 3 == 1).collect();
    let entries: Vec<_> = some.iter().rev().map(|rank| (model.ids[*rank].clone(), priors[*rank])).collect();
    let thinned: Vec<_> = (0..model.vertices()).map(|rank| if rank % 3 == 1 { priors[rank] } else { 0.5 }).collect();
    let named = request!("bp", "vector" = InputVector::Entries(entries.into()), "tol" = 1e-8);
    vec![
        trial(model, &priors, (whole, 0.52), CLOSE),
        trial(model, &priors, (damped, 0.49), SINGLE),
        trial(model, &thinned, (named, 0.51), CLOSE),
    ]
}

fn trial(model: &Model, priors: &[f64], (request, coupling): (RunRequest<'static>, f64), close: f64) -> Trial {
    let request = with(&with(&request, "coupling", coupling), "max-iter", 1000_u32);
    let priors = priors.to_vec();
    let expected = move |model: &Model| {
        let neighbors: Vec<Vec<usize>> = simple(model).into_iter().map(|all| all.into_iter().collect()).collect();
        beliefs(&neighbors, &priors, coupling)
    };
    let check = move |answer: &crate::answer::Answer, expected: &Vec<f64>| {
        let found = answer.doubles("belief");
        assert_eq!(found.len(), expected.len());
        for (rank, (found, expected)) in found.into_iter().zip(expected).enumerate() {
            let found = found.unwrap();
            assert!((found - expected).abs() <= close, "rank {rank}: {found:e}, expected {expected:e}");
        }
    };
    Trial::lazy(model, request, expected, check)
}

/// Probabilities of state 1 once messages stay the same.
fn beliefs(neighbors: &[Vec<usize>], priors: &[f64], coupling: f64) -> Vec<f64> {
    // A message into each vertex from each of its neighbors: how likely it is in state 1 as far as that one is
    // concerned.
    let mut messages: Vec<Vec<f64>> = neighbors.iter().map(|others| vec![0.5; others.len()]).collect();
    for _ in 0..200 {
        let odds: Vec<f64> = (0..neighbors.len()).map(|vertex| log_odds(priors[vertex], &messages[vertex])).collect();
        let message = |to: usize, from: usize| {
            let back = neighbors[from].binary_search(&to).unwrap();
            let state = 1.0 / (1.0 + (-(odds[from] - logit(messages[from][back]))).exp());
            coupling * state + (1.0 - coupling) * (1.0 - state)
        };
        let next =
            neighbors.iter().enumerate().map(|(to, others)| others.iter().map(|from| message(to, *from)).collect());
        let next: Vec<Vec<f64>> = next.collect();
        let change = messages.iter().flatten().zip(next.iter().flatten()).map(|(old, new)| (old - new).abs());
        let change = change.fold(0.0, f64::max);
        messages = next;
        if change < 1e-12 {
            break;
        }
    }
    let odds = (0..neighbors.len()).map(|vertex| log_odds(priors[vertex], &messages[vertex]));
    odds.map(|odds| 1.0 / (1.0 + (-odds).exp())).collect()
}

fn logit(probability: f64) -> f64 {
    (probability / (1.0 - probability)).ln()
}

fn log_odds(prior: f64, messages: &[f64]) -> f64 {
    logit(prior) + messages.iter().map(|message| logit(*message)).sum::<f64>()
}
