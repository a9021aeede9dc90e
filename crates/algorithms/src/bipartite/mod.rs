//! Two sides of a bipartite graph.

mod edge_map;

use crate::algorithm::Algorithm;
use crate::params::Args;
use crate::plan::Plan;
use crate::shape::Shape;
use crate::spec::{ColumnInfo, Model, Requirements, ScalarInfo, Spec, Statistic};
use outcrop_types::Result;

/// Two sides of a bipartite graph.
pub struct Bipartite;

static SPEC: Spec = Spec {
    name: "bipartite",
    aliases: &["two-coloring"],
    python_name: "bipartite_sides",
    summary: "Bipartite test: divides each component into two sides so that every edge joins both, if possible",
    paper: "König: Über Graphen und ihre Anwendung, Mathematische Annalen 1916",
    columns: &[ColumnInfo {
        name: "side", meaning: "0 or 1, 0 for the smallest original ID of each component; null in components that are not bipartite",
    }],
    values: &[
        ScalarInfo { name: "bipartite", meaning: "true if the graph is bipartite" },
        ScalarInfo { name: "odd_vertices", meaning: "number of vertices in components that are not bipartite" },
    ],
    statistics: &[("vertices with a side", Statistic::Known), ("vertices on side 1", Statistic::Sum)],
    details: "
        A graph is bipartite if its vertices can be divided into two sides so that every edge joins a vertex of one side and a vertex of the
        other: if no cycle has odd length. Directions and repeated edges are ignored. A self-loop is a cycle of length 1.

        Each connected component is divided separately, so a component that is not bipartite does not affect the others. The result does not
        depend on threads, memory or vertex order.
    ",
    example: r#"
        >>> shop = oc.build([("ann", "tea"), ("ann", "jam"), ("bob", "tea")], "buyers.outcrop")
        >>> sides = oc.bipartite_sides(shop)
        >>> sides.to_dict()
        {'ann': 0, 'bob': 0, 'jam': 1, 'tea': 1}
        >>> sides.stats["values"]["bipartite"]
        True
    "#,
    ..Spec::DEFAULT
};

impl Algorithm for Bipartite {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn plan(&self, model: Model, shape: &Shape, _: &Args) -> Result<Option<Plan>> {
        let needs = Requirements::BOTH_LISTS.with_ranks();
        let directions: Vec<_> = shape.directions(needs).collect();
        let plan = Plan::edge_map(needs, edge_map::memory(shape.vertices), move |engine, run| {
            edge_map::sides(engine, &directions, run.ranks)
        });
        Ok((model == Model::EdgeMap).then(|| plan.resuming()))
    }
}
