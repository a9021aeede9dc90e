//! Colours and independent sets.

use crate::executor::{Ended, How, execute};
use crate::graphs::{Graph, graphs, with_ranks};
use outcrop_algorithms::{IdOrder, UNREACHED, coloring, mis};

/// Colours one vertex after the other.
pub fn colour_in_order(graph: &Graph, order: &coloring::messages::Order<'_>) -> Vec<u32> {
    let mut vertices: Vec<u32> = (0..graph.vertices).collect();
    vertices.sort_by_key(|vertex| order.of(*vertex));
    let mut colours = vec![UNREACHED; vertices.len()];
    for vertex in vertices {
        let taken: Vec<u32> = graph.others(vertex).map(|(other, _)| colours[other as usize]).collect();
        colours[vertex as usize] = (0..).find(|colour| !taken.contains(colour)).unwrap();
    }
    colours
}

fn colours(graph: &Graph, ranks: IdOrder<'_>, seed: u64, how: How) -> (Vec<u32>, u32) {
    let all: Vec<u32> = (0..graph.vertices).collect();
    let program = coloring::messages::Greedy { order: coloring::messages::Order::new(ranks, seed) };
    let requirements = coloring::messages::work(graph.place()).requirements;
    let ended = execute((graph, &requirements), &program, vec![coloring::messages::BEGIN; all.len()], &all, how);
    (ended.values.into_iter().map(|[colour, ..]| colour).collect(), ended.computed.into_iter().max().unwrap_or(0))
}

#[test]
fn colours_are_those_of_greedy_colouring_in_the_same_order() {
    let mut most = 0;
    for graph in graphs() {
        with_ranks(graph.vertices, |ranks| {
            for seed in [1, 2] {
                let expected = colour_in_order(&graph, &coloring::messages::Order::new(ranks, seed));
                for how in How::SYNCHRONOUS {
                    let (found, computed) = colours(&graph, ranks, seed, how);
                    assert_eq!(found, expected);
                    assert!(computed <= 3);
                }
                most = expected.into_iter().fold(most, u32::max);
            }
        });
        let (found, _) = colours(&graph, IdOrder(None), 1, How::default());
        let proper = |(one, other, _): &(u32, u32, f64)| one == other || found[*one as usize] != found[*other as usize];
        assert!(graph.edges.iter().all(proper));
    }
    assert!(most >= 89, "more colours than a mask holds: {most}");
}

#[test]
fn the_order_is_by_rank() {
    with_ranks(50, |ranks| {
        let [order, of_ranks] = [IdOrder(None), ranks].map(|ranks| coloring::messages::Order::new(ranks, 5));
        assert!((0..50).all(|vertex| of_ranks.of(vertex) == order.of(ranks.of(vertex))));
        assert!((0..50).any(|vertex| order.of(vertex) != coloring::messages::Order::new(IdOrder(None), 6).of(vertex)));
    });
}

fn independent_set<'r>(graph: &Graph, ranks: IdOrder<'r>, seed: u64, how: How) -> Ended<mis::messages::Luby<'r>> {
    let all: Vec<u32> = (0..graph.vertices).collect();
    let requirements = mis::messages::work(graph.place()).requirements;
    execute(
        (graph, &requirements),
        &mis::messages::Luby { ranks, seed },
        vec![mis::messages::UNDECIDED; all.len()],
        &all,
        how,
    )
}

#[test]
fn sets_are_independent_maximal_and_of_their_seed() {
    for graph in graphs() {
        with_ranks(graph.vertices, |ranks| {
            let sets = [1, 2, 3].map(|seed| {
                let [one, other] = How::SYNCHRONOUS.map(|how| independent_set(&graph, ranks, seed, how));
                assert_eq!(one.values, other.values);
                assert!(one.supersteps <= 60);
                for vertex in 0..graph.vertices {
                    let members = graph.others(vertex).filter(|(other, _)| one.values[*other as usize] == 1).count();
                    assert_eq!(u32::from(members == 0), one.values[vertex as usize], "vertex {vertex}");
                }
                one.values
            });
            assert!(graph.vertices < 1000 || sets[0] != sets[1] && sets[1] != sets[2]);
        });
    }
}

#[test]
fn a_set_does_not_depend_on_the_order_of_a_store() {
    let graph = &graphs()[0];
    let turn = |vertex: u32| graph.vertices - 1 - vertex;
    let turned_edges = graph.edges.iter().map(|(source, target, weight)| (turn(*source), turn(*target), *weight));
    let turned = Graph::new(graph.vertices, turned_edges.collect(), graph.directed);
    let mut found = Vec::new();
    with_ranks(graph.vertices, |ranks| {
        let graph = if ranks.0.is_none() { graph } else { &turned };
        let mut values = independent_set(graph, ranks, 9, How::default()).values;
        if ranks.0.is_some() {
            values.reverse();
        }
        found.push(values);
    });
    assert_eq!(found[0], found[1]);
}
