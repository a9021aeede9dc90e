//! Degrees, and strengths.

mod edge_map;

use crate::algorithm::Algorithm;
use crate::params::{Args, Param, ParamInfo, choices};
use crate::plan::Plan;
use crate::shape::Shape;
use crate::spec::{ColumnInfo, Model, Requirements, Spec, Statistic, Weights};
use crate::weights::WEIGHTED;
use outcrop_types::{Direction, Result};

/// Degrees, and strengths.
pub struct Degrees;

static SPEC: Spec = Spec {
    name: "degrees",
    python_name: "degrees",
    summary: "Degree: the number of edges at the vertex, a loop counting twice; or the sum of their weights (strength)",
    paper: "Freeman: Centrality in Social Networks: Conceptual Clarification, Social Networks 1978",
    weights: Weights::OnRequest,
    columns: &[ColumnInfo {
        name: "degree", meaning: "number of edges at the vertex; with --weighted the sum of their weights",
    }],
    statistics: &[("highest degree", Statistic::Most), ("mean degree", Statistic::Mean)],
    details: "
        The number of edges at the vertex, or only of the out-edges or the in-edges (--direction). A loop is an out-edge and an in-edge, so
        it counts twice, also in an undirected graph, where --direction makes no difference. Each stored copy of a repeated edge counts.
        With --weighted, the value is the sum of the weights of these edges.

        Degrees are read from the index of the store; only undirected stores with loops or repeated edges, and weights, need a pass over
        the edges.
    ",
    example: r#"
        >>> g = oc.build([(1, 2), (2, 3), (3, 3)], "loop.outcrop")
        >>> oc.degrees(g).to_dict()
        {1: 1, 2: 2, 3: 3}
        >>> oc.degrees(g, direction="in").to_dict()
        {1: 0, 2: 1, 3: 2}
    "#,
    ..Spec::DEFAULT
};

/// Edges that count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Counted {
    Both,
    Out,
    In,
}

choices!(Counted: "both" => Self::Both, "out" => Self::Out, "in" => Self::In);

static DIRECTION: Param<Counted> = Param::word("direction", "both", "Edges to count: out-edges, in-edges, or both");

impl Algorithm for Degrees {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn params(&self) -> &'static [&'static ParamInfo] {
        const { &[&DIRECTION.info, &WEIGHTED.info] }
    }

    fn plan(&self, model: Model, shape: &Shape, args: &Args) -> Result<Option<Plan>> {
        let counted = if shape.directed { args.get(&DIRECTION)? } else { Counted::Out };
        let (needs, directions): (_, &[Direction]) = match counted {
            Counted::Both => (Requirements::BOTH_LISTS, &[Direction::Out, Direction::In]),
            Counted::Out => (Requirements::OUT_LISTS, &[Direction::Out]),
            Counted::In => (Requirements::IN_LISTS, &[Direction::In]),
        };
        let weighted = SPEC.weights.count(args)?;
        let plan = || {
            Plan::edge_map(needs, edge_map::memory(shape.vertices, weighted), move |engine, run| {
                edge_map::degrees(engine, &run, directions, weighted)
            })
        };
        Ok((model == Model::EdgeMap).then(|| plan().reading_few_lists().resuming()))
    }
}
