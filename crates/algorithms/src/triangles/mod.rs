//! Triangles through each vertex.

pub mod edge_map;
pub(crate) mod hubs;
mod marks;
pub(crate) mod opposite;
pub(crate) mod oriented;

use crate::algorithm::Algorithm;
use crate::params::Args;
use crate::plan::{EdgeMapWork, Plan};
use crate::shape::Shape;
use crate::spec::{ColumnInfo, Model, Requirements, Spec, Statistic};
use outcrop_types::Result;

/// Triangles through each vertex.
pub struct Triangles;

static SPEC: Spec = Spec {
    name: "triangles",
    python_name: "triangles",
    summary: "Triangle count: the number of pairs of adjacent neighbors of each vertex, in the undirected simple graph",
    paper: "Hu, Tao, Chung: Massive Graph Triangulation, SIGMOD 2013",
    on_spark: Some(&[]),
    columns: &[ColumnInfo { name: "triangles", meaning: "number of pairs of neighbors that are neighbors of each other" }],
    statistics: &[("triangles", Statistic::ThirdOfSum), ("most through a vertex", Statistic::Most)],
    details: "
        A triangle through a vertex is a pair of its neighbors that are neighbors of each other. Self-loops and repeated edges are
        ignored, and edges in both directions between two vertices count as one. The sum over all vertices is three times the number of
        triangles.
    ",
    example: r#"
        >>> oc.triangles(oc.build([(1, 2), (2, 3), (3, 1), (3, 4)], "triangle.outcrop")).to_dict()
        {1: 1, 2: 1, 3: 1, 4: 0}
    "#,
    ..Spec::DEFAULT
};

impl Algorithm for Triangles {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn plan(&self, model: Model, shape: &Shape, _: &Args) -> Result<Option<Plan>> {
        let needs = Requirements::BOTH_LISTS;
        let held = opposite::in_memory_list_bytes(shape.vertices, shape.entries_of(needs), shape.slots);
        let work = EdgeMapWork::passing(edge_map::memory(shape.vertices), held);
        let plan = || {
            Plan::edge_map(needs, work, |engine, run| {
                edge_map::triangles(engine, &run.neighborhoods()?, run.entries()?, run.held)
            })
        };
        Ok((model == Model::EdgeMap).then(|| plan().resuming()))
    }
}
