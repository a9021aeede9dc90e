//! Bridges and articulation points.

mod edge_map;

use crate::algorithm::Algorithm;
use crate::params::Args;
use crate::plan::Plan;
use crate::shape::Shape;
use crate::spec::{ColumnInfo, Model, Requirements, ScalarInfo, Spec};
use outcrop_types::Result;

/// Bridges and articulation points.
pub struct Bridges;

static SPEC: Spec = Spec {
    name: "bridges",
    aliases: &["articulation-points"],
    python_name: "bridges",
    summary: "Bridges and articulation points: edges and vertices whose removal disconnects their component",
    paper: "Tarjan, Vishkin: An Efficient Parallel Biconnectivity Algorithm, SIAM Journal on Computing 1985",
    columns: &[
        ColumnInfo {
            name: "bridge", meaning: "other end of a bridge, at the end that is farther from the smallest original ID of the component; null for other vertices",
        },
        ColumnInfo { name: "articulation_point", meaning: "1 for articulation points, otherwise 0" },
    ],
    values: &[
        ScalarInfo { name: "bridges", meaning: "number of bridges" },
        ScalarInfo { name: "articulation_points", meaning: "number of articulation points" },
    ],
    details: "
        An edge is a bridge, and a vertex an articulation point, if its removal increases the number of connected components. Directions,
        self-loops and repeated edges are ignored: two edges between the same vertices are one edge, which can be a bridge.

        The rows with a `bridge` are the bridges, each once. The result does not depend on threads, memory or vertex order.
    ",
    example: r#"
        >>> g = oc.build([(1, 2), (2, 3), (3, 1), (3, 4)], "bridge.outcrop", directed=False)
        >>> oc.bridges(g).to_dict()
        {1: None, 2: None, 3: None, 4: 3}
    "#,
    ..Spec::DEFAULT
};

impl Algorithm for Bridges {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn plan(&self, model: Model, shape: &Shape, _: &Args) -> Result<Option<Plan>> {
        let needs = Requirements::BOTH_LISTS.with_ranks();
        let directions: Vec<_> = shape.directions(needs).collect();
        let plan = Plan::edge_map(needs, edge_map::memory(shape.vertices), move |engine, run| {
            edge_map::bridges(engine, &directions, run.ranks)
        });
        Ok((model == Model::EdgeMap).then(|| plan.resuming()))
    }
}
