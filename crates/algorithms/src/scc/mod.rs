//! Strongly connected components.

mod colouring;
pub mod edge_map;
mod search;
mod serial;

pub use edge_map::held_bytes;

use crate::algorithm::Algorithm;
use crate::outcome::Outcome;
use crate::params::Args;
use crate::plan::{Plan, Shape};
use crate::session::Session;
use crate::spec::{ColumnInfo, Model, Requirements, Spec, Statistic};
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

/// The components of the graph of `session`.
pub(crate) fn components(session: &Session<'_, '_>) -> Result<Outcome> {
    let degrees = (session.graph.degrees(Direction::Out)?, session.graph.degrees(Direction::In)?);
    edge_map::scc(session.edge_map()?, session.both_lists()?, degrees, session.ranks, session.held)
}

impl Algorithm for Scc {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn plan(&self, model: Model, shape: &Shape, _: &Args) -> Result<Option<Plan>> {
        let needs = Requirements::BOTH_LISTS.with_ranks();
        let held = held_bytes(shape.vertices, shape.entries_of(needs), shape.slots);
        Ok((model == Model::EdgeMap).then(|| Plan::holding(needs, edge_map::memory(shape.vertices), held).resuming()))
    }

    fn run(&self, session: Session<'_, '_>, _: &Args) -> Result<Outcome> {
        components(&session)
    }
}
