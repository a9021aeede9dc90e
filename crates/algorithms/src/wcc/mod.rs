//! Weakly connected components.

mod afforest;
pub mod edge_map;
pub(crate) mod forest;
pub mod gas;
pub mod interval;
mod label_propagation;
mod links;
pub mod messages;
mod repair;

pub use edge_map::{Method, memory, wcc};

use crate::algorithm::Algorithm;
use crate::params::{Args, Param, ParamInfo, choices};
use crate::plan::Plan;
use crate::shape::Shape;
use crate::spec::{ColumnInfo, Cost, Model, Requirements, Spec, Statistic};
use edge_map::are_long;
use forest::Forest;
use outcrop_types::{MemoryPlan, Purpose, Result};

/// Weakly connected components.
pub struct Wcc;

static SPEC: Spec = Spec {
    name: "wcc",
    aliases: &["connected-components", "cc"],
    python_name: "weakly_connected_components",
    summary: "Weakly connected components: maximal sets of vertices connected by paths, ignoring directions",
    paper: "Jayanti, Tarjan: A Randomized Concurrent Algorithm for Disjoint Set Union, PODC 2016",
    models: &Model::ALL,
    on_spark: Some(&[]),
    columns: &[ColumnInfo { name: "component", meaning: "smallest original ID in the component" }],
    statistics: &[("components", Statistic::Groups), ("largest component", Statistic::LargestGroup)],
    arrivals: Some(&[]),
    cost: Some(Cost { entry: 1.5, waits: 0.012, value_bytes: 4, passes: 0.03 }),
    details: "
        Two vertices are in the same component if a path connects them, ignoring the direction of its edges. A component is named after
        the smallest original ID in it.

        Results are identical in all models and with all methods. `auto` is `afforest` in `chunked` stores without pending updates whose
        lists have at least 8 entries on average, and otherwise `sweep`. `afforest` and `label-propagation` read both in-lists and
        out-lists, and take more memory in directed graphs.
    ",
    example: r#"
        >>> oc.weakly_connected_components(oc.build([(5, 2), (7, 9)], "two.outcrop")).to_dict()
        {2: 2, 5: 2, 7: 7, 9: 7}
    "#,
    ..Spec::DEFAULT
};

choices!(Method:
    "auto" => Self::Auto,
    "sweep" => Self::Sweep,
    "afforest" => Self::Afforest,
    "label-propagation" => Self::LabelPropagation,
);

static METHOD: Param<Method> = Param::word(
    "method",
    "auto",
    "Read every edge once (sweep), sample edges first (afforest), propagate labels, or choose by layout and list length (auto)",
)
.shown_as("METHOD")
.only_in(&[Model::EdgeMap]);

/// Returns the method for a graph; keeps the automatic one if the choice depends on the lists.
fn method(shape: &Shape, args: &Args) -> Result<Method> {
    Ok(match args.get(&METHOD)? {
        Method::Auto if !(shape.first_neighbors && are_long(shape.entries[0], shape.vertices)) => Method::Sweep,
        method => method,
    })
}

impl Algorithm for Wcc {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn params(&self) -> &'static [&'static ParamInfo] {
        const { &[&METHOD.info] }
    }

    fn plan(&self, model: Model, shape: &Shape, args: &Args) -> Result<Option<Plan>> {
        let (place, both) = (shape.place(), Requirements::BOTH_LISTS.with_ranks());
        let method = method(shape, args)?;
        let maps = |needs, memory| {
            Plan::edge_map(needs, memory, move |engine, run| {
                let (out, into) = run.out_lists()?;
                wcc(engine, out, into, run.ranks, method)
            })
        };
        Ok(Some(match (model, method) {
            (Model::EdgeMap, Method::Sweep | Method::Auto | Method::Afforest) if shape.incremental => {
                let sets = MemoryPlan::new().with(Purpose::Frontier, repair::sets_bytes(shape.vertices));
                let memory = Forest::memory(shape.vertices, true).and(&sets);
                maps(both.with_frontiers(), memory).reading_few_lists().repairing()
            }
            (Model::EdgeMap, Method::Sweep) => {
                maps(Requirements::OUT_LISTS.with_ranks(), Forest::memory(shape.vertices, false)).resuming()
            }
            (Model::EdgeMap, Method::Auto | Method::Afforest) => {
                maps(both, Forest::memory(shape.vertices, false)).reading_few_lists().resuming()
            }
            (Model::EdgeMap, Method::LabelPropagation) => {
                maps(both.with_frontiers(), memory(shape.vertices)).following_frontiers().resuming()
            }
            (Model::Interval, _) => {
                Plan::interval(both, interval::work(place), |engine, run| interval::wcc(engine, run.ranks)).resuming()
            }
            (Model::Messages, _) => {
                Plan::messages(both, messages::work(place), |engine, run| messages::wcc(engine, run.ranks))
            }
            (Model::Gas, _) => Plan::gas(gas::work(place), |engine, run| gas::wcc(engine, run.ranks)).with_ranks(),
        }))
    }
}
