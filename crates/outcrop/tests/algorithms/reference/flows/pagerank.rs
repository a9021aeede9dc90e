//! Power iteration along out-lists in double precision, by weight, with compensated sums.

use crate::answer::Answer;
use crate::graph::Model;
use crate::reference::{Trial, names};
use crate::setup::{request, with};
use outcrop::{Choice, Personalization, Precision};
use std::collections::BTreeMap;
use std::rc::Rc;

pub const ALPHA: f64 = 0.85;
/// So many iterations leave no more than 1e-10.
pub const ENOUGH: u32 = 150;
/// Relative, of a rank: sums are taken in another order.
const DOUBLE: f64 = 1e-12;
/// As documented of single precision: 3 roundings an iteration, which fade by alpha from one iteration to the next.
const SINGLE: f64 = 3.0 * (f32::EPSILON / 2.0) as f64 / (1.0 - ALPHA);
/// As documented of the models messages and gas: a share is the nearest multiple of 2^-62.
const OFF_BY: f64 = 1.0 / (1_u64 << 63) as f64;
const TOLERANCE: f64 = 1e-6;

pub fn trials(model: &Model) -> Vec<Trial> {
    let out: Lists = Rc::new(model.out.clone());
    let mut trials = vec![to_a_tolerance(&out), accelerated(&out), fixed(&out, 0), fixed(&out, 7), single(&out)];
    trials.extend(personalized(model, &out));
    trials.extend([handing_on_all(&out, Precision::Double), handing_on_all(&out, Precision::Single)]);
    trials.push(handing_on_changes(&out, 1e-4));
    if model.weighted {
        let alike: Lists = Rc::new(unweighted(model));
        trials.extend([fixed(&alike, 5), handing_on_all(&alike, Precision::Double)].map(without_weights));
    }
    trials
}

/// The out-lists with weights of 1.
pub fn unweighted(model: &Model) -> Vec<Vec<(usize, f64)>> {
    model.out.iter().map(|list| list.iter().map(|(target, _)| (*target, 1.0)).collect()).collect()
}

/// The same where weights do not count.
pub fn without_weights(trial: Trial) -> Trial {
    Trial { request: with(&trial.request, "unweighted", true), ..trial }
}

/// With a delta of 0, rounds are iterations.
fn handing_on_all(out: &Lists, precision: Precision) -> Trial {
    let out = Rc::clone(out);
    let (ranks, _) = iterate(&out, &uniform(&out), 9);
    let request = request!("pagerank", "iterations" = 9_u32, "delta" = 0.0, "precision" = precision.word());
    Trial::new(request, move |answer: &Answer| match precision {
        Precision::Double => {
            assert_close(&answer.doubles("pagerank"), &ranks, (100.0 * DOUBLE, shares_off_by(answer, &out)))
        }
        Precision::Single => assert_close(&answer.singles("pagerank"), &ranks, (SINGLE, shares_off_by(answer, &out))),
    })
}

/// Until nothing more changes by so much: the error is as stated.
fn handing_on_changes(out: &Lists, delta: f64) -> Trial {
    let (exact, _) = iterate(out, &uniform(out), ENOUGH);
    let request = request!("pagerank", "tol" = 1e-15, "max-iter" = 10_000_u32, "delta" = delta);
    Trial::new(request, move |answer: &Answer| {
        let shown = answer.doubles("pagerank");
        let error: f64 = shown.iter().zip(&exact).map(|(shown, exact)| (shown.unwrap() - exact).abs()).sum();
        assert!(error <= 4.0 * ALPHA * delta / (1.0 - ALPHA) + 1e-9, "{error:e} with {delta:e}");
        assert!(shown.is_empty() || (shown.iter().flatten().sum::<f64>() - 1.0).abs() < 1e-9);
    })
}

type Lists = Rc<Vec<Vec<(usize, f64)>>>;

fn to_a_tolerance(out: &Lists) -> Trial {
    let out = Rc::clone(out);
    Trial::new(request!("pagerank"), move |answer| {
        // Without vertices there may be no iteration.
        if out.is_empty() && answer.iterations == 0 {
            return;
        }
        let (ranks, changes) = iterate(&out, &uniform(&out), answer.iterations);
        let (last, before) = changes.split_last().unwrap();
        assert!(*last < TOLERANCE, "{changes:?}");
        assert!(before.iter().all(|change| *change >= TOLERANCE * (1.0 - 1e-9)), "it could have stopped earlier");
        assert_close(&answer.doubles("pagerank"), &ranks, (DOUBLE, shares_off_by(answer, &out)));
    })
}

/// Accelerated ranks: another iteration changes less than the last, and there are about as many as without
/// acceleration, or fewer.
fn accelerated(out: &Lists) -> Trial {
    let out = Rc::clone(out);
    Trial::new(request!("pagerank", "accelerate" = true), move |answer: &Answer| {
        let ranks: Vec<f64> = answer.doubles("pagerank").into_iter().map(Option::unwrap).collect();
        let next = step(&out, &uniform(&out), &ranks);
        let change: f64 = ranks.iter().zip(&next).map(|(old, new)| (old - new).abs()).sum();
        assert!(change <= ALPHA * TOLERANCE * (1.0 + 1e-9), "{change:e}");
        assert!(ranks.iter().all(|rank| *rank >= 0.0));
        let mut sum = Sum::default();
        ranks.iter().for_each(|rank| sum.add(*rank));
        assert!(ranks.is_empty() || (sum.total - 1.0).abs() < DOUBLE, "ranks sum to {}", sum.total);
        let (_, changes) = iterate(&out, &uniform(&out), 1000);
        let plain = 1 + changes.iter().take_while(|change| **change >= TOLERANCE).count() as u32;
        assert!(answer.iterations <= plain + plain / 10 + 1, "{} instead of {plain} iterations", answer.iterations);
    })
}

