//! Local clustering coefficients.

pub mod edge_map;
pub mod weighted;

use crate::algorithm::Algorithm;
use crate::params::{Args, ParamInfo};
use crate::plan::{EdgeMapWork, Plan};
use crate::shape::Shape;
use crate::spec::{ColumnInfo, Model, Requirements, Spec, Statistic, Weights};
use crate::triangles::opposite;
use crate::weights::WEIGHTED;
use outcrop_types::{Error, Result};

/// Local clustering coefficients.
pub struct Clustering;

static SPEC: Spec = Spec {
    name: "lcc",
    aliases: &["clustering"],
    python_name: "clustering",
    summary: "Local clustering coefficient: the fraction of pairs of neighbors that are adjacent (LDBC Graphalytics)",
    paper: "Iosup et al.: LDBC Graphalytics, PVLDB 2016 (triangles: Hu, Tao, Chung, SIGMOD 2013)",
    weights: Weights::OnRequest,
    columns: &[ColumnInfo { name: "clustering", meaning: "number of edges among the neighbors divided by the largest possible number, 0 to 1" }],
    statistics: &[("average clustering", Statistic::Mean)],
    details: "
        The neighbors of a vertex are the ends of its out-edges and in-edges. The coefficient is the number of directed edges between
        neighbors divided by the largest possible number, or 0 with fewer than 2 neighbors. Self-loops and repeated edges are ignored. In
        undirected graphs this is NetworkX's coefficient; in directed graphs NetworkX uses another definition.

        With --weighted (undirected graphs only), this is NetworkX's weighted coefficient: the sum, over the triangles through the vertex,
        of the cube roots of the products of their three weights, divided by the number of pairs of neighbors. Weights are first divided
        by the largest weight of the graph, self-loops included; negative weights are refused. A repeated edge has its smallest weight.
    ",
    example: r#"
        >>> oc.clustering(oc.build([(1, 2), (2, 3), (3, 1), (3, 4)], "links.outcrop", directed=False)).to_dict()
        {1: 1.0, 2: 1.0, 3: 0.3333333333333333, 4: 0.0}
    "#,
    ..Spec::DEFAULT
};

impl Algorithm for Clustering {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn params(&self) -> &'static [&'static ParamInfo] {
        const { &[&WEIGHTED.info] }
    }

    fn plan(&self, model: Model, shape: &Shape, args: &Args) -> Result<Option<Plan>> {
        let needs = Requirements::BOTH_LISTS;
        let (vertices, entries) = (shape.vertices, shape.entries_of(needs));
        let plan = match SPEC.weights.count(args)? {
            false => {
                let held = opposite::in_memory_list_bytes(vertices, entries, shape.slots);
                Plan::edge_map(needs, EdgeMapWork::passing(edge_map::memory(vertices), held), |engine, run| {
                    edge_map::clustering(engine, &run.neighborhoods()?, run.entries()?, run.held)
                })
            }
            true if shape.directed => {
                let message = "`lcc --weighted` supports undirected graphs only, and the store is directed; build it with --undirected, or omit --weighted";
                return Err(Error::Usage(message.to_owned()));
            }
            true => {
                let held = weighted::in_memory_list_bytes(vertices, entries, shape.slots);
                let work = EdgeMapWork::passing(weighted::memory(vertices), held);
                Plan::edge_map(needs.with_ranks(), work, |engine, run| {
                    let refuse = |edge| run.refused_weight(edge, "`lcc --weighted` needs weights of at least 0");
                    weighted::clustering(engine, &run.neighborhoods()?, &run.entries()?, run.held, refuse)
                })
            }
        };
        Ok((model == Model::EdgeMap).then(|| plan.resuming()))
    }
}
