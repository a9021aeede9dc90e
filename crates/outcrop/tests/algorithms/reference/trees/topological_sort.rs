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
    vec![Trial::new(request!("topological-sort"), move |answer| {
        assert_eq!(answer.counts("level"), levels);
        assert_eq!(answer.counts("position"), positions);
        let cyclic = levels.iter().filter(|level| level.is_none()).count();
        assert_eq!(answer.values["cyclic"], cyclic);
        assert_eq!(answer.values["acyclic"], cyclic == 0);
        assert_eq!(answer.values["levels"], levels.iter().flatten().max().map_or(0, |last| last + 1));
    })]
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
