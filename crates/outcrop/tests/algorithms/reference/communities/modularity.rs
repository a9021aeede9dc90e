//! Modularity and conductance by counting every edge for the communities of its ends.

use crate::graph::Model;
use crate::reference::Trial;
use crate::setup::{request, with};
use outcrop::InputVector;
use std::collections::BTreeMap;

pub fn trials(model: &Model) -> Vec<Trial> {
    let count = model.vertices();
    let groups: Vec<i64> = (0..count).map(|rank| (rank % 3) as i64 * 1_000_000_007 - 5).collect();
    let alone: Vec<i64> = (0..count).map(|rank| rank as i64).collect();
    [(&groups, 1.0, true), (&alone, 0.5, false)]
        .map(|(labels, resolution, weighted)| trial(model, labels, resolution, weighted))
        .into()
}

fn trial(model: &Model, labels: &[i64], resolution: f64, weighted: bool) -> Trial {
    let vector: Vec<f64> = labels.iter().map(|label| *label as f64).collect();
    let request = request!("modularity", "communities" = InputVector::Values(vector.into()));
    let request = with(&request, "resolution", resolution);
    let request = if weighted || !model.weighted { request } else { with(&request, "unweighted", true) };
    let mut communities: BTreeMap<i64, Community> = labels.iter().map(|label| (*label, Community::default())).collect();
    let mut total = 0.0;
    for (from, to, weight) in links(model, weighted) {
        total += weight;
        let mut add = |rank: usize, of: fn(&mut Community) -> &mut f64| {
            *of(communities.get_mut(&labels[rank]).unwrap()) += weight;
        };
        add(from, |community| &mut community.out);
        add(to, |community| &mut community.into);
        if labels[from] == labels[to] {
            add(from, |community| &mut community.within);
        } else {
            add(from, |community| &mut community.cut);
            add(to, |community| &mut community.cut);
        }
    }
    let coverage = communities.values().map(|community| community.within).sum::<f64>() / total;
    let by_chance = communities.values().map(|community| community.out / total * (community.into / total)).sum::<f64>();
    let expected = [coverage - resolution * by_chance, coverage];
    let undirected = model.undirected;
    let conductance = move |community: &Community| {
        let cut = if undirected { community.cut / 2.0 } else { community.cut };
        let least = community.out.min(total - community.out);
        (least > 0.0).then(|| cut / least)
    };
    let conductances: Vec<_> = labels.iter().map(|label| conductance(&communities[label])).collect();
    Trial::new(request, move |answer| {
        for (name, expected) in ["modularity", "coverage"].into_iter().zip(expected) {
            assert_close(answer.values[name].as_f64(), Some(expected).filter(|_| total > 0.0), name);
        }
        answer.doubles("conductance").into_iter().zip(&conductances).for_each(|(shown, expected)| {
            assert_close(shown, *expected, "conductance");
        });
    })
}

/// Weights of the edges of a community: those that begin in it, end in it, do both, or only one.
#[derive(Default)]
struct Community {
    out: f64,
    into: f64,
    within: f64,
    cut: f64,
}

/// Ends and weights; the edges of undirected graphs in both directions, so loops twice.
fn links(model: &Model, weighted: bool) -> Vec<(usize, usize, f64)> {
    let all = model.out.iter().enumerate().flat_map(|(from, list)| list.iter().map(move |(to, w)| (from, *to, *w)));
    let times = |from: usize, to: usize| if model.undirected && from == to { 2.0 } else { 1.0 };
    all.map(|(from, to, w)| (from, to, times(from, to) * if weighted { w } else { 1.0 })).collect()
}

fn assert_close(shown: Option<f64>, expected: Option<f64>, what: &str) {
    assert_eq!(shown.is_some(), expected.is_some(), "{what}: {shown:?}, expected {expected:?}");
    let (shown, expected) = (shown.unwrap_or(0.0), expected.unwrap_or(0.0));
    assert!((shown - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{what}: {shown}, expected {expected}");
}
