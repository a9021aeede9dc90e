//! Lists of intervals, constructed.

use crate::lists::{Edge, drawn_edges};
use crate::settings::{Lengths, Setting};
use outcrop_engine::IntervalLists;
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

#[test]
fn the_lists_of_an_interval_are_constructed() {
    let intervals = [(0, 1), (1, 130), (130, 130), (130, 500)].map(|(start, end)| VertexRange::new(start, end));
    for (threads, weighted) in [(1, true), (2, true), (3, false)] {
        let setting = Setting::new(VERTICES, drawn_edges(VERTICES, 3000), threads);
        for (interval, way) in
            intervals.into_iter().flat_map(|interval| [(interval, Direction::In), (interval, Direction::Out)])
        {
            let stored = if way == Direction::Out { &setting.graph.out } else { &setting.graph.into };
            let mut degrees = setting.degrees(way);
            let lists = IntervalLists::construct(stored, &mut degrees, interval, weighted, &|_| true).unwrap();
            assert_eq!((lists.range(), lists.entries()), (interval, *lists.offsets().last().unwrap() as usize));
            for vertex in interval.iter() {
                let (list, expected) = (lists.list(vertex), list_of(&setting.edges, vertex, way));
                assert!(list.ids().iter().copied().eq(expected.iter().map(|(id, _)| *id)));
                assert_eq!(list.weights().is_some(), weighted);
                let weights = list.weights().unwrap_or_default();
                let mut entries: Vec<_> = list.ids().iter().copied().zip(weights.iter().copied()).collect();
                entries.sort_by(|one, other| one.partial_cmp(other).unwrap());
                assert!(!weighted || entries == expected);
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
    let interval = VertexRange::new(100, 200);
    for change in [|degree: u32| degree + 1, |degree: u32| degree.saturating_sub(1)] {
        let mut wrong = Lengths(setting.degrees(Direction::Out).0.into_iter().map(change).collect());
        let outcome = IntervalLists::construct(&setting.graph.out, &mut wrong, interval, false, &|_| true);
        assert!(matches!(outcome, Err(Error::Corrupt { .. })));
    }
}
