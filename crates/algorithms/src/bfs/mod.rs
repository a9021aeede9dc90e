//! Breadth-first search.

pub mod edge_map;
pub mod gas;
pub mod interval;
pub mod messages;
mod repair;

use crate::algorithm::Algorithm;
use crate::params::engine::DELIVERY;
use crate::params::shared::SOURCE;
use crate::params::{Args, ParamInfo};
use crate::plan::Plan;
use crate::session::Session;
use crate::shape::Shape;
use crate::spec::{ColumnInfo, Cost, Model, Requirements, Spec, Statistic};
use outcrop_engine::Engine;
use outcrop_types::Result;

/// Breadth-first search.
pub struct Bfs;

static SPEC: Spec = Spec {
    name: "bfs",
    python_name: "bfs",
    summary: "Breadth-first search: distance (number of edges) from the nearest source, and predecessor on a shortest path",
    paper: "Beamer, Asanović, Patterson: Direction-Optimizing Breadth-First Search, SC 2012",
    models: &Model::ALL,
    on_spark: Some(&["source"]),
    columns: &[
        ColumnInfo { name: "distance", meaning: "number of edges on a shortest path from a source; null if unreached" },
        ColumnInfo {
            name: "predecessor", meaning: "previous vertex on a shortest path; null for sources and unreached vertices",
        },
    ],
    statistics: &[("reached", Statistic::Known), ("farthest", Statistic::Most), ("mean distance", Statistic::Mean)],
    arrivals: Some(&[]),
    cost: Some(Cost { entry: 1.7, waits: 0.012, value_bytes: 4, passes: 0.08 }),
    details: "
        The distance of a vertex is the smallest number of edges on a directed path from any source. Its predecessor is the first vertex
        in store order among the in-neighbors one step closer to a source; in a store in original order, that is the one with the smallest
        original ID.

        Results are identical in all models and for any number of threads, schedule and layout. Distances do not depend on the vertex
        order either.
    ",
    example: r#"
        >>> g = oc.build([("a", "b"), ("b", "c"), ("d", "a")], "letters.outcrop")
        >>> oc.bfs(g, "a").to_dict()
        {'a': 0, 'b': 1, 'c': 2, 'd': None}
    "#,
    ..Spec::DEFAULT
};

impl Algorithm for Bfs {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn params(&self) -> &'static [&'static ParamInfo] {
        const { &[&SOURCE.info] }
    }

    fn plan(&self, model: Model, shape: &Shape, args: &Args) -> Result<Option<Plan>> {
        let place = shape.place();
        let plan = match model {
            Model::EdgeMap => {
                let memory = repair::with_sets(shape, edge_map::memory(shape.vertices));
                let program = |engine: &Engine<'_>, run: Session<'_>| edge_map::bfs(engine, run.sources, run.ranks);
                let plan = Plan::edge_map(Requirements::ALL, memory, program).resuming().repairing();
                if shape.incremental { plan.reading_few_lists() } else { plan }
            }
            Model::Interval => Plan::interval(Requirements::ALL, interval::work(place), |engine, run| {
                interval::bfs(engine, run.sources, run.ranks)
            })
            .resuming(),
            Model::Messages => {
                let delivery = args.get(&DELIVERY)?;
                let needs = Requirements::OUT_LISTS.with_ranks();
                Plan::messages(needs, messages::work(place, delivery), move |engine, run| {
                    messages::bfs(engine, run.sources, run.ranks, delivery)
                })
            }
            Model::Gas => {
                Plan::gas(gas::work(place), |engine, run| gas::bfs(engine, run.sources, run.ranks)).with_ranks()
            }
        };
        Ok(Some(plan.following_frontiers()))
    }
}
