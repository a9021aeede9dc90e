//! Components by depth-first search from each vertex in ascending order.

use super::Trial;
use crate::answer::Answer;
use crate::graph::Model;
use outcrop::{Algorithm, Method};

pub fn trials(model: &Model) -> Vec<Trial> {
    let expected = components(model);
    let trial = |method: Option<Method>| {
        let expected = expected.clone();
        let check = move |answer: &Answer| assert_eq!(answer.nodes("component"), expected);
        Trial::new("wcc", |request| request.method = method, check)
    };
    let methods = Method::ALL.into_iter().filter(|method| method.is_of(Algorithm::Wcc)).map(Some);
    std::iter::once(None).chain(methods).map(trial).collect()
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
