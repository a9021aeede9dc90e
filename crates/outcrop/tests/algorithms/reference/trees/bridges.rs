//! Bridges and articulation points by the lowest number that a depth-first search finds below each vertex (Tarjan,
//! 1972).

use crate::graph::Model;
use crate::reference::{Trial, simple};
use crate::setup::request;
use std::collections::BTreeSet;

pub fn trials(model: &Model) -> Vec<Trial> {
    if model.vertices() == 0 {
        return Vec::new();
    }
    let neighbors: Vec<Vec<usize>> = simple(model).into_iter().map(|all| all.into_iter().collect()).collect();
    let (bridges, cuts) = cuts(&neighbors);
    vec![Trial::new(request!("bridges"), move |answer| {
        let found = answer.nodes("bridge").into_iter().enumerate();
        let found: Vec<_> = found.filter_map(|(vertex, end)| Some((vertex.min(end?), vertex.max(end?)))).collect();
        assert_eq!(found.len(), bridges.len());
        assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), bridges);
        assert_eq!(answer.counts("articulation_point"), cuts);
        assert_eq!(answer.values["bridges"], bridges.len());
        assert_eq!(answer.values["articulation_points"], cuts.iter().flatten().sum::<u32>());
    })]
}

fn cuts(neighbors: &[Vec<usize>]) -> (BTreeSet<(usize, usize)>, Vec<Option<u32>>) {
    let count = neighbors.len();
    let (mut number, mut low, mut next) = (vec![usize::MAX; count], vec![usize::MAX; count], 0);
    let (mut bridges, mut cuts) = (BTreeSet::new(), vec![Some(0); count]);
    for root in 0..count {
        let mut children = 0;
        // Vertex, parent, and place in its list.
        let mut path = if number[root] == usize::MAX { vec![(root, root, 0)] } else { Vec::new() };
        while let Some((vertex, parent, place)) = path.last_mut() {
            let (vertex, parent) = (*vertex, *parent);
            if *place == 0 {
                (number[vertex], low[vertex]) = (next, next);
                next += 1;
            }
            let Some(other) = neighbors[vertex].get(*place).copied() else {
                path.pop();
                low[parent] = low[parent].min(low[vertex]);
                if vertex != root {
                    children += usize::from(parent == root);
                    if low[vertex] > number[parent] {
                        bridges.insert((vertex.min(parent), vertex.max(parent)));
                    }
                    if low[vertex] >= number[parent] && parent != root {
                        cuts[parent] = Some(1);
                    }
                }
                continue;
            };
            *place += 1;
            if number[other] == usize::MAX {
                path.push((other, vertex, 0));
            } else if other != parent {
                low[vertex] = low[vertex].min(number[other]);
            }
        }
        if children > 1 {
            cuts[root] = Some(1);
        }
    }
    (bridges, cuts)
}
