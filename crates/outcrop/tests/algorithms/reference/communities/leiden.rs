//! Modularity from a list of edges, and what communities of the Leiden algorithm and the Louvain method satisfy.

use crate::answer::Answer;
use crate::graph::Model;
use crate::reference::Trial;
use crate::setup::{request, with_some};
use std::collections::{BTreeMap, BTreeSet};

/// Gains below this are rounding errors.
const LEAST_GAIN: f64 = 1e-9;

pub fn leiden_trials(model: &Model) -> Vec<Trial> {
    let trial = |resolution: Option<f64>, seed: Option<u64>, unweighted: bool| {
        let request = request!("leiden", "unweighted" = unweighted, "max-iter" = 1000_u32);
        let request = with_some(with_some(request, "resolution", resolution), "seed", seed);
        let edges = Edges::new(model, unweighted, resolution.unwrap_or(1.0));
        Trial::new(request, move |answer| {
            let communities = edges.assert_communities(answer);
            edges.assert_connected(&communities);
            edges.assert_no_vertex_gains(&communities);
            edges.assert_no_pair_gains(&communities);
        })
    };
    let mut trials = vec![trial(None, None, false), trial(Some(2.5), Some(7), false), trial(Some(0.2), None, false)];
    trials.extend(model.weighted.then(|| trial(None, None, true)));
    trials
}

pub fn louvain_trials(model: &Model) -> Vec<Trial> {
    let trial = |resolution: Option<f64>, levels: Option<u32>, unweighted: bool| {
        let request = with_some(request!("louvain", "unweighted" = unweighted), "resolution", resolution);
        let edges = Edges::new(model, unweighted, resolution.unwrap_or(1.0));
        Trial::new(with_some(with_some(request, "max-levels", levels), "seed", levels.map(u64::from)), move |answer| {
            let communities = edges.assert_communities(answer);
            match levels {
                None => edges.assert_no_pair_gains(&communities),
                Some(levels) => assert!(answer.values["levels"].as_u64().unwrap() <= levels.into()),
            }
        })
    };
    let mut trials = vec![trial(None, None, false), trial(Some(1.5), None, false), trial(None, Some(1), false)];
    trials.extend(model.weighted.then(|| trial(None, Some(2), true)));
    trials.push(Trial::new(request!("louvain", "hierarchy" = true), |answer| {
        let levels = levels(answer);
        assert!((1..=answer.values["levels"].as_u64().unwrap()).contains(&(levels.len() as u64)));
        // Communities of a level are unions of those of the level before.
        for pair in levels.windows(2) {
            let above: BTreeSet<_> = pair[0].iter().zip(&pair[1]).collect();
            assert_eq!(above.len(), pair[0].iter().collect::<BTreeSet<_>>().len());
            assert_ne!(pair[0], pair[1]);
        }
    }));
    trials
}

/// The communities of each level, each named by its smallest vertex; the last are those of the result.
fn levels(answer: &Answer) -> Vec<Vec<usize>> {
    let of = |name: &str| answer.nodes(name).into_iter().map(Option::unwrap).collect::<Vec<_>>();
    let names = answer.names();
    let levels: Vec<_> = names.iter().filter(|name| name.starts_with("level_")).map(|name| of(name)).collect();
    assert!((1..=levels.len()).all(|number| names[number] == format!("level_{number}")), "{names:?}");
    for level in &levels {
        for (vertex, name) in level.iter().enumerate() {
            assert!(level[*name] == *name && *name <= vertex, "{vertex}: {name}");
        }
    }
    assert_eq!(levels.last(), Some(&of("community")));
    levels
}

/// Edges of a graph taken as undirected, each once.
struct Edges {
    edges: Vec<(usize, usize, f64)>,
    vertices: usize,
    resolution: f64,
}

/// Sum of weights of all edges, and those of each community: of edges within it, and of its vertices.
struct Sums {
    all: f64,
    within: BTreeMap<u32, f64>,
    of: BTreeMap<u32, f64>,
}

impl Edges {
    fn new(model: &Model, unweighted: bool, resolution: f64) -> Self {
        let lists = model.out.iter().enumerate();
        let all = lists.flat_map(|(vertex, list)| list.iter().map(move |(other, weight)| (vertex, *other, *weight)));
        let once = all.filter(|(vertex, other, _)| !model.undirected || vertex <= other);
        let edges =
            once.map(|(vertex, other, weight)| (vertex, other, if unweighted { 1.0 } else { weight })).collect();
        Self { edges, vertices: model.vertices(), resolution }
    }

