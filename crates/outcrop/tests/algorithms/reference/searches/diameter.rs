//! Eccentricities by a search from every vertex; in larger graphs from some.

use super::bfs;
use crate::answer::Answer;
use crate::graph::Model;
use crate::reference::Trial;
use crate::reference::structure::scc;
use crate::setup::request;
use std::collections::{BTreeMap, BTreeSet};

/// From so many vertices at the most it is searched.
const MOST_SEARCHES: usize = 600;

pub fn trials(model: &Model) -> Vec<Trial> {
    let exact = Trial::lazy(model, request!("diameter", "exact" = true), Known::of, |answer, known| {
        assert_between(answer, known, true);
    });
    let few = |searches: u32| {
        let request = request!("diameter", "iterations" = searches);
        Trial::lazy(model, request, Known::of, |answer, known| assert_between(answer, known, false))
    };
    // All distances of a larger graph may take as many searches as it has vertices.
    match model.vertices() {
        0 => Vec::new(),
        1..=MOST_SEARCHES => vec![exact, few(1), few(7)],
        _ => vec![few(1), few(7)],
    }
}

pub fn radius_trials(model: &Model) -> Vec<Trial> {
    let trial = Trial::lazy(model, request!("radius"), known_and_members, |answer, (known, members)| {
        let radius = members.iter().filter_map(|member| known.eccentricities.get(member)).min().copied();
        let found = answer.values["radius"].as_u64().map(|found| found as u32);
        assert!(found == radius || (!known.of_all && (radius.is_none() || found < radius)));
        let column = answer.counts("eccentricity");
        assert!(column.contains(&found));
        known.agree_with(&column);
        assert!((0..column.len()).all(|vertex| column[vertex].is_none() || members.contains(&vertex)));
    });
    if model.vertices() == 0 { Vec::new() } else { vec![trial] }
}

pub fn eccentricity_trials(model: &Model) -> Vec<Trial> {
    let trial = Trial::lazy(model, request!("eccentricity"), known_and_members, |answer, (known, members)| {
        let column = answer.counts("eccentricity");
        known.agree_with(&column);
        assert!((0..column.len()).all(|vertex| column[vertex].is_some() == members.contains(&vertex)));
    });
    if model.vertices() == 0 { Vec::new() } else { vec![trial] }
}

fn known_and_members(model: &Model) -> (Known, BTreeSet<usize>) {
    (Known::of(model), largest_component(model))
}

/// The eccentricities of some vertices.
struct Known {
    eccentricities: BTreeMap<usize, u32>,
    of_all: bool,
}

impl Known {
    fn of(model: &Model) -> Self {
        let step = model.vertices().div_ceil(MOST_SEARCHES).max(1);
        let of = |vertex: usize| (vertex, bfs::distances(model, &[vertex]).into_iter().flatten().max().unwrap());
        Self { eccentricities: (0..model.vertices()).step_by(step).map(of).collect(), of_all: step == 1 }
    }

    fn agree_with(&self, column: &[Option<u32>]) {
        for (vertex, expected) in &self.eccentricities {
            assert!(column[*vertex].is_none_or(|found| found == *expected), "{vertex}");
        }
    }
}

/// The strongly connected component with the most vertices, ascending; of several that of the smallest rank.
fn largest_component(model: &Model) -> BTreeSet<usize> {
    let mut members = BTreeMap::<usize, Vec<usize>>::new();
    for (vertex, component) in scc::components(model).into_iter().enumerate() {
        members.entry(component.unwrap()).or_default().push(vertex);
    }
    let first = |most: Vec<usize>, next: Vec<usize>| if next.len() > most.len() { next } else { most };
    members.into_values().fold(Vec::new(), first).into_iter().collect()
}

/// The diameter lies between the bounds, and is equal to both where it is `exact`.
fn assert_between(answer: &Answer, known: &Known, exact: bool) {
    let greatest = known.eccentricities.values().max().copied().map(u64::from).unwrap();
    let [lower, upper] = ["lower", "upper"].map(|name| answer.values[name].as_u64().unwrap());
    assert!(lower <= upper && greatest <= upper && (lower <= greatest || !known.of_all), "{lower} to {upper}");
    assert!(!exact || lower == upper);
    assert_eq!(answer.values["exact"], lower == upper);
    assert_eq!(answer.values["diameter"].as_u64(), Some(lower).filter(|_| lower == upper));
    known.agree_with(&answer.counts("eccentricity"));
}
