//! Records of iterations that observers hear.

use crate::lists::{Graph, drawn_edges};
use outcrop_engine::{EdgeMap, EdgeMapOutput};
use outcrop_types::{AccessMode, EdgeDirection, VertexId, VertexSet};

/// Activates every target.
struct Everyone;

impl EdgeMap for Everyone {
    fn update_atomic(&self, _: VertexId, _: VertexId, _: f64) -> bool {
        true
    }

    fn settled(&self, _: VertexId) -> bool {
        false
    }
}

#[test]
fn a_record_counts_the_frontier_and_the_edges_that_leave_it() {
    let edges = drawn_edges(1000, 5000);
    let graph = Graph::new(1000, &edges, 2);
    let engine = graph.both_ways();
    let mut frontier = VertexSet::from_members(vec![3], 1000);
    let mut expected = Vec::new();
    while expected.len() < 5 {
        let leaving = edges.iter().filter(|(source, _, _)| frontier.contains(*source)).count() as u64;
        expected.push((expected.len() as u32 + 1, frontier.len() as u64, leaving, leaving));
        frontier = engine.edge_map(&frontier, &Everyone, EdgeMapOutput::Frontier).unwrap();
        engine.end_iteration(None);
    }
    let records = graph.records.take();
    let shown: Vec<_> =
        records.iter().map(|r| (r.iteration, r.active_vertices, r.active_edges, r.select_bytes)).collect();
    assert_eq!(shown, expected);
    assert_eq!(records[0].direction, EdgeDirection::Push);
}

#[test]
fn an_iteration_of_two_maps_counts_the_edges_of_both() {
    let graph = Graph::new(4, &[(0, 1, 1.0), (0, 2, 1.0), (1, 2, 1.0)], 1);
    let engine = graph.pushing();
    for sources in [vec![0], vec![1, 3]] {
        let set = VertexSet::from_members(sources, 4);
        assert!(engine.edge_map(&set, &Everyone, EdgeMapOutput::Nothing).unwrap().is_empty());
    }
    assert_eq!(engine.end_iteration(Some(0.5)), 1);
    assert_eq!(engine.end_iteration(None), 2);
    let records = graph.records.take();
    assert_eq!((records[0].active_vertices, records[0].active_edges, records[0].change), (2, 3, Some(0.5)));
    assert_eq!((records[1].active_vertices, records[1].active_edges, records[1].change), (0, 0, None));
    assert_eq!((records[0].direction, records[0].access), (EdgeDirection::Push, AccessMode::Select));
}