    fn sums(&self, communities: &[u32]) -> Sums {
        let mut sums = Sums { all: 0.0, within: BTreeMap::new(), of: BTreeMap::new() };
        for (vertex, other, weight) in &self.edges {
            let [one, two] = [vertex, other].map(|end| communities[*end]);
            sums.all += weight;
            *sums.of.entry(one).or_default() += weight;
            *sums.of.entry(two).or_default() += weight;
            if one == two {
                *sums.within.entry(one).or_default() += weight;
            }
        }
        sums
    }

    /// The modularity; none where no edge has a weight.
    fn modularity(&self, communities: &[u32]) -> Option<f64> {
        let Sums { all, within, of } = self.sums(communities);
        let share = |total: f64| (total / (2.0 * all)).powi(2);
        let expected: f64 = of.values().map(|total| share(*total)).sum();
        (all > 0.0).then(|| within.values().sum::<f64>() / all - self.resolution * expected)
    }

    /// Communities are named after their smallest vertices, and have the modularity that the answer gives.
    fn assert_communities(&self, answer: &Answer) -> Vec<u32> {
        let communities: Vec<_> = answer.nodes("community").into_iter().map(Option::unwrap).collect();
        assert!(communities.iter().enumerate().all(|(vertex, name)| *name <= vertex && communities[*name] == *name));
        let communities: Vec<_> = communities.into_iter().map(|name| u32::try_from(name).unwrap()).collect();
        let (found, expected) = (answer.values["modularity"].as_f64(), self.modularity(&communities));
        let close = |(found, expected): (f64, f64)| (found - expected).abs() < LEAST_GAIN;
        assert!(
            found.is_some() == expected.is_some() && found.zip(expected).is_none_or(close),
            "{found:?} {expected:?}"
        );
        communities
    }

    /// Every community is connected.
    fn assert_connected(&self, communities: &[u32]) {
        let mut neighbors = vec![Vec::new(); self.vertices];
        for (vertex, other, _) in self.edges.iter().filter(|(one, two, _)| communities[*one] == communities[*two]) {
            neighbors[*vertex].push(*other);
            neighbors[*other].push(*vertex);
        }
        let mut reached = vec![false; self.vertices];
        let mut begun = BTreeSet::new();
        for first in 0..self.vertices {
            let mut open = if reached[first] { Vec::new() } else { vec![first] };
            assert!(open.is_empty() || begun.insert(communities[first]), "{} is in pieces", communities[first]);
            while let Some(vertex) = open.pop() {
                if !std::mem::replace(&mut reached[vertex], true) {
                    open.extend(&neighbors[vertex]);
                }
            }
        }
    }

    /// No move of a single vertex to another community, or to one of its own, increases the modularity.
    fn assert_no_vertex_gains(&self, communities: &[u32]) {
        let Sums { all, of, .. } = self.sums(communities);
        let mut weights = vec![0.0; self.vertices];
        let mut to: Vec<BTreeMap<u32, f64>> = vec![BTreeMap::new(); self.vertices];
        for (vertex, other, weight) in &self.edges {
            weights[*vertex] += weight;
            weights[*other] += weight;
            if vertex != other {
                *to[*vertex].entry(communities[*other]).or_default() += weight;
                *to[*other].entry(communities[*vertex]).or_default() += weight;
            }
        }
        for (vertex, own) in communities.iter().enumerate() {
            let gain = |community: &u32| {
                let rest = of.get(community).unwrap_or(&0.0) - if community == own { weights[vertex] } else { 0.0 };
                let edges = to[vertex].get(community).unwrap_or(&0.0);
                (edges - self.resolution * weights[vertex] * rest / (2.0 * all).max(f64::MIN_POSITIVE)) / all.max(1.0)
            };
            let best = to[vertex].keys().map(gain).fold(0.0, f64::max);
            assert!(best <= gain(own) + LEAST_GAIN, "{vertex} gains {} by a move", best - gain(own));
        }
    }

    /// Merging two communities does not increase the modularity.
    fn assert_no_pair_gains(&self, communities: &[u32]) {
        let Sums { all, of, .. } = self.sums(communities);
        let mut between: BTreeMap<[u32; 2], f64> = BTreeMap::new();
        for (vertex, other, weight) in &self.edges {
            let mut pair = [communities[*vertex], communities[*other]];
            pair.sort_unstable();
            *between.entry(pair).or_default() += weight;
        }
        for ([one, two], weight) in between.into_iter().filter(|([one, two], weight)| one != two && *weight > 0.0) {
            let gain = weight / all - 2.0 * self.resolution * (of[&one] / (2.0 * all)) * (of[&two] / (2.0 * all));
            assert!(gain <= LEAST_GAIN, "{one} and {two} gain {gain} by a merge");
        }
    }
}
