//! Topological order.

mod edge_map;

use crate::algorithm::Algorithm;
use crate::params::{Args, ParamInfo};
use crate::plan::Plan;
use crate::shape::Shape;
use crate::spec::{ColumnInfo, Model, Requirements, ScalarInfo, Spec, Statistic, Weights};
use crate::weights::WEIGHTED;
use outcrop_types::{Direction, Result};

/// Topological order.
pub struct TopologicalSort;

static SPEC: Spec = Spec {
    name: "topological-sort",
    aliases: &["topological-order", "toposort"],
    python_name: "topological_sort",
    summary: "Topological order: an order in which each edge leads from an earlier to a later vertex; levels of vertices",
    weights: Weights::OnRequest,
    paper: "Kahn: Topological Sorting of Large Networks, Communications of the ACM 1962",
    columns: &[
        ColumnInfo {
            name: "level", meaning: "number of edges on a longest path that ends at the vertex; null on and behind cycles",
        },
        ColumnInfo {
            name: "position", meaning: "place in the order, starting at 0; null on and behind cycles",
        },
        ColumnInfo {
            name: "longest", meaning: "largest sum of weights of a path that ends at the vertex (needs --weighted), at least 0; null on and behind cycles",
        },
    ],
    values: &[
        ScalarInfo { name: "acyclic", meaning: "whether the graph has no cycle" },
        ScalarInfo { name: "levels", meaning: "number of levels" },
        ScalarInfo { name: "cyclic", meaning: "number of vertices on or behind a cycle" },
    ],
    statistics: &[("sorted", Statistic::Known), ("last level", Statistic::Most)],
    details: "
        A topological order of a directed graph without cycles contains every vertex once, each before the targets of its out-edges. The
        level of a vertex is the largest number of edges of a path that ends at it, 0 for vertices without in-edges. The order is
        ascending by level, and within a level by original ID.

        With --weighted, the largest sum of the weights of a path that ends at the vertex is a third column: in a plan of tasks whose
        edges are durations, the earliest time at which each can begin.

        Vertices on cycles, and those that a cycle reaches, have neither level nor position; `acyclic` is then false, and `cyclic` is their
        number. `scc` finds the cycles. A self-loop is a cycle, and so is an edge of an undirected graph.

        The result does not depend on threads, memory or vertex order.
    ",
    example: r#"
        >>> g = oc.build([("shirt", "tie"), ("tie", "jacket"), ("shirt", "belt"), ("belt", "jacket")], "clothes.outcrop")
        >>> oc.topological_sort(g).to_dict("position")
        {'belt': 1, 'jacket': 3, 'shirt': 0, 'tie': 2}
    "#,
    ..Spec::DEFAULT
};

impl Algorithm for TopologicalSort {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn params(&self) -> &'static [&'static ParamInfo] {
        const { &[&WEIGHTED.info] }
    }

    fn plan(&self, model: Model, shape: &Shape, args: &Args) -> Result<Option<Plan>> {
        let needs = Requirements::OUT_LISTS.with_frontiers().with_ranks();
        let weighted = SPEC.weights.count(args)?;
        let plan = Plan::edge_map(needs, edge_map::memory(shape.vertices, weighted), move |engine, run| {
            edge_map::topological_sort(engine, run.graph.degrees(Direction::In)?, run.ranks, weighted)
        });
        Ok((model == Model::EdgeMap).then(|| plan.following_frontiers().reading_lists_once().resuming()))
    }
}
