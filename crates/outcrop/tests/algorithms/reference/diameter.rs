//! The rule, with a queue for each search.

use super::{Trial, bfs, names};
use crate::graph::Model;
use outcrop_algorithms::sampling::shuffled;

pub fn trials(model: &Model) -> Vec<Trial> {
    if model.vertices() == 0 {
        return Vec::new();
    }
    let drawn = |count, seed| shuffled(model.vertices() as u32, count, seed).into_iter().map(|rank| rank as usize);
    let all: Vec<_> = drawn(64, 1).collect();
    let [some, one] = [drawn(5, 3).collect::<Vec<_>>(), drawn(1, 3).collect()];
    let source = model.rank(0);
    vec![
        trial(model, &all, (None, None), None),
        trial(model, &some, (Some(5), Some(3)), None),
        trial(model, &one, (Some(1), Some(3)), None),
        trial(model, &[source], (None, None), Some(source)),
    ]
}

fn trial(model: &Model, starts: &[usize], (most, seed): (Option<u32>, Option<u64>), source: Option<usize>) -> Trial {
    let expected = eccentricities(model, starts, most);
    Trial::new(
        "diameter",
        |request| {
            (request.iterations, request.seed) = (most, seed);
            request.sources = names(model, source.as_slice());
        },
        move |answer| {
            assert_eq!(answer.counts("eccentricity"), expected);
            assert_eq!(
                answer.iterations as usize,
                expected.iter().flatten().count(),
                "each vertex is started from once"
            );
            let greatest = expected.iter().flatten().max().unwrap();
            assert_eq!(answer.values["diameter"], *greatest);
        },
    )
}

fn eccentricities(model: &Model, starts: &[usize], most: Option<u32>) -> Vec<Option<u32>> {
    let (mut found, mut starts) = (vec![None; model.vertices()], starts.iter().copied());
    let mut next = starts.next();
    let mut greatest = 0;
    for _ in 0..most.unwrap_or(u32::MAX) {
        let Some(start) = next else { break };
        let distances = bfs::distances(model, &[start]);
        let depth = distances.iter().flatten().max().copied().unwrap();
        found[start] = Some(depth);
        if most.is_none() && greatest > 0 && depth <= greatest {
            break;
        }
        greatest = greatest.max(depth);
        let farthest = distances.iter().position(|distance| *distance == Some(depth));
        next = farthest.filter(|farthest| found[*farthest].is_none());
        while next.is_none() {
            let Some(other) = starts.next() else { break };
            next = Some(other).filter(|other| found[*other].is_none());
        }
    }
    found
}
