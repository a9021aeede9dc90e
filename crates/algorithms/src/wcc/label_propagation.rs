//! Propagation of the smallest label.

use crate::IdOrder;
use crate::search::push::push;
use outcrop_engine::{Engine, FrontierBuilder};
use outcrop_store::access::{Adjacency, are_same};
use outcrop_types::{Purpose, Result, VertexId, VertexSet, VertexValues};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

pub(super) fn components(
    engine: &Engine<'_>,
    out: &dyn Adjacency,
    into: &dyn Adjacency,
    ranks: IdOrder<'_>,
) -> Result<(VertexValues<u32>, u32)> {
    let vertices = engine.vertices();
    let _frontiers = engine.budget().reserve(Engine::frontier_bytes(vertices), Purpose::Frontier)?;
    let rank = |vertex| AtomicU32::new(ranks.of(vertex));
    let label = engine.vertex_values(rank)?;
    let mut next = FrontierBuilder::new(vertices);
    let (mut frontier, mut iterations) = (VertexSet::all(vertices), 0);
    while !frontier.is_empty() {
        engine.checkpoint("labels", |state| {
            state.number(&mut iterations)?;
            state.frontier(&mut frontier)?;
            state.shared(&label)
        })?;
        let hand_on = |source: VertexId, target: VertexId| {
            let smaller = label[source as usize].load(Relaxed);
            let known = &label[target as usize];
            if smaller < known.load(Relaxed) && smaller < known.fetch_min(smaller, Relaxed) {
                next.add(target);
            }
        };
        push(engine, out, &frontier, &hand_on)?;
        if !are_same(out, into) {
            push(engine, into, &frontier, &hand_on)?;
        }
        frontier = next.take();
        iterations = engine.end_iteration(None);
    }
    Ok((label.map(AtomicU32::into_inner), iterations))
}
