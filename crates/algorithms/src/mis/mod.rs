//! Maximal independent set.

pub mod messages;

use crate::algorithm::Algorithm;
use crate::params::shared::SEED;
use crate::params::{Args, ParamInfo};
use crate::plan::Plan;
use crate::shape::Shape;
use crate::spec::{ColumnInfo, Model, Requirements, Spec, Statistic};
use outcrop_types::Result;

/// Maximal independent set.
pub struct IndependentSet;

static SPEC: Spec = Spec {
    name: "mis",
    python_name: "maximal_independent_set",
    summary: "Maximal independent set: pairwise non-adjacent vertices to which no further vertex can be added",
    paper: "Luby: A Simple Parallel Algorithm for the Maximal Independent Set Problem, SIAM Journal on Computing 1986",
    models: &[Model::Messages],
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
        let seed = args.get(&SEED)?;
        let work =
            messages::work(shape.place()).synchronous("neighbors compare their random numbers of the same round");
        let plan = || {
            Plan::messages(Requirements::BOTH_LISTS.with_ranks(), work, move |engine, run| {
                messages::mis(engine, run.ranks, seed)
            })
        };
        Ok((model == Model::Messages).then(plan))
    }
}
