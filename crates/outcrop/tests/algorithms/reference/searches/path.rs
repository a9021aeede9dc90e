//! Paths whose edges exist, and whose length is the distance that a search from the source finds. Of several such
//! paths, all answers have to repeat the first.

use super::{bfs, sssp};
use crate::graph::Model;
use crate::reference::{Trial, names};
use crate::setup::{request, with};
use outcrop::Precision;
use std::cell::OnceCell;

pub fn trials(model: &Model) -> Vec<Trial> {
    let Some(last) = model.vertices().checked_sub(1) else { return Vec::new() };
    let (first, middle) = (model.rank(0), last / 2);
    let ends = [(first, last), (last, first), (first, middle), (middle, first), (middle, middle)];
    let weighted = if model.weighted { &[false, true][..] } else { &[false] };
    ends.iter().flat_map(|ends| weighted.iter().map(|weighted| trial(model, *ends, *weighted))).collect()
}

fn trial(model: &Model, (source, target): (usize, usize), weighted: bool) -> Trial {
    let distance = match weighted {
        true => sssp::distances(model, &[source], Precision::Double)[target],
        false => bfs::distances(model, &[source])[target].map(f64::from),
    };
    let [source_name, target_name] = [source, target].map(|end| names(model, &[end]));
    let request = request!("path", "source" = source_name, "target" = target_name);
    let request = if weighted { with(&request, "weighted", true) } else { request };
    let (out, repeated) = (model.out.clone(), OnceCell::new());
    Trial::new(request, move |answer| {
        assert_eq!(answer.values["distance"].as_f64(), distance);
        let path: Vec<usize> = answer.nodes("node").into_iter().map(Option::unwrap).collect();
        assert_eq!((path.first(), path.last()), (distance.map(|_| &source), distance.map(|_| &target)));
        assert!(answer.counts("step").into_iter().eq((0..path.len() as u32).map(Some)));
        let lightest = |edge: &[usize]| {
            let weights = out[edge[0]].iter().filter(|(other, _)| *other == edge[1]).map(|(_, weight)| *weight);
            if weighted { weights.reduce(f64::min).unwrap() } else { weights.map(|_| 1.0).next().unwrap() }
        };
        let length = path.windows(2).map(lightest).sum::<f64>();
        assert_eq!(length, distance.unwrap_or(0.0));
        assert_eq!(repeated.get_or_init(|| path.clone()), &path);
    })
}
