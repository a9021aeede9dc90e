//! Power iteration with all jumps to the source, and the stated bound of the error.

use super::pagerank::{ENOUGH, iterate, unweighted, without_weights};
use crate::answer::Answer;
use crate::graph::Model;
use crate::reference::{Trial, names};
use crate::setup::{request, with_some};
use outcrop::{Choice, Precision};

/// Error that the reference leaves.
const SLACK: f64 = 1e-9;
const SINGLE: f64 = 1e-5;

pub fn trials(model: &Model) -> Vec<Trial> {
    let Some(last) = model.vertices().checked_sub(1) else { return Vec::new() };
    let first = model.rank(0);
    let double = [(first, None), (last, Some(1e-3))];
    let mut trials: Vec<_> = double.map(|(source, tol)| trial(model, source, tol, Precision::Double)).into();
    trials.push(trial(model, last / 2, Some(1e-4), Precision::Single));
    if model.weighted {
        let mut alike = model.clone();
        (alike.out, alike.weighted) = (unweighted(model), false);
        trials.push(without_weights(trial(&alike, first, Some(1e-5), Precision::Double)));
    }
    trials
}

fn trial(model: &Model, source: usize, tolerance: Option<f64>, precision: Precision) -> Trial {
    let mut jump = vec![0.0; model.vertices()];
    jump[source] = 1.0;
    let exact = move |model: &Model| iterate(&model.out, &jump, ENOUGH).0;
    let ids = names(model, &[source]);
    let request = request!("ppr", "source" = ids, "precision" = precision.word());
    Trial::lazy(model, with_some(request, "tol", tolerance), exact, move |answer: &Answer, exact| {
        let (shown, slack) = match precision {
            Precision::Double => (answer.doubles("pagerank"), SLACK),
            Precision::Single => (answer.singles("pagerank"), SINGLE),
        };
        let missing: Vec<f64> = exact.iter().zip(shown).map(|(exact, shown)| exact - shown.unwrap()).collect();
        assert!(missing.iter().all(|missing| *missing >= -slack), "an exact rank is never less");
        let highest = exact.iter().copied().fold(0.0, f64::max);
        assert!(missing.iter().sum::<f64>() <= tolerance.unwrap_or(1e-4) * highest + slack, "{missing:?}");
    })
}
