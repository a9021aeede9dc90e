//! Components by depth-first search from each vertex in ascending order.

use super::Trial;
use crate::graph::Model;

pub fn trials(model: &Model) -> Vec<Trial> {
    let expected = components(model);
    vec![Trial::new("wcc", |_| (), move |answer| assert_eq!(answer.nodes("component"), expected))]
}

fn components(model: &Model) -> Vec<Option<usize>> {
    let mut component = vec![None; model.vertices()];
    for start in 0..model.vertices() {
        let mut open = vec![start];
        while let Some(vertex) = open.pop() {
            if component[vertex].is_none() {
                component[vertex] = Some(start);
                open.extend(model.out[vertex].iter().chain(&model.into[vertex]).map(|(other, _)| *other));
            }
        }
    }
    component
}
