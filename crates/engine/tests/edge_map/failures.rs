//! Maps that fail, and engines that lack something.

use crate::lists::{Graph, members};
use outcrop_engine::{EdgeMap, EdgeMapOutput, Engine, Gather};
use outcrop_store::access::Neighbors;
use outcrop_types::{Error, MemoryBudget, VertexId, VertexSet};
use std::sync::atomic::Ordering::Relaxed;

struct Everyone;

impl EdgeMap for Everyone {
    fn update_atomic(&self, _: VertexId, _: VertexId, _: f64) -> bool {
        true
    }
}

impl Gather for Everyone {
    type Sum = ();

    fn begin(&self, _: VertexId) {}

    fn gather(&self, (): &mut (), _: Neighbors<'_>) {}

    fn apply(&self, _: VertexId, (): ()) {}
}

#[test]
fn what_a_failed_map_had_activated_is_forgotten() {
    let edges: Vec<_> = (0..100).map(|vertex| (vertex, vertex + 100, 1.0)).collect();
    let graph = Graph::new(200, &edges, 2);
    let engine = graph.pushing();
    let frontier = VertexSet::from_members((0..100).collect(), 200);
    graph.out.fail.store(true, Relaxed);
    let failed = engine.edge_map(&frontier, &Everyone, EdgeMapOutput::Frontier);
    assert!(matches!(failed, Err(Error::Usage(_))));
    graph.out.fail.store(false, Relaxed);
    let frontier = VertexSet::from_members(vec![99], 200);
    assert_eq!(members(&engine.edge_map(&frontier, &Everyone, EdgeMapOutput::Frontier).unwrap()), [199]);
}

#[test]
fn frontiers_are_paid_for_once() {
    let graph = Graph::new(200, &[(0, 1, 1.0)], 2);
    let engine = graph.pushing();
    for _ in 0..3 {
        engine.edge_map(&VertexSet::all(200), &Everyone, EdgeMapOutput::Frontier).unwrap();
    }
    assert_eq!(graph.budget.peak(), Engine::frontier_bytes(200));
    drop(engine);
    assert_eq!(graph.budget.available(), graph.budget.limit());
}

#[test]
fn a_budget_without_room_for_frontiers_is_told() {
    let graph = Graph { budget: MemoryBudget::new(10), ..Graph::new(200, &[(0, 1, 1.0)], 2) };
    let error = graph.pushing().edge_map(&VertexSet::all(200), &Everyone, EdgeMapOutput::Frontier).unwrap_err();
    assert!(matches!(error, Error::BudgetTooSmall { retry: Some(_), .. }));
}

#[test]
fn maps_need_the_lists_they_go_along() {
    let graph = Graph::new(2, &[(0, 1, 1.0)], 1);
    let engine = graph.engine(None, Some(&graph.into));
    let error = engine.edge_map(&VertexSet::all(2), &Everyone, EdgeMapOutput::Nothing).unwrap_err();
    assert!(matches!(error, Error::Internal { .. }));
    assert!(matches!(graph.pushing().gather(&Everyone), Err(Error::Internal { .. })));
}
