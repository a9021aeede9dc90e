//! Densest subgraph.

mod edge_map;

use crate::algorithm::Algorithm;
use crate::outcome::InMemoryListBytes;
use crate::params::Args;
use crate::plan::{EdgeMapWork, Plan};
use crate::shape::Shape;
use crate::spec::{ColumnInfo, Model, Requirements, ScalarInfo, Spec, Statistic};
use outcrop_types::{Direction, Result};

/// Densest subgraph.
pub struct Densest;

static SPEC: Spec = Spec {
    name: "densest",
    aliases: &["densest-subgraph"],
    python_name: "densest_subgraph",
    summary: "Densest subgraph: vertices with many edges between them, with at least half of the greatest density",
    paper: "Bahmani, Kumar, Vassilvitskii: Densest Subgraph in Streaming and MapReduce, PVLDB 2012",
    columns: &[ColumnInfo { name: "densest", meaning: "1 for vertices of the subgraph, otherwise 0" }],
    values: &[
        ScalarInfo { name: "density", meaning: "number of edges per vertex of the subgraph; null without vertices" },
        ScalarInfo { name: "vertices", meaning: "number of vertices of the subgraph" },
        ScalarInfo { name: "edges", meaning: "number of edges of the subgraph" },
    ],
    statistics: &[("vertices of the subgraph", Statistic::Sum)],
    details: "
        The density of a subgraph is its number of edges divided by its number of vertices. The subgraph found has at least half of the
        greatest density of any subgraph. Directions, self-loops and repeated edges are ignored.

        Each round removes all vertices whose degree is at most the mean degree of the rest, and the densest rest is the result. Ties go
        to the largest rest. The result does not depend on threads, memory or vertex order.
    ",
    example: r#"
        >>> g = oc.build([(1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4), (4, 5)], "friends.outcrop", directed=False)
        >>> found = oc.densest_subgraph(g)
        >>> found.to_dict()
        {1: 1, 2: 1, 3: 1, 4: 1, 5: 0}
        >>> found.stats["values"]["density"]
        1.5
    "#,
    ..Spec::DEFAULT
};

impl Algorithm for Densest {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn plan(&self, model: Model, shape: &Shape, _: &Args) -> Result<Option<Plan>> {
        let needs = Requirements::BOTH_LISTS;
        let held = InMemoryListBytes::of_batches(shape.entries_of(needs), shape.slots);
        let work = EdgeMapWork::holding(edge_map::memory(shape.vertices), held);
        let plan = || {
            Plan::edge_map(needs, work, |engine, run| {
                let (neighborhoods, space) = (run.neighborhoods()?, run.neighborhood_buffer(engine)?);
                edge_map::densest(engine, &neighborhoods, run.graph.degrees(Direction::Out)?, &space)
            })
        };
        Ok((model == Model::EdgeMap).then(|| plan().resuming()))
    }
}