fn fixed(out: &Lists, iterations: u32) -> Trial {
    let out = Rc::clone(out);
    let (ranks, _) = iterate(&out, &uniform(&out), iterations);
    Trial::new(request!("pagerank", "iterations" = iterations), move |answer| {
        assert!(answer.iterations == iterations || ranks.is_empty());
        assert_close(&answer.doubles("pagerank"), &ranks, (DOUBLE, shares_off_by(answer, &out)));
    })
}

fn single(out: &Lists) -> Trial {
    let out = Rc::clone(out);
    let (ranks, _) = iterate(&out, &uniform(&out), 10);
    Trial::new(request!("pagerank", "iterations" = 10_u32, "precision" = "f32"), move |answer: &Answer| {
        assert_close(&answer.singles("pagerank"), &ranks, (SINGLE, shares_off_by(answer, &out)));
    })
}

/// Jumps to at most three vertices.
fn personalized(model: &Model, out: &Lists) -> Option<Trial> {
    let out = Rc::clone(out);
    let last = model.vertices().checked_sub(1)?;
    let weights = BTreeMap::from([(last / 3, 0.0), (model.rank(0), 2.5), (last, 1.5)]);
    let total: f64 = weights.values().sum();
    let mut jump = vec![0.0; model.vertices()];
    weights.iter().for_each(|(rank, weight)| jump[*rank] = weight / total);
    let (ranks, _) = iterate(&out, &jump, 12);
    let ids = names(model, &weights.keys().copied().collect::<Vec<_>>());
    let named = ids.into_iter().zip(weights.into_values()).collect();
    let request = request!("pagerank", "iterations" = 12_u32, "personalization" = Personalization::Weights(named));
    Some(Trial::new(request, move |answer| {
        assert_close(&answer.doubles("pagerank"), &ranks, (DOUBLE, shares_off_by(answer, &out)))
    }))
}

fn uniform(out: &Lists) -> Vec<f64> {
    vec![1.0 / out.len() as f64; out.len()]
}

/// The ranks after so many iterations from equal ranks, and the change of each iteration.
pub fn iterate(out: &[Vec<(usize, f64)>], jump: &[f64], iterations: u32) -> (Vec<f64>, Vec<f64>) {
    let mut ranks = vec![1.0 / out.len() as f64; out.len()];
    let mut changes = Vec::new();
    for _ in 0..iterations {
        let next = step(out, jump, &ranks);
        changes.push(ranks.iter().zip(&next).map(|(old, new)| (old - new).abs()).sum::<f64>());
        ranks = next;
    }
    (ranks, changes)
}

fn step(out: &[Vec<(usize, f64)>], jump: &[f64], ranks: &[f64]) -> Vec<f64> {
    let mut sums = vec![Sum::default(); out.len()];
    let mut dangling = Sum::default();
    for (targets, rank) in out.iter().zip(ranks) {
        let mut all = Sum::default();
        targets.iter().for_each(|(_, weight)| all.add(*weight));
        match all.total {
            0.0 => dangling.add(*rank),
            _ => targets.iter().for_each(|(target, weight)| sums[*target].add(rank * (weight / all.total))),
        }
    }
    let jumps = 1.0 - ALPHA + ALPHA * dangling.total;
    sums.iter().zip(jump).map(|(sum, jump)| jumps * jump + ALPHA * sum.total).collect()
}

/// Kahan's sum.
#[derive(Clone, Default)]
struct Sum {
    total: f64,
    lost: f64,
}

impl Sum {
    fn add(&mut self, term: f64) {
        let corrected = term - self.lost;
        let total = self.total + corrected;
        self.lost = (total - self.total) - corrected;
        self.total = total;
    }
}

/// Error of all shares of all iterations together, in the model gas with the ranks of vertices without out-edges;
/// nothing in other models, which add up the shares themselves.
fn shares_off_by(answer: &Answer, out: &Lists) -> f64 {
    let edges: usize = out.iter().map(Vec::len).sum();
    let rounded = match &*answer.model {
        "messages" => edges,
        "gas" => edges + out.len(),
        _ => 0,
    };
    rounded as f64 * OFF_BY / (1.0 - ALPHA)
}

fn assert_close(shown: &[Option<f64>], expected: &[f64], (relative, absolute): (f64, f64)) {
    assert_eq!(shown.len(), expected.len());
    for (rank, (shown, expected)) in shown.iter().zip(expected).enumerate() {
        let shown = shown.unwrap();
        assert!(
            (shown - expected).abs() <= relative * expected + absolute,
            "rank {rank}: {shown:e}, expected {expected:e}"
        );
    }
    let mut sum = Sum::default();
    shown.iter().flatten().for_each(|rank| sum.add(*rank));
    assert!(shown.is_empty() || (sum.total - 1.0).abs() <= relative, "ranks sum to {}", sum.total);
}
