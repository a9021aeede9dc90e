//! Maps that give values for their targets.

use crate::lists::{Graph, drawn_edges};
use outcrop_engine::{Dense, EdgeMapData, EdgeMapOptions, EdgeMapOutput};
use outcrop_types::{Error, MemoryBudget, VertexId, VertexSet};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

const VERTICES: u32 = 3000;

/// Each target is given the number of its edges from the frontier once all of them have come.
struct LastOf {
    missing: Vec<AtomicU32>,
}

impl EdgeMapData for LastOf {
    type Data = u32;

    fn update_atomic(&self, _: VertexId, target: VertexId, _: f64) -> Option<u32> {
        (self.missing[target as usize].fetch_sub(1, Relaxed) == 1).then_some(target % 7)
    }

    fn cond(&self, target: VertexId) -> bool {
        !target.is_multiple_of(3)
    }

    fn settled(&self, target: VertexId) -> bool {
        self.missing[target as usize].load(Relaxed) == 0
    }
}

fn program(edges: &[(VertexId, VertexId, f64)], frontier: &VertexSet) -> LastOf {
    let missing: Vec<AtomicU32> = (0..VERTICES).map(|_| AtomicU32::new(0)).collect();
    edges.iter().filter(|(source, _, _)| frontier.contains(*source)).for_each(|(_, target, _)| {
        missing[*target as usize].fetch_add(1, Relaxed);
    });
    LastOf { missing }
}

#[test]
fn every_target_comes_with_its_value_whichever_way() {
    let edges = drawn_edges(VERTICES, 30_000);
    let graph = Graph::new(VERTICES, &edges, 3);
    for step in [1, 2, 500] {
        let frontier = VertexSet::from_members((0..VERTICES).step_by(step).collect(), VERTICES);
        let reached = program(&edges, &frontier).missing.into_iter().map(AtomicU32::into_inner);
        let expected: Vec<(u32, u32)> = (0_u32..)
            .zip(reached)
            .filter(|(vertex, count)| *count > 0 && !vertex.is_multiple_of(3))
            .map(|(vertex, _)| (vertex, vertex % 7))
            .collect();
        let forward = EdgeMapOptions { dense: Dense::PushSweep, ..EdgeMapOptions::from(EdgeMapOutput::Frontier) };
        for options in [EdgeMapOutput::Frontier.into(), forward] {
            for engine in [graph.pushing(), graph.both_ways()] {
                let given = engine.edge_map_data(&frontier, &program(&edges, &frontier), options).unwrap();
                assert_eq!(given.pairs(), expected);
            }
        }
    }
    assert_eq!(graph.budget.available(), 1 << 30, "what values took is given back");
    assert!(graph.budget.peak() > 0);
}

#[test]
fn values_beyond_the_budget_are_an_error() {
    let edges = drawn_edges(VERTICES, 30_000);
    let mut graph = Graph::new(VERTICES, &edges, 3);
    graph.budget = MemoryBudget::new(5000);
    let all = VertexSet::all(VERTICES);
    let result = graph.pushing().edge_map_data(&all, &program(&edges, &all), EdgeMapOutput::Frontier);
    assert!(matches!(result, Err(Error::BudgetTooSmall { .. })));
    assert_eq!(graph.budget.available(), 5000);
}
