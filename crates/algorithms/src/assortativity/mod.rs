//! Assortativity by degree, and mean degrees of neighbors.

mod edge_map;

use crate::algorithm::Algorithm;
use crate::params::Args;
use crate::plan::Plan;
use crate::shape::Shape;
use crate::spec::{ColumnInfo, Model, Requirements, ScalarInfo, Spec, Statistic, Weights};
use outcrop_types::Result;

/// Assortativity by degree, and mean degrees of neighbors.
pub struct Assortativity;

static SPEC: Spec = Spec {
    name: "assortativity",
    aliases: &["degree-assortativity"],
    python_name: "assortativity",
    summary: "Assortativity: whether vertices of high degree are connected with each other; mean degree of neighbors",
    paper: "Newman: Mixing Patterns in Networks, Physical Review E 2003",
    weights: Weights::Ignored,
    columns: &[ColumnInfo {
        name: "neighbor_degree", meaning: "mean degree (in a directed graph, out-degree) of the out-neighbors; null without out-neighbors",
    }],
    values: &[ScalarInfo {
        name: "assortativity", meaning: "correlation of the degrees of both ends of edges, from -1 to 1; null if one of them does not vary",
    }],
    statistics: &[("mean degree of neighbors", Statistic::Mean)],
    details: "
        The assortativity is the Pearson correlation, over all edges, of the degrees of their ends. It is positive if vertices of high
        degree are connected with each other, as in many social networks, and negative if their neighbors have low degrees, as in the
        web. In a directed graph, it is the correlation of the out-degree of the source and the in-degree of the target.

        Each stored copy of a repeated edge counts. A self-loop of an undirected graph counts twice in the degree. Both values are those of
        NetworkX's `degree_assortativity_coefficient` and, without self-loops and repeated edges, `average_neighbor_degree`. They are
        computed from exact integer sums and do not depend on threads, memory, vertex order or layout.
    ",
    example: r#"
        >>> g = oc.build([("hub", "a"), ("hub", "b"), ("hub", "c"), ("a", "b")], "paw.outcrop", directed=False)
        >>> found = oc.assortativity(g)
        >>> round(found.stats["values"]["assortativity"], 3)
        -0.714
        >>> found.to_dict()["c"]
        3.0
    "#,
    ..Spec::DEFAULT
};

impl Algorithm for Assortativity {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn plan(&self, model: Model, shape: &Shape, _: &Args) -> Result<Option<Plan>> {
        // The degrees of both directions are in their indexes.
        let needs = if shape.directed { Requirements::BOTH_LISTS } else { Requirements::OUT_LISTS };
        let plan =
            || Plan::edge_map(needs, edge_map::memory(shape), |engine, run| edge_map::assortativity(engine, &run));
        Ok((model == Model::EdgeMap).then(|| plan().reading_lists_once().resuming()))
    }
}
