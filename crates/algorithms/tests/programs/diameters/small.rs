//! Graphs small enough for a search from every vertex.

use super::graphs::{Graph, eccentricities, value};
use crate::lists::drawn_edges;
use outcrop_algorithms::{Outcome, diameter, eccentricity};

/// Paths, cycles, stars, grids, several components, one vertex, and random graphs from sparse to dense.
fn shapes() -> Vec<(u32, Vec<(u32, u32)>)> {
    let path = |from: u32, to: u32| (from + 1..to).map(|vertex| (vertex - 1, vertex)).collect::<Vec<_>>();
    let star = |leaves: u32| (1..=leaves).map(|leaf| (leaf, 0)).collect::<Vec<_>>();
    let cycle = |length: u32| (0..length).map(|vertex| (vertex, (vertex + 1) % length)).collect::<Vec<_>>();
    let grid = |side: u32| {
        let down = (0..side * (side - 1)).map(move |vertex| (vertex, vertex + side));
        let right = (0..side * side).filter(move |vertex| (vertex + 1) % side > 0).map(|vertex| (vertex, vertex + 1));
        down.chain(right).collect::<Vec<_>>()
    };
    let complete = (0..12).flat_map(|one| (0..12).map(move |other| (one, other))).collect();
    // A large component of small diameter, a small one of a large diameter, and vertices without edges.
    let islands = [star(60), path(61, 90)].concat();
    let tailed = [cycle(30), path(29, 70), vec![(90, 3), (91, 90), (92, 92)]].concat();
    let mut shapes = vec![
        (1, vec![]),
        (1, vec![(0, 0)]),
        (7, vec![]),
        (2, vec![(1, 0)]),
        (200, path(0, 200)),
        (41, star(40)),
        (30, cycle(30)),
        (31, cycle(31)),
        (144, grid(12)),
        (12, complete),
        (95, islands),
        (93, tailed),
    ];
    for (vertices, edges) in [(20, 15), (60, 60), (150, 200), (300, 500), (300, 3000), (500, 900), (700, 1200)] {
        let drawn = drawn_edges(vertices, edges).into_iter().map(|(source, target, _)| (source, target));
        shapes.push((vertices, drawn.collect()));
    }
    shapes
}

fn graphs() -> impl Iterator<Item = Graph> {
    let both =
        |(vertices, edges): (u32, Vec<_>)| [true, false].map(|directed| Graph::new(vertices, &edges, directed, 3));
    shapes().into_iter().flat_map(both)
}

fn diameter_of(graph: &Graph, turned: bool, limit: Option<u32>) -> Outcome {
    graph.with_components(turned, |engine, components| diameter::edge_map::diameter(engine, components, limit).unwrap())
}

#[test]
fn the_diameter_is_the_largest_distance_of_any_pair() {
    for (graph, turned) in graphs().zip([false, true].into_iter().cycle()) {
        let (expected, _) = graph.naive(turned);
        let outcome = diameter_of(&graph, turned, None);
        let greatest = expected.iter().max().copied();
        assert_eq!(value(&outcome, "diameter"), greatest);
        assert_eq!((value(&outcome, "lower"), value(&outcome, "upper")), (greatest, greatest));
        assert_eq!(value(&outcome, "exact"), Some(1));
        assert!(value(&outcome, "searches").unwrap() <= graph.vertices);
        let known = eccentricities(&outcome);
        assert!(known.contains(&greatest), "a vertex of that eccentricity was searched from");
        assert!(known.iter().zip(&expected).all(|(known, expected)| known.is_none_or(|known| known == *expected)));
    }
}

