//! Maximal independent set.

pub mod edge_map;
pub mod messages;
pub mod round;

use crate::algorithm::Algorithm;
use crate::params::shared::SEED;
use crate::params::{Args, ParamInfo};
use crate::plan::Plan;
use crate::session::Session;
use crate::shape::Shape;
use crate::spec::{ColumnInfo, Model, Requirements, Spec, Statistic};
use outcrop_engine::Engine;
use outcrop_types::Result;

/// Maximal independent set.
pub struct IndependentSet;

static SPEC: Spec = Spec {
    name: "mis",
    python_name: "maximal_independent_set",
    summary: "Maximal independent set: pairwise non-adjacent vertices to which no further vertex can be added",
    paper: "Luby: A Simple Parallel Algorithm for the Maximal Independent Set Problem, SIAM Journal on Computing 1986",
    models: &[Model::EdgeMap, Model::Messages],
    columns: &[ColumnInfo { name: "in_set", meaning: "1 for members of the set, otherwise 0" }],
    statistics: &[("vertices in the set", Statistic::Sum)],
    details: "
        No two members of the set are neighbors, and no vertex can be added. In each round, every undecided vertex draws a random number
        that depends on --seed. A vertex joins the set if its number is smaller than those of all undecided neighbors, which are then
        excluded. Directions and self-loops are ignored.
    ",
    example: r#"
        >>> members = oc.maximal_independent_set(oc.build([(1, 2), (2, 3), (3, 1), (7, 8)], "pairs.outcrop")).to_dict()
        >>> sum(members.values())
        2
    "#,
    ..Spec::DEFAULT
};

impl Algorithm for IndependentSet {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn params(&self) -> &'static [&'static ParamInfo] {
        const { &[&SEED.info] }
    }

    fn plan(&self, model: Model, shape: &Shape, args: &Args) -> Result<Option<Plan>> {
        let (needs, seed) = (Requirements::BOTH_LISTS.with_ranks(), args.get(&SEED)?);
        Ok(match model {
            Model::EdgeMap => {
                let directions: Vec<_> = shape.directions(needs).collect();
                let program =
                    move |engine: &Engine<'_>, run: Session<'_>| edge_map::mis(engine, &directions, run.ranks, seed);
                Some(Plan::edge_map(needs, edge_map::memory(shape.vertices), program).resuming())
            }
            Model::Messages => {
                let work = messages::work(shape.place())
                    .synchronous("neighbors compare their random numbers of the same round");
                Some(Plan::messages(needs, work, move |engine, run| messages::mis(engine, run.ranks, seed)))
            }
            Model::Interval | Model::Gas => None,
        })
    }
}
