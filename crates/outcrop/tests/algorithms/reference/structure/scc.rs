//! Strongly connected components by Kosaraju's two depth-first searches.

use crate::graph::Model;
use crate::reference::Trial;
use crate::setup::request;

pub fn trials(model: &Model) -> Vec<Trial> {
    let expected = components(model);
    vec![Trial::new(request!("scc"), move |answer| assert_eq!(answer.nodes("component"), expected))]
}

pub fn components(model: &Model) -> Vec<Option<usize>> {
    let mut component = vec![None; model.vertices()];
    for start in finished(&model.out).into_iter().rev() {
        let mut members = Vec::new();
        let mut open = vec![start];
        while let Some(vertex) = open.pop() {
            if component[vertex].is_none() {
                component[vertex] = Some(start);
                members.push(vertex);
                open.extend(model.into[vertex].iter().map(|(other, _)| *other));
            }
        }
        let smallest = members.iter().copied().min();
        members.iter().for_each(|member| component[*member] = smallest);
    }
    component
}

/// All vertices in the order in which a depth-first search along `lists` leaves them.
fn finished(lists: &[Vec<(usize, f64)>]) -> Vec<usize> {
    let (mut seen, mut order) = (vec![false; lists.len()], Vec::new());
    for start in 0..lists.len() {
        let mut path = if seen[start] { Vec::new() } else { vec![(start, 0)] };
        seen[start] = true;
        while let Some((vertex, next)) = path.last_mut() {
            match lists[*vertex].get(*next) {
                None => order.extend(path.pop().map(|(vertex, _)| vertex)),
                Some((other, _)) => {
                    *next += 1;
                    if !std::mem::replace(&mut seen[*other], true) {
                        path.push((*other, 0));
                    }
                }
            }
        }
    }
    order
}
