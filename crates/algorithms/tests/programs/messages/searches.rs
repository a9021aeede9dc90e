//! Searches and components.

use super::executor::{How, execute};
use crate::graphs::{graphs, with_ranks};
use crate::references::{components, search};
use outcrop_algorithms::{UNREACHED, bfs, wcc};
use outcrop_messages::Delivery;

#[test]
fn searches_find_what_a_queue_does() {
    for graph in graphs() {
        let sources: Vec<u32> = [40, 0, 2, 40].into_iter().filter(|source| *source < graph.vertices).collect();
        let begin = || (0..graph.vertices).map(|vertex| bfs::messages::begin(sources.contains(&vertex))).collect();
        let expected = search(&graph, &sources);
        let reached = expected.iter().filter(|found| found[0] != UNREACHED).count();
        for how in How::SYNCHRONOUS {
            let work = bfs::messages::work(graph.place(), Delivery::Synchronous, true);
            let ended = execute((&graph, &work.requirements), &bfs::messages::Levels, begin(), &sources, how);
            assert_eq!(ended.values, expected);
            assert_eq!(ended.computed.iter().sum::<u32>() as usize, reached);
        }
        for how in How::ALL {
            let work = bfs::messages::work(graph.place(), Delivery::Asynchronous, true);
            let ended = execute((&graph, &work.requirements), &bfs::messages::Relaxed, begin(), &sources, how);
            assert_eq!(ended.values, expected);
        }
    }
}

#[test]
fn components_are_those_of_merging() {
    for graph in graphs() {
        let all: Vec<u32> = (0..graph.vertices).collect();
        with_ranks(graph.vertices, |ranks| {
            let expected = components(&graph, ranks);
            let supersteps = How::ALL.map(|how| {
                let begin = all.iter().map(|vertex| ranks.of(*vertex)).collect();
                let work = wcc::messages::work(graph.place());
                let ended = execute((&graph, &work.requirements), &wcc::messages::Smallest, begin, &all, how);
                assert_eq!(ended.values, expected);
                ended.supersteps
            });
            assert!(supersteps[2] <= supersteps[0]);
        });
    }
}
