//! Levels as the fixed point of one more than the level of all in-neighbors; positions by sorting.

use crate::graph::Model;
use crate::reference::Trial;
use crate::setup::request;

pub fn trials(model: &Model) -> Vec<Trial> {
    let levels = levels(model);
    let mut sorted: Vec<usize> = (0..levels.len()).filter(|vertex| levels[*vertex].is_some()).collect();
    sorted.sort_by_key(|vertex| levels[*vertex]);
    let mut positions = vec![None; levels.len()];
    (0..).zip(&sorted).for_each(|(position, vertex)| positions[*vertex] = Some(position));
    let weighted = model.weighted.then(|| {
        let longest = longest(model, &levels);
        Trial::new(request!("topological-sort", "weighted" = true), move |answer| {
            assert_eq!(answer.doubles("longest"), longest);
        })
    });
    let plain = Trial::new(request!("topological-sort"), move |answer| {
        assert_eq!(answer.counts("level"), levels);
        assert_eq!(answer.counts("position"), positions);
        let cyclic = levels.iter().filter(|level| level.is_none()).count();
        assert_eq!(answer.values["cyclic"], cyclic);
        assert_eq!(answer.values["acyclic"], cyclic == 0);
        assert_eq!(answer.values["levels"], levels.iter().flatten().max().map_or(0, |last| last + 1));
    });
    std::iter::once(plain).chain(weighted).collect()
}

/// The largest sums of weights, level by level.
fn longest(model: &Model, levels: &[Option<u32>]) -> Vec<Option<f64>> {
    let mut longest: Vec<Option<f64>> = levels.iter().map(|level| level.map(|_| 0.0)).collect();
    let mut order: Vec<usize> = (0..levels.len()).filter(|vertex| levels[*vertex].is_some()).collect();
    order.sort_by_key(|vertex| levels[*vertex]);
    for vertex in order {
        let to = model.into[vertex].iter().map(|(source, weight)| longest[*source].unwrap() + weight);
        longest[vertex] = Some(to.fold(0.0, f64::max));
    }
    longest
}

fn levels(model: &Model) -> Vec<Option<u32>> {
    let mut levels = vec![None; model.vertices()];
    loop {
        let of = |sources: &Vec<(usize, f64)>| {
            let before: Option<Vec<u32>> = sources.iter().map(|(source, _)| levels[*source]).collect();
            before.map(|before| before.into_iter().max().map_or(0, |last: u32| last + 1))
        };
        let next: Vec<Option<u32>> = model.into.iter().map(of).collect();
        if next == levels {
            return levels;
        }
        levels = next;
    }
}
