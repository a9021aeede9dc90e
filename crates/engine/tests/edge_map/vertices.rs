//! Maps, filters and sums over vertices.

use crate::lists::{Graph, members};
use outcrop_types::VertexSet;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// More than threads take at once.
const VERTICES: u32 = 50_000;

#[test]
fn a_map_meets_every_member_once() {
    let graph = Graph::new(VERTICES, &[], 4);
    for step in [1, 3, 5000] {
        let set = VertexSet::from_members((0..VERTICES).step_by(step).collect(), VERTICES);
        let met: Vec<AtomicU32> = (0..VERTICES).map(|_| AtomicU32::new(0)).collect();
        graph.pushing().vertex_map(&set, |vertex| _ = met[vertex as usize].fetch_add(1, Relaxed));
        assert!((0..VERTICES).all(|v| met[v as usize].load(Relaxed) == u32::from(set.contains(v))));
    }
}

#[test]
fn a_filter_keeps_those_members_and_no_others() {
    let graph = Graph::new(VERTICES, &[], 4);
    for (step, keep) in [(1, 2), (1, 7000), (3, 2), (5000, 2)] {
        let set = VertexSet::from_members((0..VERTICES).step_by(step).collect(), VERTICES);
        let kept = graph.pushing().vertex_filter(&set, |vertex| vertex.is_multiple_of(keep));
        let expected = (0..VERTICES).step_by(step).filter(|vertex| vertex.is_multiple_of(keep));
        assert!(expected.eq(members(&kept)), "{step} {keep}");
        assert_eq!(kept.len(), members(&kept).len());
    }
}

#[test]
fn a_sum_is_the_same_for_any_number_of_threads() {
    let term = |vertex: u32| 1.0 / f64::from(vertex + 1) - if vertex.is_multiple_of(3) { 0.1 } else { 0.0 };
    let sum = |threads| Graph::new(VERTICES, &[], threads).pushing().sum(term);
    let alone = sum(1);
    let naive: f64 = (0..VERTICES).map(term).sum();
    assert!((alone - naive).abs() < 1e-9 * naive.abs());
    for threads in 2..=8 {
        assert_eq!(sum(threads).to_bits(), alone.to_bits(), "{threads} threads");
    }
}
