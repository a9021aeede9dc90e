//! Sides by colors that spread from the first vertex of each component.

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
        let (mut found, mut place, mut odd) = (vec![first], 0, false);
        while let Some(vertex) = found.get(place).copied() {
            place += 1;
            let opposite = sides[vertex].flatten().map(|side: u32| 1 - side);
            for (other, _) in model.out[vertex].iter().chain(&model.into[vertex]) {
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
