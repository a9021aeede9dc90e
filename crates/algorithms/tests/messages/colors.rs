//! Colors and independent sets.

use crate::coloring_rounds::color_in_rounds;
use crate::executor::{Ended, How, execute};
use crate::graphs::{Graph, graphs, with_ranks};
use outcrop_algorithms::coloring::rounds::{Order, State};
use outcrop_algorithms::{IdOrder, coloring, mis};

/// Colors in rounds, and their number.
pub fn expected_colors(graph: &Graph, order: &Order<'_>) -> (Vec<u32>, u32) {
    let others = |vertex| graph.others(vertex).map(|(other, _)| other).collect();
    color_in_rounds(&(0..graph.vertices).map(others).collect::<Vec<_>>(), order)
}

/// The number of colors that one vertex after the other is given.
fn greedy(graph: &Graph, order: &Order<'_>) -> u32 {
    let mut vertices: Vec<u32> = (0..graph.vertices).collect();
    vertices.sort_by_key(|vertex| order.of(*vertex));
    let mut colors = vec![u32::MAX; vertices.len()];
    for vertex in vertices {
        let taken: Vec<u32> = graph.others(vertex).map(|(other, _)| colors[other as usize]).collect();
        colors[vertex as usize] = (0..).find(|color| !taken.contains(color)).unwrap();
    }
    colors.into_iter().max().map_or(0, |most| most + 1)
}

fn colors(graph: &Graph, order: Order<'_>, how: How) -> (Vec<u32>, u32) {
    let all: Vec<u32> = (0..graph.vertices).collect();
    let program = coloring::messages::Rounds { order };
    let requirements = coloring::messages::work(graph.place()).requirements;
    let ended = execute((graph, &requirements), &program, vec![coloring::messages::BEGIN; all.len()], &all, how);
    (ended.values.into_iter().map(|[color, ..]| color).collect(), ended.supersteps)
}

#[test]
fn colors_are_those_of_rounds_one_vertex_after_the_other() {
    let mut most = 0;
    for graph in graphs() {
        with_ranks(graph.vertices, |ranks| {
            for order in [1, 2].map(|seed| Order::new(ranks, seed)) {
                let (expected, rounds) = expected_colors(&graph, &order);
                for how in How::SYNCHRONOUS {
                    let (found, supersteps) = colors(&graph, order, how);
                    assert_eq!(found, expected);
                    assert!((rounds..=rounds + 1).contains(&supersteps) && rounds <= 60, "{rounds} {supersteps}");
                }
                let number = expected.into_iter().max().map_or(0, |most| most + 1);
                let greedy = greedy(&graph, &order);
                assert!(number <= greedy + greedy / 4 + 4, "{number} {greedy}");
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
    for state in [0, 1, (1 << 30) - 1]
        .into_iter()
        .flat_map(|color| [State::Colored(color), State::Proposed(color), State::Waiting(color), State::Moved(color)])
    {
        assert_eq!(State::from_word(state.word()), state);
    }
    assert_eq!(State::Colored(7).word(), 7);
}

#[test]
fn the_order_is_by_rank() {
    with_ranks(50, |ranks| {
        let [order, of_ranks] = [IdOrder(None), ranks].map(|ranks| Order::new(ranks, 5));
        assert!((0..50).all(|vertex| of_ranks.of(vertex) == order.of(ranks.of(vertex))));
        assert!((0..50).all(|vertex| of_ranks.draw(vertex, 3, 9) == order.draw(ranks.of(vertex), 3, 9)));
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
