//! Colours of which neighbours have different ones.

pub mod messages;

use crate::algorithm::Algorithm;
use crate::outcome::Outcome;
use crate::params::shared::SEED;
use crate::params::{Args, ParamInfo};
use crate::plan::{Plan, Shape};
use crate::session::Session;
use crate::spec::{ColumnInfo, Model, Requirements, Spec, Statistic};
use outcrop_types::Result;

/// Colours of which neighbours have different ones.
pub struct Coloring;

static SPEC: Spec = Spec {
    name: "coloring",
    aliases: &["colouring"],
    python_name: "greedy_color",
    summary: "Greedy colouring in a random order, the graph taken as undirected: neighbours get different colours",
    paper: "Jones, Plassmann: A Parallel Graph Coloring Heuristic, SIAM Journal on Scientific Computing 1993",
    models: &[Model::Messages],
    not_in_gas: Some("a colour depends on the colours of all neighbours together"),
    columns: &[ColumnInfo { name: "color", meaning: "the number of a colour; the first is 0" }],
    statistics: &[("colours", Statistic::MostAndOne)],
    details: "
        Vertices are coloured in an order that is drawn by --seed, each with the smallest colour that no neighbour has: as greedy colouring
        one after the other would, but many at once. No vertex has a colour larger than its number of neighbours. Loops do not count.
    ",
    example: r#"
        >>> colors = oc.greedy_color(oc.build([(1, 2), (2, 3), (3, 1)], "triangle.outcrop")).to_dict()
        >>> sorted(colors.values())
        [0, 1, 2]
    "#,
    ..Spec::DEFAULT
};

impl Algorithm for Coloring {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn params(&self) -> &'static [&'static ParamInfo] {
        const { &[&SEED.info] }
    }

    fn plan(&self, model: Model, shape: &Shape, _: &Args) -> Result<Option<Plan>> {
        let plan = || Plan::messages(Requirements::BOTH_LISTS.with_ranks(), messages::work(shape.place()));
        Ok((model == Model::Messages).then(plan))
    }

    fn run(&self, session: Session<'_, '_>, args: &Args) -> Result<Outcome> {
        messages::coloring(session.messages()?, session.ranks, args.get(&SEED)?)
    }

    fn needs_synchronous_delivery(&self, _: &Args) -> Option<&'static str> {
        Some("a vertex expects the answers of all neighbours in the same superstep")
    }
}
