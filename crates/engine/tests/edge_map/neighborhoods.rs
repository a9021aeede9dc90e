//! Out- and in-lists come together as sets do, whatever the memory.

use crate::lists::{Edge, Graph, Lists, members};
use outcrop_engine::neighborhood::{
    MostCommon, NeighborhoodBuffer, Neighborhoods, SelectNeighbors, VisitNeighbors, most_common,
};
use outcrop_store::access::Workers;
use outcrop_types::{Cancellation, Direction, MemoryBudget, VertexId, VertexSet};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::Ordering::Relaxed;

const VERTICES: u32 = 300;

/// Edges with repeats, loops and opposites; vertex 7 has long lists.
fn edges() -> Vec<Edge> {
    let mut state = 5_u64;
    let mut draw = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % below) as u32
    };
    let hub = (0..VERTICES).map(|other| if other % 3 == 0 { (7, other, 1.0) } else { (other, 7, 1.0) });
    let both = (0..VERTICES).step_by(5).map(|other| (7, other, 1.0));
    let others = (0..2000).map(|_| (draw(40), draw(u64::from(VERTICES)), 1.0));
    hub.chain(both).chain(others.collect::<Vec<_>>()).collect()
}

fn expected(keeps: impl Fn(VertexId, VertexId) -> bool) -> Vec<BTreeSet<VertexId>> {
    let mut sets = vec![BTreeSet::new(); VERTICES as usize];
    for (source, target, _) in edges() {
        for (vertex, other) in [(source, target), (target, source)] {
            if source != target && keeps(vertex, other) {
                sets[vertex as usize].insert(other);
            }
        }
    }
    sets
}

