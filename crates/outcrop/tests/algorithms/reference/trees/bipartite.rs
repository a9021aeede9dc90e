//! Sides by colors that spread from the first vertex of each component, one edge at a time.

use crate::graph::Model;
use crate::reference::Trial;
use crate::setup::request;

pub fn trials(model: &Model) -> Vec<Trial> {
    let sides = sides(model);
    vec![Trial::new(request!("bipartite"), move |answer| {
        assert_eq!(answer.counts("side"), sides);
        let odd = sides.iter().filter(|side| side.is_none()).count();
        assert_eq!(answer.values["odd_vertices"], odd);
        assert_eq!(answer.values["bipartite"], odd == 0);
    })]
}

fn sides(model: &Model) -> Vec<Option<u32>> {
    let mut sides = vec![None; model.vertices()];
    for first in 0..model.vertices() {
        if sides[first].is_some() {
            continue;
        }
        sides[first] = Some(Some(0));
        let (mut found, mut odd) = (vec![first], false);
        while let Some(place) = found.iter().copied().find(|vertex| waits(model, &sides, *vertex)) {
            let opposite = sides[place].flatten().map(|side: u32| 1 - side);
            for (other, _) in model.out[place].iter().chain(&model.into[place]) {
                if sides[*other].is_none() {
                    sides[*other] = Some(opposite);
                    found.push(*other);
                }
            }
        }
        for vertex in &found {
            let mut others = model.out[*vertex].iter().chain(&model.into[*vertex]);
            odd |= others.any(|(other, _)| sides[*other] == sides[*vertex]);
        }
        if odd {
            found.iter().for_each(|vertex| sides[*vertex] = Some(None));
        }
    }
    sides.into_iter().map(Option::flatten).collect()
}

/// True if a neighbor of a vertex has no side yet.
fn waits(model: &Model, sides: &[Option<Option<u32>>], vertex: usize) -> bool {
    model.out[vertex].iter().chain(&model.into[vertex]).any(|(other, _)| sides[*other].is_none())
}
