//! Components by depth-first search from each vertex in ascending order.

use crate::answer::Answer;
use crate::graph::Model;
use crate::reference::Trial;
use crate::setup::{request, with_some};
use outcrop::Choice;
use outcrop_algorithms::wcc::Method;

pub fn trials(model: &Model) -> Vec<Trial> {
    let expected = components(model);
    let trial = |method: Option<&str>| {
        let expected = expected.clone();
        let check = move |answer: &Answer| assert_eq!(answer.nodes("component"), expected);
        Trial::new(with_some(request!("wcc"), "method", method), check)
    };
    std::iter::once(None).chain(Method::WORDS.iter().copied().map(Some)).map(trial).collect()
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
