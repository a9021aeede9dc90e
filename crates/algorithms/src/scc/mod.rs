//! Strongly connected components.

mod coloring;
pub mod edge_map;
mod search;
mod serial;

pub use edge_map::in_memory_list_bytes;

use crate::algorithm::Algorithm;
use crate::outcome::Outcome;
use crate::params::Args;
use crate::plan::{EdgeMapWork, Plan};
use crate::session::Session;
use crate::shape::Shape;
use crate::spec::{ColumnInfo, Model, Requirements, Spec, Statistic};
use outcrop_engine::Engine;
use outcrop_types::{Direction, Result};

/// Strongly connected components.
pub struct Scc;

static SPEC: Spec = Spec {
    name: "scc",
    aliases: &["strongly-connected-components"],
    python_name: "strongly_connected_components",
    summary: "Strongly connected components: maximal sets of mutually reachable vertices",
    paper: "Slota, Rajamanickam, Madduri: BFS and Coloring-based Parallel Algorithms for SCCs, IPDPS 2014 (Multistep)",
    on_spark: Some(&[]),
    columns: &[ColumnInfo { name: "component", meaning: "smallest original ID in the component" }],
    statistics: &[("components", Statistic::Groups), ("largest component", Statistic::LargestGroup)],
    details: "
        Two vertices are in the same component if each reaches the other along directed edges. A component is named after the smallest
        original ID in it. In an undirected graph these are the connected components.
    ",
    example: r#"
        >>> oc.strongly_connected_components(oc.build([(5, 2), (2, 5), (5, 9)], "circle.outcrop")).to_dict()
        {2: 2, 5: 2, 9: 9}
    "#,
    ..Spec::DEFAULT
};

/// Computes the components of the graph of a run.
pub(crate) fn components(engine: &Engine<'_>, run: &Session<'_>) -> Result<Outcome> {
    let (out, into) = run.both_lists()?;
    let (out_degrees, in_degrees) = (run.graph.degrees(Direction::Out)?, run.graph.degrees(Direction::In)?);
    edge_map::scc(engine, out, into, out_degrees, in_degrees, run.ranks, run.held)
}

impl Algorithm for Scc {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn plan(&self, model: Model, shape: &Shape, _: &Args) -> Result<Option<Plan>> {
        let needs = Requirements::BOTH_LISTS.with_frontiers().with_ranks();
        let held = in_memory_list_bytes(shape.vertices, shape.entries_of(needs), shape.slots);
        let work = EdgeMapWork::holding(edge_map::memory(shape.vertices), held);
        let plan =
            || Plan::edge_map(needs, work, |engine, run| components(engine, &run)).resuming().reading_lists_once();
        Ok((model == Model::EdgeMap).then(plan))
    }
}
