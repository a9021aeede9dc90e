//! Local clustering coefficients of all vertices of the undirected simple graph, as in `lcc`, which distinguishes
//! directions.

use crate::algorithm::Algorithm;
use crate::lcc::edge_map;
use crate::params::Args;
use crate::plan::{EdgeMapWork, Plan};
use crate::shape::Shape;
use crate::spec::{Model, Requirements, Spec};
use crate::triangles::opposite;
use outcrop_types::Result;

/// Computes the column `clustering`.
pub struct ExactClustering;

static SPEC: Spec = Spec { name: "clustering", ..Spec::DEFAULT };

impl Algorithm for ExactClustering {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn plan(&self, model: Model, shape: &Shape, _: &Args) -> Result<Option<Plan>> {
        let needs = Requirements::BOTH_LISTS;
        let held = opposite::in_memory_list_bytes(shape.vertices, shape.entries_of(needs), shape.slots);
        let work = EdgeMapWork::passing(edge_map::memory(shape.vertices), held);
        let plan = Plan::edge_map(needs, work, |engine, run| {
            edge_map::undirected(engine, &run.neighborhoods()?, run.entries()?, run.held)
        });
        Ok((model == Model::EdgeMap).then_some(plan))
    }
}
