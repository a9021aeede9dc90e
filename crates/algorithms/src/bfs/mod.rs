//! Breadth-first search.

pub mod edge_map;
pub mod gas;
pub mod interval;
pub mod messages;
mod repair;

use crate::algorithm::Algorithm;
use crate::params::engine::DELIVERY;
use crate::params::shared::{COLUMNS, Columns, SOURCE};
use crate::params::{Args, Kind, Param, ParamInfo, Preset};
use crate::plan::{EdgeMapWork, Plan};
use crate::shape::Shape;
use crate::spec::{ColumnInfo, Cost, Model, Requirements, Spec, Statistic};
use outcrop_types::Result;

/// Breadth-first search.
pub struct Bfs;

static SPEC: Spec = Spec {
    name: "bfs",
    python_name: "bfs",
    summary: "Breadth-first search: distance (number of edges) from the nearest source; predecessors with --columns all",
    paper: "Beamer, Asanović, Patterson: Direction-Optimizing Breadth-First Search, SC 2012",
    models: &Model::ALL,
    on_spark: Some(&["source", "columns"]),
    columns: &[
        ColumnInfo { name: "distance", meaning: "number of edges on a shortest path from a source; null if unreached or beyond --cutoff" },
        ColumnInfo {
            name: "predecessor", meaning: "previous vertex on a shortest path (needs --columns all); null for sources and unreached vertices",
        },
    ],
    statistics: &[("reached", Statistic::Known), ("farthest", Statistic::Most), ("mean distance", Statistic::Mean)],
    arrivals: Some(&[]),
    cost: Some(Cost { entry: 1.7, waits: 0.012, value_bytes: 1, passes: 0.08 }),
    details: "
        The distance of a vertex is the smallest number of edges on a directed path from any source. Its predecessor is the first vertex
        in store order among the in-neighbors one step closer to a source; in a store in original order, that is the one with the smallest
        original ID.

        Results are identical in all models and for any number of threads, schedule and layout. The vertex order can change
        predecessors only.

        Distances take 1 byte per vertex (2 in graphs of up to 65,535 vertices), and up to 6 while distances above 254 are found. If
        they do not fit in the remaining memory, the run restarts with --model interval.
    ",
    example: r#"
        >>> g = oc.build([("a", "b"), ("b", "c"), ("d", "a")], "letters.outcrop")
        >>> oc.bfs(g, "a").to_dict()
        {'a': 0, 'b': 1, 'c': 2, 'd': None}
    "#,
    ..Spec::DEFAULT
};

static CUTOFF: Param<Option<u32>> = Param::new(
    "cutoff",
    Kind::POSITIVE_COUNT,
    Preset::None("none"),
    "Search only for vertices up to this number of edges away",
)
.only_in(&[Model::EdgeMap]);

impl Algorithm for Bfs {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn params(&self) -> &'static [&'static ParamInfo] {
        const { &[&SOURCE.info, &COLUMNS.info, &CUTOFF.info] }
    }

    fn plan(&self, model: Model, shape: &Shape, args: &Args) -> Result<Option<Plan>> {
        let (place, all) = (shape.place(), args.get(&COLUMNS)? == Columns::All);
        let plan = match model {
            Model::EdgeMap => {
                let needs = Requirements::BOTH_LISTS.with_frontiers();
                // The greatest number is no limit.
                let cutoff = args.get(&CUTOFF)?.filter(|cutoff| *cutoff < u32::MAX);
                let work = match cutoff {
                    Some(cutoff) => edge_map::work_within(shape.vertices, cutoff, all),
                    None => edge_map::work(shape.vertices, shape.incremental, all),
                };
                let work = EdgeMapWork { memory: repair::with_sets(shape, work.memory), ..work };
                let plan = Plan::edge_map(needs, work, move |engine, run| {
                    // Default: no vertex is farther away.
                    let (ranks, most) = (all.then_some(run.ranks), cutoff.unwrap_or(u32::MAX));
                    edge_map::bfs(engine, run.sources, ranks, run.shape.incremental, most, run.growth)
                });
                let plan = if cutoff.is_some() { plan.resuming() } else { plan.resuming().repairing() };
                if shape.incremental { plan.reading_few_lists() } else { plan.reading_lists_once() }
            }
            Model::Interval => {
                let work = interval::work(place, all);
                Plan::interval(Requirements::BOTH_LISTS, work, move |engine, run| {
                    interval::bfs(engine, run.sources, all.then_some(run.ranks))
                })
                .resuming()
            }
            Model::Messages => {
                let delivery = args.get(&DELIVERY)?;
                let work = messages::work(place, delivery, all);
                Plan::messages(Requirements::OUT_LISTS, work, move |engine, run| {
                    messages::bfs(engine, run.sources, all.then_some(run.ranks), delivery)
                })
            }
            Model::Gas => Plan::gas(gas::work(place, all), move |engine, run| {
                gas::bfs(engine, run.sources, all.then_some(run.ranks))
            }),
        };
        let plan = if all { plan.with_ranks() } else { plan };
        Ok(Some(plan.following_frontiers()))
    }
}
