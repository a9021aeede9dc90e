//! Minimum spanning forest.

pub(crate) mod edge_map;
mod lightest;
pub(crate) mod preorder;

use crate::algorithm::Algorithm;
use crate::params::{Args, Kind, Param, ParamInfo, Preset};
use crate::plan::Plan;
use crate::shape::Shape;
use crate::spec::{ColumnInfo, Model, Requirements, ScalarInfo, Spec, Weights};
use crate::weights::UNWEIGHTED;
use outcrop_types::Result;

/// Minimum spanning forest.
pub struct SpanningForest;

static SPEC: Spec = Spec {
    name: "spanning-forest",
    aliases: &["minimum-spanning-forest", "mst"],
    python_name: "spanning_forest",
    summary: "Minimum spanning forest: edges without a cycle that connect each component with the smallest sum of weights",
    paper: "Borůvka: O jistém problému minimálním, Práce Moravské přírodovědecké společnosti 3, 1926",
    weights: Weights::ByDefault,
    columns: &[
        ColumnInfo { name: "parent", meaning: "other end of the vertex's edge to its root; null for roots" },
        ColumnInfo { name: "weight", meaning: "weight of this edge (1 without weights); null for roots" },
    ],
    values: &[
        ScalarInfo { name: "edges", meaning: "number of edges of the forest" },
        ScalarInfo { name: "total_weight", meaning: "sum of their weights" },
    ],
    details: "
        A spanning forest contains a tree of each connected component, ignoring directions. A minimum spanning forest has the
        smallest possible sum of weights, or with --maximum the largest. Without weights, all spanning forests have the same sum. Edges of
        the same weight are ordered by the smaller of their two original IDs, then by the larger; with this order, exactly one spanning
        forest is minimum. Weights can be negative.

        Each tree is rooted at its smallest original ID. Each other vertex has one row with its edge to its parent, so that the rows with a
        parent are the edges of the forest.

        The result does not depend on threads, memory or vertex order.
    ",
    example: r#"
        >>> g = oc.build([(1, 2), (2, 3), (1, 3)], "roads.outcrop", weight=[1.0, 1.5, 4.0], directed=False)
        >>> oc.spanning_forest(g).to_dict()
        {1: None, 2: 1, 3: 2}
    "#,
    ..Spec::DEFAULT
};

static MAXIMUM: Param<bool> =
    Param::new("maximum", Kind::Flag, Preset::Flag(false), "Find the forest with the largest sum of weights");

impl Algorithm for SpanningForest {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn params(&self) -> &'static [&'static ParamInfo] {
        const { &[&MAXIMUM.info, &UNWEIGHTED.info] }
    }

    fn plan(&self, model: Model, shape: &Shape, args: &Args) -> Result<Option<Plan>> {
        let needs = Requirements::BOTH_LISTS.with_ranks();
        let (maximum, weighted) = (args.get(&MAXIMUM)?, shape.weighted && SPEC.weights.count(args)?);
        let directions: Vec<_> = shape.directions(needs).collect();
        let plan = Plan::edge_map(needs, edge_map::memory(shape.vertices, weighted), move |engine, run| {
            edge_map::spanning_forest(engine, &directions, run.ranks, weighted, maximum)
        });
        Ok((model == Model::EdgeMap).then(|| plan.resuming()))
    }
}
