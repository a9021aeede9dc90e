//! Check that rows are walks of the graph.

use crate::graph::Model;
use crate::reference::{Trial, names};
use crate::setup::{request, with_some};
use std::collections::BTreeSet;

/// Properties that are asked of walks.
#[derive(Clone, Default)]
struct Asked {
    sources: Vec<usize>,
    every: Option<u32>,
    length: Option<u32>,
    restart: Option<f64>,
    /// The two parameters of node2vec.
    second_order: Option<(f64, f64)>,
    weighted: bool,
}

pub fn trials(model: &Model) -> Vec<Trial> {
    let every = |every| Asked { every: Some(every), ..Asked::default() };
    let mut asked = vec![
        Asked::default(),
        every(1),
        Asked { length: Some(3), restart: Some(0.3), ..every(2) },
        Asked { length: Some(0), ..every(3) },
        Asked { second_order: Some((0.25, 4.0)), length: Some(6), ..every(1) },
    ];
    if model.weighted {
        asked.extend([1, 2].map(|k| Asked { weighted: true, ..every(k) }));
        asked.push(Asked { second_order: Some((0.5, 2.0)), weighted: true, ..every(1) });
    }
    asked.extend(crate::reference::sources(model).into_iter().map(|sources| Asked { sources, ..Asked::default() }));
    asked.into_iter().map(|asked| trial(model, asked)).collect()
}

fn trial(model: &Model, asked: Asked) -> Trial {
    let sources = names(model, &asked.sources);
    // Where weights count, edges without weight are never followed.
    let is_followed = |weight: f64| !asked.weighted || weight > 0.0;
    let followed =
        |list: &Vec<(usize, f64)>| list.iter().filter(|(_, weight)| is_followed(*weight)).map(|edge| edge.0).collect();
    let out: Vec<BTreeSet<usize>> = model.out.iter().map(followed).collect();
    let starts = match &asked.sources[..] {
        [] => (0..out.len()).step_by(asked.every.unwrap_or(1000) as usize).collect(),
        sources => sources.to_vec(),
    };
    let request = with_some(request!("walks", "source" = sources, "weighted" = asked.weighted), "every", asked.every);
    let request = with_some(with_some(request, "length", asked.length), "restart", asked.restart);
    let (p, q) = asked.second_order.unzip();
    Trial::new(with_some(with_some(request, "p", p), "q", q), move |answer| {
        let number = |name| answer.counts(name).into_iter().map(Option::unwrap);
        let nodes = answer.nodes("node").into_iter().map(Option::unwrap);
        let rows: Vec<_> = number("walk").zip(number("step")).zip(nodes).collect();
        let walks: Vec<_> = rows.chunk_by(|one, other| one.0.0 == other.0.0).collect();
        assert_eq!(walks.len(), starts.len());
        for ((number, start), walk) in (0..).zip(&starts).zip(walks) {
            assert!((0..).zip(walk).all(|(step, row)| row.0 == (number, step)), "steps in order: {walk:?}");
            let nodes: Vec<_> = walk.iter().map(|(_, node)| *node).collect();
            assert_walk(&out, &nodes, (*start, &asked));
        }
    })
}

/// Begins at `start`, goes along edges or back, and ends where it must.
fn assert_walk(out: &[BTreeSet<usize>], nodes: &[usize], (start, asked): (usize, &Asked)) {
    let (length, restarts) = (asked.length.unwrap_or(10) as usize, asked.restart.is_some());
    assert_eq!(nodes[0], start);
    for pair in nodes.windows(2) {
        assert!(out[pair[0]].contains(&pair[1]) || (restarts && pair[1] == start), "{pair:?} of {nodes:?}");
    }
    let ended_early = nodes.len() < length + 1;
    assert!(nodes.len() <= length + 1);
    assert!(!ended_early || nodes.last().is_some_and(|last| out[*last].is_empty()), "{nodes:?}");
}
