//! Searches and components.

use crate::executor::{How, execute};
use crate::graphs::{Graph, graphs, with_ranks};
use outcrop_algorithms::messages::{bfs, wcc};
use outcrop_algorithms::{Ranks, UNREACHED};
use outcrop_engine::messages::Delivery;

/// Distances by a queue, and the smallest rank one step nearer.
pub fn search(graph: &Graph, sources: &[u32], ranks: Ranks<'_>) -> Vec<[u32; 2]> {
    let mut found = vec![[UNREACHED; 2]; graph.vertices as usize];
    let mut queue: std::collections::VecDeque<u32> = sources.iter().copied().collect();
    queue.iter().for_each(|source| found[*source as usize][0] = 0);
    while let Some(vertex) = queue.pop_front() {
        let [distance, _] = found[vertex as usize];
        for (target, _) in graph.out(vertex) {
            let known = &mut found[target as usize];
            if known[0] == UNREACHED {
                known[0] = distance + 1;
                queue.push_back(target);
            }
            if known[0] == distance + 1 {
                known[1] = known[1].min(ranks.of(vertex));
            }
        }
    }
    found
}

#[test]
fn searches_find_what_a_queue_does() {
    for graph in graphs() {
        let sources: Vec<u32> = [40, 0, 2, 40].into_iter().filter(|source| *source < graph.vertices).collect();
        let begin = || (0..graph.vertices).map(|vertex| bfs::begin(sources.contains(&vertex))).collect();
        with_ranks(graph.vertices, |ranks| {
            let expected = search(&graph, &sources, ranks);
            let reached = expected.iter().filter(|found| found[0] != UNREACHED).count();
            for how in How::SYNCHRONOUS {
                let work = bfs::work(graph.place(), Delivery::Synchronous);
                let ended = execute((&graph, &work.demand), &bfs::Levels { ranks }, begin(), &sources, how);
                assert_eq!(ended.values, expected);
                assert_eq!(ended.computed.iter().sum::<u32>() as usize, reached);
            }
            for how in How::ALL {
                let work = bfs::work(graph.place(), Delivery::Asynchronous);
                let ended = execute((&graph, &work.demand), &bfs::Relaxed { ranks }, begin(), &sources, how);
                assert_eq!(ended.values, expected);
            }
        });
    }
}

/// The smallest rank of each component, by merging.
pub fn components(graph: &Graph, ranks: Ranks<'_>) -> Vec<u32> {
    let mut parents: Vec<u32> = (0..graph.vertices).collect();
    fn root(parents: &mut [u32], mut vertex: u32) -> u32 {
        while parents[vertex as usize] != vertex {
            parents[vertex as usize] = parents[parents[vertex as usize] as usize];
            vertex = parents[vertex as usize];
        }
        vertex
    }
    for (source, target, _) in &graph.edges {
        let (one, other) = (root(&mut parents, *source), root(&mut parents, *target));
        let (keep, merge) = if ranks.of(one) < ranks.of(other) { (one, other) } else { (other, one) };
        parents[merge as usize] = keep;
    }
    (0..graph.vertices).map(|vertex| ranks.of(root(&mut parents, vertex))).collect()
}

#[test]
fn components_are_those_of_merging() {
    for graph in graphs() {
        let all: Vec<u32> = (0..graph.vertices).collect();
        with_ranks(graph.vertices, |ranks| {
            let expected = components(&graph, ranks);
            let supersteps = How::ALL.map(|how| {
                let begin = all.iter().map(|vertex| ranks.of(*vertex)).collect();
                let work = wcc::work(graph.place());
                let ended = execute((&graph, &work.demand), &wcc::Smallest, begin, &all, how);
                assert_eq!(ended.values, expected);
                ended.supersteps
            });
            assert!(supersteps[2] <= supersteps[0]);
        });
    }
}