/// Calls `test` with the lists seen as one, of a directed and an undirected graph.
fn with_lists(test: impl Fn(&Neighborhoods<'_>, usize)) {
    let workers = Workers::start(2, Cancellation::new()).unwrap();
    let [out, into] = [Direction::Out, Direction::In].map(|way| Lists::new(VERTICES, &edges(), way, &workers));
    test(&Neighborhoods::new(&out, &into), workers.slots());
    let opposite = edges().into_iter().filter(|edge| edge.0 != edge.1).map(|(source, target, w)| (target, source, w));
    let all: Vec<Edge> = edges().into_iter().chain(opposite).collect();
    let both = Lists::new(VERTICES, &all, Direction::Out, &workers);
    test(&Neighborhoods::new(&both, &both), workers.slots());
}

/// Notes what it is shown of the neighbors below a number.
struct Note {
    below: VertexId,
    shown: Mutex<Vec<BTreeSet<VertexId>>>,
}

impl VisitNeighbors for Note {
    fn keeps(&self, _: VertexId, neighbor: VertexId) -> bool {
        neighbor < self.below
    }

    fn neighbors(&self, vertex: VertexId, part: &[VertexId]) {
        let mut shown = self.shown.lock().unwrap();
        part.iter().for_each(|id| assert!(shown[vertex as usize].insert(*id), "{id} was shown to {vertex} before"));
    }
}

#[test]
fn each_neighbor_is_shown_once_whatever_the_memory() {
    let some = VertexSet::from_members((0..VERTICES).step_by(7).chain([8, 9]).collect(), VERTICES);
    let many = VertexSet::from_members((0..VERTICES).filter(|vertex| vertex % 4 != 1).collect(), VERTICES);
    for (set, below) in [(&some, VERTICES), (&many, 200), (&VertexSet::all(VERTICES), VERTICES)] {
        let mut wanted = expected(|_, other| other < below);
        (0..VERTICES).filter(|vertex| !set.contains(*vertex)).for_each(|vertex| wanted[vertex as usize].clear());
        for longest in [1, 10, 64, 5000] {
            with_lists(|lists, slots| {
                let bytes = NeighborhoodBuffer::least_bytes(longest, slots);
                let space =
                    NeighborhoodBuffer::new(&MemoryBudget::new(bytes), bytes, VERTICES, longest, slots).unwrap();
                let note = Note { below, shown: Mutex::new(vec![BTreeSet::new(); VERTICES as usize]) };
                lists.visit(set, &space, |vertex| if vertex == 7 { 1000 } else { 400 }, &note).unwrap();
                assert_eq!(*note.shown.lock().unwrap(), wanted, "{longest}");
            });
        }
    }
}

/// Holds larger neighbors.
struct Larger;

impl SelectNeighbors for Larger {
    fn keeps(&self, vertex: VertexId, neighbor: VertexId) -> bool {
        vertex < neighbor
    }

    fn at_most(&self, vertex: VertexId) -> u32 {
        VERTICES - vertex
    }
}

#[test]
fn batches_hold_all_neighbors_and_tell_double_ones_apart() {
    let wanted = expected(|vertex, other| vertex < other);
    let stored: BTreeSet<_> = edges().iter().map(|(source, target, _)| (*source, *target)).collect();
    for more in [0, 1000, 100_000] {
        with_lists(|lists, slots| {
            let longest = u64::from(VERTICES);
            let bytes = NeighborhoodBuffer::least_bytes(longest, slots) + more;
            let space = NeighborhoodBuffer::new(&MemoryBudget::new(bytes), bytes, VERTICES, longest, slots).unwrap();
            let (mut start, mut batches) = (0, 0);
            while start < VERTICES {
                let range = lists.load(start, &space, &Larger, true).unwrap();
                for vertex in range.iter() {
                    let parts = space.neighborhood((vertex - start) as usize);
                    let single = parts.iter().flat_map(|part| part.single).map(|id| id.load(Relaxed));
                    let double: Vec<_> = parts.iter().flat_map(|part| part.double).map(|id| id.load(Relaxed)).collect();
                    let twice = |id: &VertexId| stored.contains(&(vertex, *id)) && stored.contains(&(*id, vertex));
                    assert!(!lists.directed() || double.iter().all(twice));
                    let single: Vec<_> = single.collect();
                    assert!(!lists.directed() || !single.iter().any(twice));
                    let all: Vec<_> = single.into_iter().chain(double).collect();
                    assert_eq!(all.len(), wanted[vertex as usize].len());
                    assert_eq!(all.into_iter().collect::<BTreeSet<_>>(), wanted[vertex as usize]);
                }
                assert!(start < range.end);
                (start, batches) = (range.end, batches + 1);
            }
            assert!(if more == 100_000 { batches == 1 } else { batches > 1 }, "{batches} batches with {more}");
        });
    }
}

#[test]
fn values_are_held_of_the_smallest_weights() {
    let weight = |place: usize| [2.5, -1.0, 1e-300, 7.0][place % 4];
    let edges = edges().into_iter().enumerate().map(|(place, (source, target, _))| (source, target, weight(place)));
    let both: Vec<Edge> =
        edges.flat_map(|(source, target, weight)| [(source, target, weight), (target, source, weight)]).collect();
    let mut least: BTreeMap<(VertexId, VertexId), f64> = BTreeMap::new();
    for (source, target, weight) in both.iter().filter(|(source, target, _)| source < target) {
        let known = least.entry((*source, *target)).or_insert(*weight);
        *known = weight.min(*known);
    }
    let workers = Workers::start(2, Cancellation::new()).unwrap();
    let out = Lists::new(VERTICES, &both, Direction::Out, &workers);
    let (lists, slots) = (Neighborhoods::new(&out, &out), workers.slots());
    for more in [0, 1000, 200_000] {
        let longest = (1 + NeighborhoodBuffer::VALUE_ENTRIES) * u64::from(VERTICES);
        let bytes = NeighborhoodBuffer::least_bytes(longest, slots) + more;
        let space = NeighborhoodBuffer::new(&MemoryBudget::new(bytes), bytes, VERTICES, longest, slots).unwrap();
        let (mut start, mut held) = (0, BTreeMap::new());
        while start < VERTICES {
            let range = lists.load_values(start, &space, &Larger, &|weight| weight * 2.0).unwrap();
            for vertex in range.iter() {
                let values = space.values((vertex - start) as usize);
                assert_eq!((values.len(), values.is_empty()), (values.iter().count(), values.iter().next().is_none()));
                held.extend(values.iter().map(|(other, value)| ((vertex, other), value / 2.0)));
            }
            assert!(start < range.end);
            start = range.end;
        }
        assert_eq!(held, least);
    }
}

#[test]
fn values_are_of_undirected_graphs() {
    let workers = Workers::start(1, Cancellation::new()).unwrap();
    let [out, into] = [Direction::Out, Direction::In].map(|way| Lists::new(VERTICES, &edges(), way, &workers));
    let space = NeighborhoodBuffer::new(&MemoryBudget::new(1 << 20), 1 << 20, VERTICES, 900, workers.slots()).unwrap();
    assert!(Neighborhoods::new(&out, &into).load_values(0, &space, &Larger, &|weight| weight).is_err());
}

/// Holds all neighbors, and expects none or one.
struct Few(u32);

impl SelectNeighbors for Few {
    fn keeps(&self, _: VertexId, _: VertexId) -> bool {
        true
    }

    fn at_most(&self, _: VertexId) -> u32 {
        self.0
    }
}

#[test]
fn lists_that_are_longer_than_was_said_are_damage() {
    with_lists(|lists, slots| {
        let bytes = NeighborhoodBuffer::least_bytes(1, slots);
        let space = NeighborhoodBuffer::new(&MemoryBudget::new(bytes), bytes, VERTICES, 1, slots).unwrap();
        let mut start = 0;
        let outcome = loop {
            match lists.load(start, &space, &Few(1), true) {
                Ok(range) if start < range.end => start = range.end,
                other => break other,
            }
        };
        assert_eq!(outcome.unwrap_err().exit_code(), 7);
    });
}

/// Values that few vertices or many share; records the results.
struct Shared {
    groups: u32,
    found: Mutex<BTreeMap<VertexId, u32>>,
}

impl MostCommon for Shared {
    fn value(&self, neighbor: VertexId) -> u32 {
        neighbor * 7 % self.groups
    }

    fn apply(&self, vertex: VertexId, value: u32) {
        assert_eq!(self.found.lock().unwrap().insert(vertex, value), None, "{vertex} was processed twice");
    }
}

#[test]
fn most_common_values_count_every_entry_of_both_directions_whatever_the_memory() {
    let undirected: Vec<Edge> = edges().into_iter().filter(|edge| edge.0 != edge.1).collect();
    let both = undirected.iter().flat_map(|(source, target, w)| [(*source, *target, *w), (*target, *source, *w)]);
    let [directed, undirected] = [edges(), both.collect()].map(|edges| Graph::new(VERTICES, &edges, 2));
    let some = VertexSet::from_members((0..VERTICES).step_by(50).chain([7, 9]).collect(), VERTICES);
    let many = VertexSet::from_members((0..VERTICES).filter(|vertex| vertex % 4 != 1).collect(), VERTICES);
    for (set, groups) in [(&some, 5), (&many, 40), (&VertexSet::all(VERTICES), VERTICES)] {
        let program = || Shared { groups, found: Mutex::default() };
        let mut values = vec![Vec::new(); VERTICES as usize];
        for (source, target, _) in edges().into_iter().filter(|edge| edge.0 != edge.1) {
            values[source as usize].push(program().value(target));
            values[target as usize].push(program().value(source));
        }
        let expected: BTreeMap<_, _> = members(set)
            .into_iter()
            .filter_map(|vertex| Some((vertex, most_common(&mut values[vertex as usize].clone())?)))
            .collect();
        for longest in [1, 10, 64, 5000] {
            for graph in [&directed, &undirected] {
                let engine = if std::ptr::eq(graph, &directed) {
                    graph.both_ways()
                } else {
                    graph.engine(Some(&graph.out), Some(&graph.out))
                };
                let lists = match engine.undirected() {
                    true => Neighborhoods::new(&graph.out, &graph.out),
                    false => Neighborhoods::new(&graph.out, &graph.into),
                };
                let slots = graph.workers.slots();
                let bytes = NeighborhoodBuffer::least_bytes(longest, slots);
                let space = NeighborhoodBuffer::new(&graph.budget, bytes, VERTICES, longest, slots).unwrap();
                let degree = |vertex| edges().iter().filter(|edge| edge.0 == vertex).count() as u32;
                let degrees: Vec<u32> = (0..VERTICES).map(degree).collect();
                let program = program();
                lists.most_common(&engine, set, &space, |vertex| degrees[vertex as usize], &program).unwrap();
                assert_eq!(*program.found.lock().unwrap(), expected, "lists up to {longest}");
            }
        }
    }
}

#[test]
fn neighbors_of_few_vertices_are_found_and_of_many_all_vertices_are_returned() {
    let graph = Graph::new(VERTICES, &edges(), 2);
    let engine = graph.both_ways();
    let sets = expected(|_, _| true);
    for vertex in [0, 41, 250] {
        let set = VertexSet::from_members(vec![vertex], VERTICES);
        let found = engine.neighbors_of(&set).unwrap();
        let loops = edges().iter().any(|edge| edge.0 == vertex && edge.1 == vertex);
        let own = loops.then_some(vertex);
        let wanted: BTreeSet<_> = sets[vertex as usize].iter().copied().chain(own).collect();
        assert_eq!(members(&found).into_iter().collect::<BTreeSet<_>>(), wanted);
    }
    let hub = VertexSet::from_members(vec![7], VERTICES);
    assert_eq!(engine.neighbors_of(&hub).unwrap().len(), VERTICES as usize);
}
