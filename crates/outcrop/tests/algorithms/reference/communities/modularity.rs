//! Modularity as the sum over all pairs of vertices in one community; conductance by counting every edge.

use crate::graph::Model;
use crate::reference::Trial;
use crate::setup::{request, with};
use outcrop::InputVector;

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
    let links = links(model, weighted);
    let total: f64 = links.iter().map(|(_, _, weight)| weight).sum();
    let degree = |of: fn(&(usize, usize, f64)) -> usize| {
        let mut sums = vec![0.0; labels.len()];
        links.iter().for_each(|link| sums[of(link)] += link.2);
        sums
    };
    let (out, into) = (degree(|link| link.0), degree(|link| link.1));
    let mut modularity =
        links.iter().filter(|(from, to, _)| labels[*from] == labels[*to]).map(|(.., w)| w).sum::<f64>();
    let coverage = modularity / total;
    for (from, out) in out.iter().enumerate() {
        let same = (0..labels.len()).filter(|to| labels[from] == labels[*to]);
        modularity -= resolution * out / total * same.map(|to| into[to]).sum::<f64>();
    }
    let conductance: Vec<Option<f64>> = labels
        .iter()
        .map(|label| {
            let within = |vertex: usize| labels[vertex] == *label;
            let cut = links.iter().filter(|(from, to, _)| within(*from) != within(*to)).map(|(.., w)| w).sum::<f64>();
            let cut = if model.undirected { cut / 2.0 } else { cut };
            let volume = |inside: bool| (0..labels.len()).filter(|v| within(*v) == inside).map(|v| out[v]).sum::<f64>();
            let least = volume(true).min(volume(false));
            (least > 0.0).then(|| cut / least)
        })
        .collect();
    let expected = [modularity / total, coverage];
    Trial::new(request, move |answer| {
        for (name, expected) in ["modularity", "coverage"].into_iter().zip(expected) {
            assert_close(answer.values[name].as_f64(), Some(expected).filter(|_| total > 0.0), name);
        }
        answer.doubles("conductance").into_iter().zip(&conductance).for_each(|(shown, expected)| {
            assert_close(shown, *expected, "conductance");
        });
    })
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
