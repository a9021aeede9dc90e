//! Programs that change their graph (section V.E).

use crate::engines::{Bench, Made};
use outcrop_engine::Directions;
use outcrop_messages::{Edges, MessageProgram, Vertex};
use outcrop_types::VertexSet;
use std::sync::Mutex;

/// A superstep, a vertex, and its out- and in-neighbors.
type Seen = (u32, u32, Vec<u32>, Vec<u32>);

/// Action of a vertex in a superstep.
type Deed = (u32, u32, fn(&mut Vertex<'_, Changing>));

/// Does what it is told, and notes the out- and in-neighbors of all vertices in each superstep.
struct Changing {
    deeds: Vec<Deed>,
    seen: Mutex<Vec<Seen>>,
}

impl MessageProgram for Changing {
    type Value = u32;
    type Message = u32;
    type Record = ();

    fn compute(&self, vertex: &mut Vertex<'_, Self>, edges: &Edges<'_>) {
        let (superstep, id) = (vertex.superstep().number, vertex.id());
        *vertex.value_mut() += 1;
        for (when, who, deed) in &self.deeds {
            if (*when, *who) == (superstep, id) {
                deed(vertex);
            }
        }
        let seen = (superstep, id, edges.out.ids().to_vec(), edges.into.ids().to_vec());
        self.seen.lock().unwrap().push(seen);
    }
}

/// Out- and in-neighbors of each vertex that was computed in a superstep.
fn lists(deeds: Vec<Deed>, superstep: u32) -> Vec<(u32, Vec<u32>, Vec<u32>)> {
    let edges = vec![(0, 1, 1.0), (0, 2, 1.0), (1, 2, 1.0), (2, 0, 1.0), (3, 0, 1.0)];
    let bench = Bench::new(4, edges, 2);
    let mut made = Made::of::<Changing>(4, false);
    (made.requirements.sides, made.requirements.changes, made.requirements.spare_vertices) =
        (Directions::Both, true, 2);
    let program = Changing { deeds, seen: Mutex::default() };
    let engine = bench.engine(&made);
    let mut values = engine.values(|_| 0).unwrap();
    engine.run(&program, &mut values, &VertexSet::all(4), superstep + 1).unwrap();
    let mut seen = program.seen.into_inner().unwrap();
    seen.sort();
    seen.into_iter().filter(|seen| seen.0 == superstep).map(|(_, id, out, into)| (id, out, into)).collect()
}

#[test]
fn edges_come_and_go_in_the_next_superstep() {
    let deeds = || -> Vec<Deed> {
        vec![(0, 0, |vertex| vertex.remove_edge(0, 2)), (0, 3, |vertex| vertex.add_edge(1, 3, 1.0))]
    };
    let before =
        vec![(0, vec![1, 2], vec![2, 3]), (1, vec![2], vec![0]), (2, vec![0], vec![0, 1]), (3, vec![0], vec![])];
    assert_eq!(lists(deeds(), 0), before);
    let after = vec![(0, vec![1], vec![2, 3]), (1, vec![2, 3], vec![0]), (2, vec![0], vec![1]), (3, vec![0], vec![1])];
    assert_eq!(lists(deeds(), 1), after);
    assert_eq!(lists(deeds(), 2), after);
}

#[test]
fn a_vertex_goes_with_its_edges_and_comes_back_without() {
    let deeds = || -> Vec<Deed> {
        vec![
            (0, 1, |vertex| vertex.remove_vertex(0)),
            (1, 1, |vertex| vertex.add_vertex(0)),
            (2, 1, |vertex| vertex.add_edge(2, 0, 1.0)),
        ]
    };
    assert_eq!(lists(deeds(), 1), vec![(1, vec![2], vec![]), (2, vec![], vec![1]), (3, vec![], vec![])]);
    assert_eq!(
        lists(deeds(), 2),
        vec![(0, vec![], vec![]), (1, vec![2], vec![]), (2, vec![], vec![1]), (3, vec![], vec![])]
    );
    let last = vec![(0, vec![], vec![2]), (1, vec![2], vec![]), (2, vec![0], vec![1]), (3, vec![], vec![])];
    assert_eq!(lists(deeds(), 3), last);
}

#[test]
fn spare_vertices_exist_once_they_are_added() {
    let deeds = || -> Vec<Deed> {
        vec![(0, 0, |vertex| {
            vertex.add_vertex(5);
            vertex.add_edge(5, 1, 1.0);
        })]
    };
    let after = lists(deeds(), 1);
    assert_eq!(after.len(), 5);
    assert_eq!((&after[1], &after[4]), (&(1, vec![2], vec![0, 5]), &(5, vec![1], vec![])));
}

#[test]
fn what_makes_no_sense_is_refused() {
    for (deed, expected) in [
        ((|vertex| vertex.add_edge(0, 6, 1.0)) as fn(&mut Vertex<'_, Changing>), "beyond the limit of 6"),
        (|vertex| vertex.add_edge(0, 4, 1.0), "vertex 4, which does not exist"),
    ] {
        let bench = Bench::new(4, vec![(0, 1, 1.0)], 1);
        let mut made = Made::of::<Changing>(4, false);
        (made.requirements.changes, made.requirements.spare_vertices) = (true, 2);
        let program = Changing { deeds: vec![(0, 0, deed)], seen: Mutex::default() };
        let engine = bench.engine(&made);
        let mut values = engine.values(|_| 0).unwrap();
        let error = engine.run(&program, &mut values, &VertexSet::all(4), 3).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    // An engine that was not made for changes.
    let bench = Bench::new(4, vec![(0, 1, 1.0)], 1);
    let program = Changing { deeds: vec![(0, 0, |vertex| vertex.remove_edge(0, 1))], seen: Mutex::default() };
    let engine = bench.engine(&Made::of::<Changing>(4, false));
    let mut values = engine.values(|_| 0).unwrap();
    assert!(engine.run(&program, &mut values, &VertexSet::all(4), 3).is_err());
}
