//! A search from each source by itself, and registers that are united along every edge in every round.

use super::bfs;
use crate::answer::Answer;
use crate::graph::Model;
use crate::reference::Trial;
use crate::setup::{request, with};
use outcrop::RunRequest;
use outcrop_algorithms::sampling::sample;
use outcrop_types::SplitMix64;

/// Relative: sums are taken in another order.
const CLOSE: f64 = 1e-9;
/// Number of vertices above which there are too many searches.
const MOST_SEARCHES: usize = 500;

pub fn closeness_trials(model: &Model) -> Vec<Trial> {
    let scaled = trials(model, &request!("closeness"), "closeness", |sums| sums.closeness(true));
    let unscaled = request!("closeness", "unscaled" = true);
    scaled.into_iter().chain(trials(model, &unscaled, "closeness", |sums| sums.closeness(false))).collect()
}

pub fn harmonic_trials(model: &Model) -> Vec<Trial> {
    trials(model, &request!("harmonic"), "harmonic", |sums| sums.inverses * sums.weight)
}

/// Sums over the vertices that reach a vertex.
#[derive(Clone, Default)]
struct Sums {
    distances: f64,
    inverses: f64,
    count: f64,
    /// Number of vertices that each stands for.
    weight: f64,
    /// Number of other vertices in the graph.
    others: f64,
}

impl Sums {
    fn add(&mut self, distance: u32, vertices: f64) {
        self.distances += f64::from(distance) * vertices;
        self.inverses += vertices / f64::from(distance);
        self.count += vertices;
    }

    fn closeness(&self, scaled: bool) -> f64 {
        let part = if scaled { (self.count * self.weight / self.others).min(1.0) } else { 1.0 };
        if self.distances > 0.0 { self.count / self.distances * part } else { 0.0 }
    }
}

/// Computes the sums of a graph.
type Method = Box<dyn Fn(&Model) -> Vec<Sums>>;

fn trials(model: &Model, request: &RunRequest<'static>, column: &'static str, value: fn(&Sums) -> f64) -> Vec<Trial> {
    let vertices = model.vertices() as u32;
    if vertices == 0 {
        return Vec::new();
    }
    let trial = |request: RunRequest<'static>, sums: Method| {
        let check = move |answer: &Answer, expected: &Vec<f64>| {
            for (rank, (found, expected)) in answer.doubles(column).into_iter().zip(expected).enumerate() {
                let found = found.unwrap();
                assert!((found - expected).abs() <= CLOSE * expected, "rank {rank}: {found}, expected {expected}");
            }
        };
        Trial::lazy(model, request, move |model| sums(model).iter().map(value).collect(), check)
    };
    let from = |count, seed| Box::new(move |model: &Model| searched(model, &sample(vertices, count, seed)));
    let mut trials = vec![
        trial(request.clone(), Box::new(|model| estimated(model, 64, 1))),
        trial(with(&with(request, "registers", 16_u32), "seed", 7_u64), Box::new(|model| estimated(model, 16, 7))),
        trial(with(&with(request, "samples", 70_u32), "seed", 9_u64), from(70, 9)),
    ];
    if model.vertices() <= MOST_SEARCHES {
        trials.push(trial(with(request, "exact", true), from(vertices, 1)));
    }
    trials
}

/// Sums over searches from these vertices.
fn searched(model: &Model, sources: &[u32]) -> Vec<Sums> {
    let mut sums = empty(model, model.vertices() as f64 / sources.len() as f64);
    for source in sources {
        for (sums, distance) in sums.iter_mut().zip(bfs::distances(model, &[*source as usize])) {
            if let Some(distance) = distance.filter(|distance| *distance > 0) {
                sums.add(distance, 1.0);
            }
        }
    }
    sums
}

fn empty(model: &Model, weight: f64) -> Vec<Sums> {
    vec![Sums { weight, others: model.vertices() as f64 - 1.0, ..Sums::default() }; model.vertices()]
}

/// Sums over estimated numbers of vertices at each distance.
fn estimated(model: &Model, registers: usize, seed: u64) -> Vec<Sums> {
    let (mut sums, hashes) = (empty(model, 1.0), SplitMix64::new(seed, 0));
    let singleton = |rank: usize| {
        let hash = hashes.at(rank as u64);
        let mut all = vec![0; registers];
        let rest = hash / registers as u64;
        all[hash as usize % registers] = (1..).find(|bit| *bit == 61 || rest & (1 << (bit - 1)) != 0).unwrap();
        all
    };
    let mut balls: Vec<Vec<u32>> = (0..model.vertices()).map(singleton).collect();
    let mut sizes: Vec<f64> = balls.iter().map(|ball| size(ball)).collect();
    for distance in 1.. {
        let mut next = balls.clone();
        for (ball, list) in next.iter_mut().zip(&model.into) {
            for (source, _) in list {
                ball.iter_mut().zip(&balls[*source]).for_each(|(known, more)| *known = (*known).max(*more));
            }
        }
        if next == balls {
            break;
        }
        for (rank, ball) in next.iter().enumerate().filter(|(rank, ball)| balls[*rank] != **ball) {
            let more = size(ball) - sizes[rank];
            sizes[rank] += more;
            sums[rank].add(distance, more);
        }
        balls = next;
    }
    sums
}

/// Ertl's estimator as it is defined.
fn size(ball: &[u32]) -> f64 {
    let registers = ball.len() as f64;
    let empty = ball.iter().filter(|rank| **rank == 0).count() as f64 / registers;
    let terms = (1..40).map(|k| empty.powf(2.0_f64.powi(k)) * 2.0_f64.powi(k - 1));
    let sigma = empty + terms.sum::<f64>();
    let others: f64 = ball.iter().filter(|rank| **rank > 0).map(|rank| 0.5_f64.powi(*rank as i32)).sum();
    registers * registers / (2.0 * std::f64::consts::LN_2 * (registers * sigma + others))
}
