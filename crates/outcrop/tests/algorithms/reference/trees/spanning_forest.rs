//! Minimum spanning forests by Kruskal's algorithm, rooted by depth-first searches from the smallest ranks.

use crate::graph::Model;
use crate::reference::Trial;
use crate::setup::request;

pub fn trials(model: &Model) -> Vec<Trial> {
    if model.vertices() == 0 {
        return Vec::new();
    }
    let all = [(false, false), (true, false), (false, true), (true, true)];
    all.into_iter().map(|(maximum, unweighted)| trial(model, maximum, unweighted)).collect()
}

fn trial(model: &Model, maximum: bool, unweighted: bool) -> Trial {
    let weight = |weight: f64| if unweighted { 1.0 } else { weight };
    let edges = model.out.iter().enumerate().flat_map(|(source, list)| {
        list.iter().map(move |(target, of)| (weight(*of), source.min(*target), source.max(*target)))
    });
    let rooted = rooted(model.vertices(), &forest(model.vertices(), edges.collect(), maximum));
    let request = request!("spanning-forest", "maximum" = maximum, "unweighted" = unweighted);
    Trial::new(request, move |answer| {
        let found = answer.nodes("parent").into_iter().zip(answer.doubles("weight"));
        let found: Vec<_> = found.map(|(parent, weight)| parent.zip(weight)).collect();
        assert_eq!(found, rooted);
        let weights: Vec<f64> = rooted.iter().flatten().map(|(_, weight)| *weight).collect();
        assert_eq!(answer.values["edges"].as_u64(), Some(weights.len() as u64));
        let (sum, total) = (weights.iter().sum::<f64>(), answer.values["total_weight"].as_f64().unwrap());
        assert!((sum - total).abs() <= 1e-9 * sum.abs());
    })
}

type Edge = (f64, usize, usize);

fn forest(vertices: usize, mut edges: Vec<Edge>, maximum: bool) -> Vec<Edge> {
    let by_weight = |one: f64, other: f64| if maximum { other.total_cmp(&one) } else { one.total_cmp(&other) };
    edges.sort_by(|one, other| by_weight(one.0, other.0).then((one.1, one.2).cmp(&(other.1, other.2))));
    let mut above: Vec<usize> = (0..vertices).collect();
    let root = |above: &mut Vec<usize>, mut vertex: usize| {
        while above[vertex] != vertex {
            above[vertex] = above[above[vertex]];
            vertex = above[vertex];
        }
        vertex
    };
    edges.retain(|(_, one, other)| {
        let (one, other) = (root(&mut above, *one), root(&mut above, *other));
        above[one] = other;
        one != other
    });
    edges
}

/// The parent of each vertex, and the weight of the edge to it.
fn rooted(vertices: usize, edges: &[Edge]) -> Vec<Option<(usize, f64)>> {
    let mut lists = vec![Vec::new(); vertices];
    for (weight, one, other) in edges {
        lists[*one].push((*other, *weight));
        lists[*other].push((*one, *weight));
    }
    let (mut parents, mut seen) = (vec![None; vertices], vec![false; vertices]);
    for root in 0..vertices {
        let mut open = if seen[root] { Vec::new() } else { vec![root] };
        while let Some(vertex) = open.pop() {
            seen[vertex] = true;
            for (child, weight) in lists[vertex].iter().filter(|(child, _)| !seen[*child]) {
                parents[*child] = Some((vertex, *weight));
                open.push(*child);
            }
        }
    }
    parents
}
