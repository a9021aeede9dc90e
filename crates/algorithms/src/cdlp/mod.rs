//! Communities by label propagation.

pub mod messages;

use crate::algorithm::Algorithm;
use crate::outcome::Outcome;
use crate::params::{Args, Kind, Param, ParamInfo, Preset};
use crate::plan::{Plan, Shape};
use crate::session::Session;
use crate::spec::{ColumnInfo, Model, Requirements, Spec, Statistic, Weights};
use crate::weights::{Refuse, WEIGHTED};
use outcrop_types::Result;

/// Communities by label propagation.
pub struct LabelPropagation;

static SPEC: Spec = Spec {
    name: "cdlp",
    aliases: &["label-propagation"],
    python_name: "label_propagation",
    summary: "Communities by label propagation, as LDBC Graphalytics defines it, or by weights",
    paper: "Raghavan, Albert, Kumara, Physical Review E 76, 2007; Iosup et al.: LDBC Graphalytics, PVLDB 2016",
    models: &[Model::Messages],
    not_in_gas: Some("a label depends on the labels of all neighbours together"),
    weights: Weights::OnRequest,
    on_spark: Some(&["max-iter", "iterations", "weighted"]),
    columns: &[ColumnInfo { name: "label", meaning: "the original id of a vertex, the same for a community" }],
    statistics: &[("communities", Statistic::Groups), ("largest community", Statistic::LargestGroup)],
    details: "
        Every vertex begins with its own id as its label. In each iteration all vertices at once take the label that most of their
        neighbours had in the one before; of several the smallest. An edge counts in both directions, so that a neighbour that is joined by
        two edges counts twice; loops do not count. With --weighted a vertex takes the label for which the weights of the edges to those
        that have it have the largest sum; they must not be negative.

        A run ends early where no label has changed, as no later iteration would change any.
    ",
    example: r#"
        >>> g = oc.build([(1, 2), (2, 3), (3, 1), (7, 8), (8, 9), (9, 7)], "groups.outcrop", directed=False)
        >>> oc.label_propagation(g, 10).to_dict()
        {1: 1, 2: 1, 3: 1, 7: 7, 8: 7, 9: 7}
    "#,
    ..Spec::DEFAULT
};

static MAX_ITERATIONS: Param<u32> = Param::new(
    "max-iter",
    Kind::ANY_COUNT,
    Preset::Count(messages::ITERATIONS as u64),
    "Hand labels on so often at the most; it ends before where none changes",
)
.excludes(&["iterations"]);

static ITERATIONS: Param<Option<u32>> =
    Param::new("iterations", Kind::ANY_COUNT, Preset::None(""), "The same as --max-iter");

impl Algorithm for LabelPropagation {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn params(&self) -> &'static [&'static ParamInfo] {
        const { &[&MAX_ITERATIONS.info, &ITERATIONS.info, &WEIGHTED.info] }
    }

    fn plan(&self, model: Model, shape: &Shape, args: &Args) -> Result<Option<Plan>> {
        let work = messages::work(shape.place(), SPEC.weights.count(args)?);
        Ok((model == Model::Messages).then(|| Plan::messages(Requirements::BOTH_LISTS.with_ranks(), work)))
    }

    fn run(&self, session: Session<'_, '_>, args: &Args) -> Result<Outcome> {
        let rounds = args.get(&ITERATIONS)?.map_or_else(|| args.get(&MAX_ITERATIONS), Ok)?;
        let refuse: Refuse<'_> = &|edge| session.refused_weight(edge, "labels by weight need weights of at least 0");
        let by_weight = SPEC.weights.count(args)?.then_some(refuse);
        messages::cdlp(session.messages()?, session.ranks, rounds, by_weight)
    }

    fn needs_synchronous_delivery(&self, _: &Args) -> Option<&'static str> {
        Some("a vertex takes its label from those that its neighbours had in the superstep before")
    }
}
