//! Memory of an update, from the size of its input.

use super::edges::GivenSize;
use crate::graph::Graph;
use crate::order::Steps;
use outcrop_store::OriginalIdReader;
use outcrop_store::updates::update_memory;
use outcrop_types::{MemoryPlan, Purpose, number_from};

/// Known size of an update.
#[derive(Default)]
pub(super) struct UpdateSize {
    pub(super) removed: GivenSize,
    pub(super) added: GivenSize,
    /// Number of vertices that the store does not have.
    pub(super) new_vertices: Option<u32>,
}

impl UpdateSize {
    /// Returns the maximum memory of the steps of the update of `graph`, which run one after the other: with it, none
    /// of them is refused. `steps` rewrite the store if it `merges`.
    pub(super) fn most_memory(&self, graph: &Graph, steps: &Steps<'_>, merges: bool) -> MemoryPlan {
        let Graph { store, workers, .. } = graph;
        let Self { removed, added, new_vertices } = self;
        let given = MemoryPlan::new().with(Purpose::InputBuffers, removed.bytes() + added.bytes());
        let reading = given.clone().with(Purpose::InputBuffers, removed.reading.max(added.reading));
        let finding = given.clone().with(Purpose::IoBuffers, OriginalIdReader::memory(store.manifest()));
        let edges = removed.edges + added.edges;
        let new = new_vertices.unwrap_or_else(|| number_from(2 * added.edges));
        let vertices = store.manifest().graph.vertices.saturating_add(new);
        let (updating, pending) = update_memory(store, edges, new, added.text_bytes(), workers);
        let plan = reading.or(finding).or(updating.and(&given));
        if !merges {
            return plan;
        }
        plan.or(steps.most_memory(graph, vertices, 2 * edges).and(&pending).and(&pending))
    }
}
