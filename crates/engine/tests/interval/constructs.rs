//! Subgraphs of intervals, constructed by both ways.

use crate::lists::{Edge, drawn_edges};
use crate::settings::{Lengths, Setting};
use outcrop_engine::interval::SlidingShards;
use outcrop_engine::{IntervalLists, Subgraph};
use outcrop_types::{Direction, Error, VertexId, VertexRange};

const VERTICES: u32 = 500;

/// The list of a vertex, with weights, in ascending order.
fn list_of(edges: &[Edge], vertex: VertexId, direction: Direction) -> Vec<(VertexId, f64)> {
    let ends = |edge: &Edge| if direction == Direction::Out { (edge.0, edge.1) } else { (edge.1, edge.0) };
    let mut list: Vec<_> =
        edges.iter().filter(|edge| ends(edge).0 == vertex).map(|edge| (ends(edge).1, edge.2)).collect();
    list.sort_by(|one, other| one.partial_cmp(other).unwrap());
    list
}

fn constructed(subgraph: &Subgraph, vertex: VertexId, direction: Direction, weighted: bool) -> Vec<(VertexId, f64)> {
    let list = subgraph.lists(direction).list(vertex);
    assert_eq!(list.weights().is_some(), weighted);
    let weights = list.weights().map_or(vec![1.0; list.len()], <[f64]>::to_vec);
    let mut list: Vec<_> = list.ids().iter().copied().zip(weights).collect();
    list.sort_by(|one, other| one.partial_cmp(other).unwrap());
    list
}

#[test]
fn both_ways_construct_the_lists_of_an_interval() {
    let intervals = [(0, 1), (1, 130), (130, 130), (130, 500)].map(|(start, end)| VertexRange::new(start, end));
    for (threads, weighted) in [(1, true), (2, true), (3, false)] {
        let mut edges = drawn_edges(VERTICES, 3000);
        edges.iter_mut().filter(|_| !weighted).for_each(|edge| edge.2 = 1.0);
        let setting = Setting::new(VERTICES, edges, threads);
        let (mut of_in, mut of_out) = (setting.degrees(Direction::In), setting.degrees(Direction::Out));
        let shards = SlidingShards::new(&setting.graph.into, &mut of_in, &intervals, weighted).unwrap();
        for (number, interval) in intervals.into_iter().enumerate() {
            let into =
                IntervalLists::construct(&setting.graph.into, &mut of_in, interval, weighted, &|_| true).unwrap();
            let out = IntervalLists::construct(&setting.graph.out, &mut of_out, interval, weighted, &|_| true).unwrap();
            assert_eq!((into.range(), into.entries()), (interval, *into.offsets().last().unwrap() as usize));
            let sequential = Subgraph::new(into, out);
            let sliding = shards.construct(number, [&mut of_in, &mut of_out], &setting.graph.workers).unwrap();
            for (vertex, way) in interval.iter().flat_map(|vertex| [(vertex, Direction::In), (vertex, Direction::Out)])
            {
                let expected = list_of(&setting.edges, vertex, way);
                assert!(sequential.lists(way).list(vertex).ids().is_sorted());
                assert_eq!(constructed(&sequential, vertex, way, weighted), expected);
                assert_eq!(constructed(&sliding, vertex, way, weighted), expected);
            }
        }
    }
}

#[test]
fn lists_that_nobody_wants_are_not_read_and_are_empty() {
    let setting = Setting::new(VERTICES, drawn_edges(VERTICES, 3000), 2);
    let (range, mut degrees) = (VertexRange::new(100, 200), setting.degrees(Direction::Out));
    setting.graph.out.take_read();
    let odd = |vertex| vertex % 2 == 1;
    let lists = IntervalLists::construct(&setting.graph.out, &mut degrees, range, false, &odd).unwrap();
    assert!(setting.graph.out.take_read().into_iter().eq((100..200).filter(|vertex| odd(*vertex))));
    for vertex in 100..200 {
        let expected = if odd(vertex) { list_of(&setting.edges, vertex, Direction::Out) } else { Vec::new() };
        assert!(lists.list(vertex).ids().iter().copied().eq(expected.into_iter().map(|(id, _)| id)));
    }
}

#[test]
fn lists_of_other_lengths_than_degrees_say_are_damage() {
    let setting = Setting::new(VERTICES, drawn_edges(VERTICES, 3000), 2);
    let intervals = [(0, 100), (100, 200), (200, VERTICES)].map(|(start, end)| VertexRange::new(start, end));
    let mut of_in = setting.degrees(Direction::In);
    let shards = SlidingShards::new(&setting.graph.into, &mut of_in, &intervals, false).unwrap();
    let mut construct = |degrees: &mut Lengths| shards.construct(1, [&mut of_in, degrees], &setting.graph.workers);
    construct(&mut setting.degrees(Direction::Out)).unwrap();
    for change in [|degree: u32| degree + 1, |degree: u32| degree.saturating_sub(1)] {
        let mut wrong = Lengths(setting.degrees(Direction::Out).0.into_iter().map(change).collect());
        let outcome = IntervalLists::construct(&setting.graph.out, &mut wrong, intervals[1], false, &|_| true);
        assert!(matches!(outcome, Err(Error::Corrupt { .. })));
        assert!(matches!(construct(&mut wrong), Err(Error::Corrupt { .. })));
    }
    assert!(matches!(
        shards.construct(
            3,
            [&mut setting.degrees(Direction::In), &mut setting.degrees(Direction::Out)],
            &setting.graph.workers
        ),
        Err(Error::Usage(_))
    ));
}
