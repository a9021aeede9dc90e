//! Lists that a map reads.

use crate::lists::{Graph, Lists, Place, drawn_edges, members};
use outcrop_engine::{Dense, EdgeMap, EdgeMapOptions, EdgeMapOutput, Gather};
use outcrop_store::access::Neighbors;
use outcrop_types::{AccessMode, Direction, EdgeDirection, VertexId, VertexSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

const VERTICES: u32 = 400;

/// Takes everything that comes to even vertices.
#[derive(Default)]
struct Even(AtomicU32);

impl EdgeMap for Even {
    fn update_atomic(&self, _: VertexId, _: VertexId, _: f64) -> bool {
        self.0.fetch_add(1, Relaxed);
        true
    }

    fn cond(&self, target: VertexId) -> bool {
        target.is_multiple_of(2)
    }

    fn settled(&self, _: VertexId) -> bool {
        false
    }
}

/// Result of a map over `frontier`, its direction, and its access to the lists.
fn mapped(graph: &Graph, frontier: &VertexSet, options: EdgeMapOptions) -> (Vec<VertexId>, EdgeDirection, AccessMode) {
    let engine = graph.both_ways();
    let active = engine.edge_map(frontier, &Even::default(), options).unwrap();
    engine.end_iteration(None);
    let record = graph.records.take().remove(0);
    (members(&active), record.direction, record.access)
}

#[test]
fn a_large_frontier_is_pulled_pushed_or_selected_as_asked() {
    let graph = Graph::new(VERTICES, &drawn_edges(VERTICES, 4000), 2).at(Place::Memory);
    let frontier = VertexSet::from_members((0..VERTICES).step_by(3).collect(), VERTICES);
    let usual: EdgeMapOptions = EdgeMapOutput::Frontier.into();
    let (active, direction, access) = mapped(&graph, &frontier, usual);
    assert_eq!((direction, access), (EdgeDirection::Pull, AccessMode::Sweep));
    let read = graph.into.take_read();
    assert!(read.iter().all(|vertex| vertex.is_multiple_of(2)), "a list that nobody wants is not read");
    let forward = EdgeMapOptions { dense: Dense::PushSweep, ..usual };
    assert_eq!(mapped(&graph, &frontier, forward), (active.clone(), EdgeDirection::Push, AccessMode::Sweep));
    assert_eq!(graph.out.take_read(), members(&frontier), "a sweep passes over lists outside the frontier");
    let never = EdgeMapOptions { large: 0, ..usual };
    assert_eq!(mapped(&graph, &frontier, never), (active, EdgeDirection::Push, AccessMode::Select));
    let (none, ..) = mapped(&graph, &frontier, EdgeMapOutput::Nothing.into());
    assert!(none.is_empty());
}

#[test]
fn a_map_against_the_edges_is_one_along_those_of_the_transpose() {
    let edges = drawn_edges(VERTICES, 4000);
    let turned: Vec<_> = edges.iter().map(|(source, target, weight)| (*target, *source, *weight)).collect();
    let [graph, transpose] = [&edges, &turned].map(|edges| Graph::new(VERTICES, edges, 2).at(Place::Memory));
    for (step, direction) in [(3, EdgeDirection::Pull), (150, EdgeDirection::Push)] {
        let frontier = VertexSet::from_members((0..VERTICES).step_by(step).collect(), VERTICES);
        let along: EdgeMapOptions = EdgeMapOutput::Frontier.into();
        let against = EdgeMapOptions { along: Direction::In, ..along };
        let expected = mapped(&transpose, &frontier, along);
        assert_eq!((mapped(&graph, &frontier, against), expected.1), (expected, direction));
        let read = |lists: &Lists| lists.take_read();
        assert_eq!(read(&graph.into), read(&transpose.out));
        assert_eq!(read(&graph.out), read(&transpose.into));
    }
}

#[test]
fn a_push_of_all_vertices_sweeps() {
    let graph = Graph::new(VERTICES, &drawn_edges(VERTICES, 4000), 2);
    let never = EdgeMapOptions { large: 0, ..EdgeMapOptions::from(EdgeMapOutput::Frontier) };
    let (_, direction, access) = mapped(&graph, &VertexSet::all(VERTICES), never);
    assert_eq!((direction, access), (EdgeDirection::Push, AccessMode::Sweep));
}

/// The entries of each list.
struct Entries(Vec<Mutex<Option<Vec<VertexId>>>>);

impl Gather for Entries {
    type Sum = Vec<VertexId>;

    fn begin(&self, _: VertexId) -> Vec<VertexId> {
        Vec::new()
    }

    fn gather(&self, sum: &mut Vec<VertexId>, piece: Neighbors<'_>) {
        sum.extend(piece.ids());
    }

    fn apply(&self, vertex: VertexId, sum: Vec<VertexId>) {
        assert!(self.0[vertex as usize].lock().unwrap().replace(sum).is_none(), "{vertex} came twice");
    }
}

#[test]
fn a_gather_over_a_set_folds_its_lists_in_either_direction() {
    let edges = drawn_edges(VERTICES, 4000);
    let graph = Graph::new(VERTICES, &edges, 3);
    for (step, direction) in [(1, Direction::Out), (1, Direction::In), (7, Direction::Out), (7, Direction::In)] {
        let set = VertexSet::from_members((0..VERTICES).step_by(step).collect(), VERTICES);
        let entries = Entries((0..VERTICES).map(|_| Mutex::default()).collect());
        graph.both_ways().gather_over(&set, direction, &entries).unwrap();
        for (vertex, found) in (0..VERTICES).zip(entries.0) {
            let of = |(source, target, _): &(u32, u32, f64)| match direction {
                Direction::Out => (*source == vertex).then_some(*target),
                Direction::In => (*target == vertex).then_some(*source),
            };
            let mut expected: Vec<VertexId> = edges.iter().filter_map(of).collect();
            expected.sort_unstable();
            assert_eq!(found.into_inner().unwrap(), set.contains(vertex).then_some(expected));
        }
    }
    assert!(graph.pushing().gather_over(&VertexSet::all(VERTICES), Direction::In, &Entries(Vec::new())).is_err());
}
