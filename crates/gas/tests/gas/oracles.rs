//! The interpreter against other methods.

use crate::graphs::Arcs;
use crate::interpreter::interpret;
use crate::programs::{Choice, Choosing, Increasing, Paths, Ranks, Shortest};

#[test]
fn distances_are_those_of_relaxing_all_edges() {
    let graph = Arcs::drawn(300, 1200, 7);
    let mut distances: Vec<u64> = (0..graph.vertices).map(|vertex| Shortest::start(vertex).0).collect();
    for _ in 0..graph.vertices {
        for (source, target, weight) in &graph.arcs {
            let through = distances[*source as usize].saturating_add(*weight as u64);
            distances[*target as usize] = distances[*target as usize].min(through);
        }
    }
    assert_eq!(interpret(&Choosing::<Shortest>::NEW, &graph, 1000).values, distances);
}

#[test]
fn paths_are_those_of_vertices_in_order() {
    let graph = Arcs::downhill(300, 1200, 7);
    let mut paths = vec![1_u64; 300];
    for (source, target, _) in &graph.arcs {
        paths[*target as usize] = paths[*target as usize].wrapping_add(paths[*source as usize]);
    }
    assert_eq!(interpret(&Increasing::<Paths>::NEW, &graph, 1000).values, paths);
}

#[test]
fn ranks_are_within_their_bound_of_a_power_iteration() {
    let graph = Arcs::drawn(300, 1200, 7);
    let degrees = graph.out_degrees();
    let mut ranks = vec![0.15; 300];
    for _ in 0..300 {
        let mut next = vec![0.15; 300];
        for (source, target, _) in &graph.arcs {
            next[*target as usize] += 0.85 * ranks[*source as usize] / f64::from(degrees[*source as usize]);
        }
        ranks = next;
    }
    let program = Ranks { threshold: 1e-6 };
    let found = interpret(&program, &graph, 1000).values;
    let error: f64 = found.iter().zip(&ranks).map(|(found, rank)| (found[0] - rank).abs()).sum();
    assert!(error <= program.bound(300), "{error}");
}
