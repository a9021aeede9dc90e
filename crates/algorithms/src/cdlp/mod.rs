//! Community detection by label propagation.

pub mod edge_map;
pub mod messages;

use crate::algorithm::Algorithm;
use crate::outcome::InMemoryListBytes;
use crate::params::{Args, Kind, Param, ParamInfo, Preset};
use crate::plan::{EdgeMapWork, Plan};
use crate::session::Session;
use crate::shape::Shape;
use crate::spec::{ColumnInfo, Model, Requirements, Spec, Statistic, Weights};
use crate::weights::{Refuse, WEIGHTED};
use outcrop_engine::Engine;
use outcrop_types::Result;

/// Community detection by label propagation.
pub struct LabelPropagation;

static SPEC: Spec = Spec {
    name: "cdlp",
    aliases: &["label-propagation"],
    python_name: "label_propagation",
    summary: "Label propagation: each vertex repeatedly adopts the most frequent label of its neighbors (LDBC Graphalytics)",
    paper: "Raghavan, Albert, Kumara, Physical Review E 76, 2007; Iosup et al.: LDBC Graphalytics, PVLDB 2016",
    models: &[Model::EdgeMap, Model::Messages],
    not_in_gas: Some("a label depends on the labels of all neighbors together"),
    weights: Weights::OnRequest,
    on_spark: Some(&["max-iter", "iterations", "weighted"]),
    columns: &[ColumnInfo { name: "label", meaning: "community of the vertex, named after one of its original IDs" }],
    statistics: &[("communities", Statistic::Groups), ("largest community", Statistic::LargestGroup)],
    details: "
        Every vertex starts with its own ID as its label. All vertices simultaneously adopt, in each iteration, the label that was most
        frequent among their neighbors in the previous one; ties go to the smallest label. An edge counts in both directions, so a
        neighbor connected by two edges counts twice; self-loops are ignored. --weighted selects the label with the largest sum of edge
        weights, which must be 0 or from 1e-280 to 1e270.

        A run ends early if no label changes.
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
    "Maximum number of iterations; the run ends early if no label changes",
)
.excludes(&["iterations"]);

static ITERATIONS: Param<Option<u32>> =
    Param::new("iterations", Kind::ANY_COUNT, Preset::None(""), "Same as --max-iter");

impl Algorithm for LabelPropagation {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn params(&self) -> &'static [&'static ParamInfo] {
        const { &[&MAX_ITERATIONS.info, &ITERATIONS.info, &WEIGHTED.info] }
    }

    fn plan(&self, model: Model, shape: &Shape, args: &Args) -> Result<Option<Plan>> {
        let rounds = args.get(&ITERATIONS)?.map_or_else(|| args.get(&MAX_ITERATIONS), Ok)?;
        let (weighted, needs) = (SPEC.weights.count(args)?, Requirements::BOTH_LISTS.with_ranks());
        Ok(match model {
            Model::EdgeMap if !weighted => Some(edge_map_plan(shape, needs, rounds)),
            Model::Messages => {
                let work = messages::work(shape.place(), weighted)
                    .synchronous("a vertex adopts a label that its neighbors had in the previous superstep");
                Some(Plan::messages(needs, work, move |engine, run| {
                    let refuse: Refuse<'_> = &|edge| run.refused_weight(edge, &SPEC.needs_summands());
                    messages::cdlp(engine, run.ranks, rounds, weighted.then_some(refuse))
                }))
            }
            Model::EdgeMap | Model::Interval | Model::Gas => None,
        })
    }
}

/// Returns the plan with edge maps.
fn edge_map_plan(shape: &Shape, needs: Requirements, rounds: u32) -> Plan {
    let memory = shape.with_added_degrees(edge_map::memory(shape.vertices), needs);
    let held = InMemoryListBytes::of_batches(shape.entries_of(needs), shape.slots);
    let program = move |engine: &Engine<'_>, run: Session<'_>| {
        edge_map::cdlp(engine, &run.batched_lists(engine)?, run.ranks, rounds)
    };
    Plan::edge_map(needs, EdgeMapWork::holding(memory, held), program).resuming()
}