#[test]
fn the_diameter_lies_between_the_bounds_of_few_searches() {
    let mut open = 0;
    for (graph, limit) in graphs().zip([1, 2, 3, 5].into_iter().cycle()) {
        let greatest = graph.naive(false).0.iter().max().copied();
        let outcome = diameter_of(&graph, false, Some(limit));
        assert!(value(&outcome, "searches").unwrap() <= limit);
        assert!(value(&outcome, "lower") <= greatest && greatest <= value(&outcome, "upper"));
        let exact = value(&outcome, "lower") == value(&outcome, "upper");
        assert_eq!(value(&outcome, "exact"), Some(exact.into()));
        assert_eq!(value(&outcome, "diameter"), greatest.filter(|_| exact));
        open += u32::from(!exact);
    }
    assert!(open > 3, "bounds differ in {open} graphs only");
}

#[test]
fn eccentricities_and_the_radius_are_those_of_the_largest_component() {
    for (graph, turned) in graphs().zip([true, false, false, true].into_iter().cycle()) {
        let (all, largest) = graph.naive(turned);
        let mut expected = vec![None; graph.vertices as usize];
        largest.iter().for_each(|vertex| expected[*vertex as usize] = Some(all[*vertex as usize]));
        let outcome = graph.with_components(turned, |engine, components| {
            eccentricity::edge_map::eccentricity(engine, components).unwrap()
        });
        assert_eq!(eccentricities(&outcome), expected);
        let outcome = graph
            .with_components(turned, |engine, components| eccentricity::edge_map::radius(engine, components).unwrap());
        let radius = expected.iter().flatten().min().copied();
        assert_eq!(value(&outcome, "radius"), radius);
        let known = eccentricities(&outcome);
        assert!(known.contains(&radius), "a central vertex is known");
        assert!(known.iter().zip(&expected).all(|(known, expected)| known.is_none() || known == expected));
    }
}

#[test]
fn a_graph_without_vertices_has_no_diameter_and_no_radius() {
    for directed in [true, false] {
        let graph = Graph::new(0, &[], directed, 2);
        let outcome = diameter_of(&graph, false, None);
        assert_eq!(["diameter", "lower", "upper"].map(|name| value(&outcome, name)), [None; 3]);
        assert_eq!((value(&outcome, "exact"), value(&outcome, "searches")), (Some(1), Some(0)));
        let radius = graph
            .with_components(false, |engine, components| eccentricity::edge_map::radius(engine, components).unwrap());
        assert_eq!((value(&radius, "radius"), eccentricities(&radius)), (None, vec![]));
    }
}

#[test]
fn bounds_do_not_depend_on_threads() {
    let drawn = drawn_edges(5000, 11_000).into_iter().map(|(source, target, _)| (source, target));
    let edges: Vec<_> = drawn.collect();
    for (directed, limit) in [(true, 4), (true, 9), (false, 3), (false, 7)] {
        let of = |threads| {
            let graph = Graph::new(5000, &edges, directed, threads);
            let outcome = diameter_of(&graph, false, Some(limit));
            (outcome.values.clone(), eccentricities(&outcome))
        };
        let one = of(1);
        assert!([2, 5].into_iter().all(|threads| of(threads) == one));
    }
}

/// Random graphs in which most eccentricities are the same, so that few searches tell of others.
#[test]
fn searches_at_once_give_the_same_as_one_at_a_time() {
    let drawn = drawn_edges(1500, 6000).into_iter().map(|(source, target, _)| (source, target));
    let edges: Vec<_> = drawn.collect();
    for directed in [true, false] {
        let graph = Graph::new(1500, &edges, directed, 2);
        let (all, largest) = graph.naive(false);
        let outcome = graph.with_components(false, |engine, components| {
            eccentricity::edge_map::eccentricity(engine, components).unwrap()
        });
        let found = eccentricities(&outcome);
        assert!(largest.iter().all(|vertex| found[*vertex as usize] == Some(all[*vertex as usize])));
        let searches = value(&outcome, "searches").unwrap();
        assert!(searches > 4 * outcome.iterations, "{searches} searches in {} iterations", outcome.iterations);
        assert_eq!(value(&diameter_of(&graph, false, None), "diameter"), all.iter().max().copied());
    }
}
