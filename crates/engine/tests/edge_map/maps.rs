//! Pushing, pulling and looping over all edges come to the same.

use crate::lists::{Edge, Graph, Place, members};
use outcrop_engine::{EdgeMap, EdgeMapOutput, Engine, Gather};
use outcrop_store::access::Neighbors;
use outcrop_types::{AccessMode, EdgeDirection, VertexId, VertexSet};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

const VERTICES: u32 = 300;

/// A number that looks random.
fn mix(seed: u64, one: u32, other: u32, weight: f64) -> u64 {
    let words = [u64::from(one), u64::from(other), weight.to_bits()];
    words.iter().fold(seed, |sum, word| (sum ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29))
}

/// Of each edge it is fixed whether it is taken and whether it activates; sums up what it was given.
struct AnyProgram {
    seed: u64,
    given: Vec<AtomicU32>,
}

impl AnyProgram {
    fn new(seed: u64) -> Self {
        Self { seed, given: (0..VERTICES).map(|_| AtomicU32::new(0)).collect() }
    }

    fn activates(&self, (source, target, weight): Edge) -> bool {
        mix(self.seed, source, target, weight).is_multiple_of(5)
    }

    fn given(&self) -> Vec<u32> {
        self.given.iter().map(|given| given.load(Relaxed)).collect()
    }
}

impl EdgeMap for AnyProgram {
    fn update_atomic(&self, source: VertexId, target: VertexId, weight: f64) -> bool {
        self.given[target as usize].fetch_add(mix(1, source, target, weight) as u32, Relaxed);
        self.activates((source, target, weight))
    }

    fn cond(&self, target: VertexId) -> bool {
        !mix(self.seed, target, 0, 0.0).is_multiple_of(4)
    }

    fn settled(&self, _: VertexId) -> bool {
        false
    }
}

/// Expected values of a program, and the vertices that it should have activated.
fn by_loop(edges: &[Edge], frontier: &BTreeSet<VertexId>, seed: u64) -> (Vec<u32>, Vec<VertexId>) {
    let program = AnyProgram::new(seed);
    let mut active = BTreeSet::new();
    for (source, target, weight) in edges {
        if frontier.contains(source) && program.cond(*target) && program.update_atomic(*source, *target, *weight) {
            active.insert(*target);
        }
    }
    (program.given(), active.into_iter().collect())
}

fn by_engine(engine: &Engine<'_>, frontier: &VertexSet, seed: u64) -> (Vec<u32>, Vec<VertexId>) {
    let program = AnyProgram::new(seed);
    let active = engine.edge_map(frontier, &program, EdgeMapOutput::Frontier).unwrap();
    engine.end_iteration(None);
    (program.given(), members(&active))
}

fn edges() -> impl Strategy<Value = Vec<Edge>> {
    proptest::collection::vec((0..VERTICES, 0..VERTICES, (0u8..4).prop_map(f64::from)), 0..1000)
}

/// More than a twentieth of all edges has, so that a pull is chosen: as a list, as bits, or all.
fn frontiers() -> impl Strategy<Value = BTreeSet<VertexId>> {
    let of = |size| proptest::collection::btree_set(0..VERTICES, size);
    prop_oneof![of(51..65), of(65..200), Just((0..VERTICES).collect())]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(150) })]
    #[test]
    fn push_and_pull_do_what_a_loop_does(edges in edges(), frontier in frontiers(), seed: u64, threads in 1usize..4) {
        let graph = Graph::new(VERTICES, &edges, threads).at(Place::Memory);
        let set = VertexSet::from_members(frontier.iter().copied().collect(), VERTICES);
        let expected = by_loop(&edges, &frontier, seed);
        prop_assert_eq!(by_engine(&graph.pushing(), &set, seed), expected.clone());
        prop_assert_eq!(by_engine(&graph.both_ways(), &set, seed), expected);
        let ways: Vec<_> = graph.records.take().iter().map(|record| (record.direction, record.access)).collect();
        let all = frontier.len() == VERTICES as usize;
        let push = if all { AccessMode::Sweep } else { AccessMode::Select };
        prop_assert_eq!(ways, [(EdgeDirection::Push, push), (EdgeDirection::Pull, AccessMode::Sweep)]);
    }

    #[test]
    fn targets_that_are_taken_once_are_taken_once(edges in edges(), frontier in frontiers(), threads in 1usize..4) {
        let graph = Graph::new(VERTICES, &edges, threads);
        let set = VertexSet::from_members(frontier.iter().copied().collect(), VERTICES);
        let reached = edges.iter().filter(|(source, _, _)| frontier.contains(source)).map(|(_, target, _)| *target);
        let reached: Vec<VertexId> = reached.collect::<BTreeSet<_>>().into_iter().collect();
        for engine in [graph.pushing(), graph.both_ways()] {
            let taken = Taken((0..VERTICES).map(|_| AtomicU32::new(0)).collect());
            let active = engine.edge_map(&set, &taken, EdgeMapOutput::Frontier).unwrap();
            prop_assert_eq!(&members(&active), &reached);
            prop_assert!((0..VERTICES).all(|v| taken.0[v as usize].load(Relaxed) == u32::from(active.contains(v))));
        }
    }
}

/// Each vertex is taken by the first edge; a pull stops there.
struct Taken(Vec<AtomicU32>);

impl EdgeMap for Taken {
    fn update(&self, _: VertexId, target: VertexId, _: f64) -> bool {
        self.0[target as usize].fetch_add(1, Relaxed) == 0
    }

    fn update_atomic(&self, _: VertexId, target: VertexId, _: f64) -> bool {
        self.0[target as usize].compare_exchange(0, 1, Relaxed, Relaxed).is_ok()
    }

    fn cond(&self, target: VertexId) -> bool {
        self.0[target as usize].load(Relaxed) == 0
    }
}

/// A fold that depends on the order of the list.
struct InOrder(Vec<Mutex<Option<u64>>>);

impl Gather for InOrder {
    type Sum = u64;

    fn begin(&self, _: VertexId) -> u64 {
        17
    }

    fn gather(&self, sum: &mut u64, piece: Neighbors<'_>) {
        *sum = piece.ids().iter().fold(*sum, |sum, source| mix(sum, *source, 0, 0.0));
    }

    fn apply(&self, vertex: VertexId, sum: u64) {
        let before = self.0[vertex as usize].lock().unwrap().replace(sum);
        assert_eq!(before, None, "{vertex} came twice");
    }
}

#[test]
fn a_gather_folds_every_in_list_once_and_in_order() {
    let edges = crate::lists::drawn_edges(VERTICES, 2000);
    let graph = Graph::new(VERTICES, &edges, 3);
    let sums = InOrder((0..VERTICES).map(|_| Mutex::new(None)).collect());
    graph.both_ways().gather(&sums).unwrap();
    let mut sorted = edges;
    sorted.sort_by_key(|(source, target, _)| (*target, *source));
    let mut expected = vec![17; VERTICES as usize];
    for (source, target, _) in sorted {
        expected[target as usize] = mix(expected[target as usize], source, 0, 0.0);
    }
    assert!(sums.0.into_iter().map(|sum| sum.into_inner().unwrap().unwrap()).eq(expected));
}
