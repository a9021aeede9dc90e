//! Local clustering coefficients.

pub mod edge_map;

use crate::algorithm::{Algorithm, Plan, Shape};
use crate::outcome::Outcome;
use crate::params::Args;
use crate::session::Session;
use crate::spec::{ColumnInfo, Model, Needs, Spec, Statistic, Weights};
use outcrop_types::Result;

/// Local clustering coefficients.
pub struct Clustering;

static SPEC: Spec = Spec {
    name: "lcc",
    aliases: &["clustering"],
    python_name: "clustering",
    summary: "Local clustering coefficient of every vertex, as LDBC Graphalytics defines it",
    paper: "Iosup et al.: LDBC Graphalytics, PVLDB 2016 (triangles: Hu, Tao, Chung, SIGMOD 2013)",
    weights: Weights::Ignored,
    columns: &[ColumnInfo { name: "clustering", meaning: "edges among neighbours over those that could be, 0 to 1" }],
    statistics: &[("average clustering", Statistic::Mean)],
    details: "
        The neighbours of a vertex are those of its out- and its in-edges. The coefficient is the number of edges from one of them to
        another, each direction by itself, over the number that could be; 0 with fewer than 2 neighbours. Loops and repeated edges do not
        count. In undirected graphs this is NetworkX's coefficient; in directed ones NetworkX has another.
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

    fn plan(&self, model: Model, shape: &Shape, _: &Args) -> Result<Option<Plan>> {
        let needs = Needs::BOTH_LISTS;
        let memory = shape.with_added_degrees(edge_map::memory(shape.vertices), needs);
        let held = edge_map::held_bytes(shape.vertices, shape.entries_of(needs), shape.slots);
        Ok((model == Model::EdgeMap).then(|| Plan::holding(needs, memory, held)))
    }

    fn run(&self, session: Session<'_, '_>, _: &Args) -> Result<Outcome> {
        let (engine, neighbourhoods) = (session.edge_map()?, session.neighbourhoods()?);
        edge_map::clustering(engine, &neighbourhoods, &session.entries()?, session.held)
    }
}
