//! Colors and independent sets.

use super::coloring_order::{greedy, greedy_colors};
use super::executor::{Ended, How, execute};
use crate::graphs::{Graph, graphs, with_ranks};
use outcrop_algorithms::coloring::order::{Order, State};
use outcrop_algorithms::{IdOrder, coloring, mis};
use outcrop_engine::Directions;

/// Colors by one vertex after the other.
pub fn expected_colors(graph: &Graph, order: &Order<'_>) -> Vec<u32> {
    greedy_colors(&entries(graph), order)
}

fn entries(graph: &Graph) -> Vec<Vec<u32>> {
    let of_vertex = |vertex| {
        let edges = graph.edges_of(vertex, Directions::Both, false);
        edges.both().map(|(other, _)| other).collect()
    };
    (0..graph.vertices).map(of_vertex).collect()
}

/// The number of colors by always removing a vertex of the smallest degree, and coloring the last one first.
fn by_degeneracy(graph: &Graph) -> u32 {
    let entries = entries(graph);
    let mut degrees: Vec<Option<usize>> = entries.iter().map(|others| Some(others.len())).collect();
    let mut removed = Vec::new();
    while let Some((_, vertex)) =
        degrees.iter().zip(0_u32..).filter_map(|(degree, vertex)| Some(((*degree)?, vertex))).min()
    {
        degrees[vertex as usize] = None;
        for other in &entries[vertex as usize] {
            degrees[*other as usize] = degrees[*other as usize].map(|degree| degree - 1);
        }
        removed.push(vertex);
    }
    removed.reverse();
    number_of(&greedy(&entries, &removed))
}

fn number_of(colors: &[u32]) -> u32 {
    colors.iter().max().map_or(0, |most| most + 1)
}

fn colors(graph: &Graph, order: Order<'_>, how: How) -> (Vec<u32>, u32) {
    let all: Vec<u32> = (0..graph.vertices).collect();
    let program = coloring::messages::Colors { order };
    let requirements = coloring::messages::work(graph.place()).requirements;
    let ended = execute((graph, &requirements), &program, vec![coloring::messages::BEGIN; all.len()], &all, how);
    (ended.values.into_iter().map(|[color, ..]| color).collect(), ended.supersteps)
}

#[test]
fn colors_are_those_of_one_vertex_after_the_other_and_few() {
    let mut most = 0;
    for graph in graphs() {
        with_ranks(graph.vertices, |ranks| {
            for order in [1, 2].map(|seed| Order::new(ranks, seed)) {
                let expected = expected_colors(&graph, &order);
                for how in How::SYNCHRONOUS {
                    let (found, _) = colors(&graph, order, how);
                    assert_eq!(found, expected);
                }
                let (number, best) = (number_of(&expected), by_degeneracy(&graph));
                assert!(number <= best + best / 10 + 1, "{number} {best}");
                most = most.max(number);
            }
        });
        let (found, _) = colors(&graph, Order::new(IdOrder(None), 1), How::default());
        let proper = |(one, other, _): &(u32, u32, f64)| one == other || found[*one as usize] != found[*other as usize];
        assert!(graph.edges.iter().all(proper));
    }
    assert!(most >= 90, "more colours than a window holds: {most}");
}

#[test]
fn words_hold_states() {
    let colors = [0, 1, (1 << 30) - 1].into_iter().flat_map(|color| [State::Colored(color), State::Waiting(color)]);
    for state in colors.chain([State::Left, State::Removed]) {
        assert_eq!(State::from_word(state.word()), state);
    }
    assert_eq!(State::Colored(7).word(), 7);
}

#[test]
fn the_order_is_by_rank() {
    with_ranks(50, |ranks| {
        let [order, of_ranks] = [IdOrder(None), ranks].map(|ranks| Order::new(ranks, 5));
        assert!((0..50).all(|vertex| of_ranks.of(vertex) == order.of(ranks.of(vertex))));
        assert!((0..50).any(|vertex| order.of(vertex) != Order::new(IdOrder(None), 6).of(vertex)));
    });
}

fn independent_set<'r>(graph: &Graph, ranks: IdOrder<'r>, seed: u64, how: How) -> Ended<mis::messages::Luby<'r>> {
    let all: Vec<u32> = (0..graph.vertices).collect();
    let requirements = mis::messages::work(graph.place()).requirements;
    execute(
        (graph, &requirements),
        &mis::messages::Luby { ranks, seed },
        vec![mis::round::UNDECIDED; all.len()],
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
