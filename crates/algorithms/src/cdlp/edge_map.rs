//! Label propagation over the lists of vertices with a changed neighbor.
//!
//! Definition: see `messages.rs`, without weights. The labels are the same.
//!
//! Paper: Raghavan, Albert and Kumara, Physical Review E 76, 2007, made deterministic.
//!
//! Returns: `label`, an original ID, never null.
//!
//! Memory: 8 bytes per vertex, three eighths of a byte of frontiers, both indexes, and in-memory lists; in directed
//! graphs also the out-degrees (4 bytes), and in stores of another order the ranks (4 bytes).
//!
//! Passes over the edges: in the first iteration all lists; in later ones those of the vertices with a neighbor whose
//! label has changed, and those of the changed vertices to find them. If the changed vertices have more than an eighth
//! of the list entries, all lists.
//!
//! Deviations: a vertex none of whose neighbors has changed is not examined, since its label would stay the same.

use crate::IdOrder;
use crate::outcome::{Column, Outcome, Values};
use crate::session::BatchedLists;
use outcrop_engine::Engine;
use outcrop_engine::neighborhood::MostCommon;
use outcrop_types::{BitSet, MemoryPlan, Purpose, Result, RunEnd, VertexId, VertexSet, VertexValues, length_from};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Returns the memory for `vertices` vertices, without the indexes, in-memory lists and degrees.
pub fn memory(vertices: u32) -> MemoryPlan {
    MemoryPlan::new()
        .with(Purpose::VertexValues, 2 * VertexValues::<u32>::bytes(u64::from(vertices)))
        .with(Purpose::Frontier, Engine::changed_bytes(vertices))
}

/// Propagates labels for at most `iterations` iterations.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, or if the run is interrupted.
pub fn cdlp(engine: &Engine<'_>, lists: &BatchedLists<'_>, ranks: IdOrder<'_>, iterations: u32) -> Result<Outcome> {
    let vertices = engine.vertices();
    let _frontiers = engine.budget().reserve(Engine::changed_bytes(vertices), Purpose::Frontier)?;
    let labels = Labels::new(engine, ranks)?;
    let mut changed = VertexSet::all(vertices);
    let mut number = 0;
    engine.set_end(RunEnd::Iterations { most: iterations, tolerance: None });
    while number < iterations && !changed.is_empty() {
        engine.checkpoint("labels", |state| {
            state.number(&mut number)?;
            state.frontier(&mut changed)?;
            state.shared(&labels.now)
        })?;
        changed = labels.propagate(engine, lists, &changed)?;
        number = engine.end_iteration(Some(length_from(changed.len()) as f64));
    }
    let labels = Values::Node(labels.now.map(AtomicU32::into_inner));
    Ok(Outcome::new(vec![Column::new("label", labels)], number))
}

/// Labels, which start as ranks.
struct Labels {
    now: VertexValues<AtomicU32>,
    /// Next label of each changed vertex.
    next: VertexValues<AtomicU32>,
}

impl Labels {
    fn new(engine: &Engine<'_>, ranks: IdOrder<'_>) -> Result<Self> {
        let now = engine.vertex_values(|vertex| AtomicU32::new(ranks.of(vertex)))?;
        Ok(Self { now, next: engine.vertex_values(|_| AtomicU32::new(0))? })
    }

    /// Performs an iteration, in which only neighbors of `changed` can get another label; returns those that got one.
    fn propagate(&self, engine: &Engine<'_>, lists: &BatchedLists<'_>, changed: &VertexSet) -> Result<VertexSet> {
        let affected = engine.neighbors_of(changed)?;
        let adoption = Adoption { labels: self, changed: BitSet::empty(engine.vertices()) };
        let stored = |vertex| lists.stored_entries(vertex);
        lists.neighborhoods.most_common(engine, &affected, &lists.space, stored, &adoption)?;
        drop(affected);
        let changed = VertexSet::from_bits(adoption.changed);
        engine.vertex_map(&changed, |vertex| {
            self.now[vertex as usize].store(self.next[vertex as usize].load(Relaxed), Relaxed);
        });
        Ok(changed)
    }
}

/// Adoption of the most common labels in an iteration.
struct Adoption<'l> {
    labels: &'l Labels,
    changed: BitSet,
}

impl MostCommon for Adoption<'_> {
    #[inline]
    fn value(&self, neighbor: VertexId) -> u32 {
        self.labels.now[neighbor as usize].load(Relaxed)
    }

    #[inline]
    fn apply(&self, vertex: VertexId, label: u32) {
        if self.labels.now[vertex as usize].load(Relaxed) != label {
            self.labels.next[vertex as usize].store(label, Relaxed);
            self.changed.insert(vertex);
        }
    }
}
