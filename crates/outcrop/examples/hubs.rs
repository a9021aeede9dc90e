//! Steps along edges, in either direction, from each vertex to the nearest hub. An interval program of one's own: it
//! sees the in- and out-edges of a vertex, whether the values of vertices fit in memory or not.
//!
//! `cargo run --release --example hubs -- web.outcrop 1000` prints the ten vertices farthest from all with 1000 edges
//! or more.

use outcrop::engine::interval::updated;
use outcrop::engine::{Column, IntervalProgram, Outcome, Plan, Requirements, Shape, UNREACHED, Values, VertexId};
use outcrop::{
    Algorithm, Args, ColumnInfo, Graph, Kind, Model, OpenOptions, Param, ParamInfo, Preset, Result, RunRequest, Spec,
    TableFormat,
};

/// A hub has at least so many edges; an undirected one counts at both of its ends as two.
struct Hubs(usize);

impl IntervalProgram for Hubs {
    type Source = u32;
    type Target = u32;
    /// Number of edges, and the least steps that lead over one of them.
    type Sum = (usize, u32);

    fn begin(&self, _: VertexId) -> (usize, u32) {
        (0, UNREACHED)
    }

    fn gather(&self, (edges, least): &mut (usize, u32), _: VertexId, steps: u32, _: f64) {
        *edges += 1;
        *least = steps.saturating_add(1).min(*least);
    }

    fn apply(&self, _: VertexId, steps: u32, (edges, least): (usize, u32)) -> u32 {
        if edges >= self.0 { 0 } else { steps.min(least) }
    }
}

/// The steps from every vertex to the nearest hub.
pub struct StepsToHubs;

static SPEC: Spec = Spec {
    name: "hubs",
    summary: "Steps from every vertex to the nearest hub, along edges in either direction",
    models: &[Model::Interval],
    columns: &[ColumnInfo { name: "steps", meaning: "steps to the nearest hub; null where none is reached" }],
    ..Spec::DEFAULT
};

static EDGES: Param<u32> =
    Param::new("edges", Kind::POSITIVE_COUNT, Preset::Count(1000), "A hub has at least so many edges");

impl Algorithm for StepsToHubs {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn params(&self) -> &'static [&'static ParamInfo] {
        static PARAMS: &[&ParamInfo] = &[&EDGES.info];
        PARAMS
    }

    fn plan(&self, model: Model, shape: &Shape, args: &Args) -> Result<Option<Plan>> {
        let hubs = Hubs(args.get(&EDGES)? as usize);
        let plan = || {
            Plan::interval(Requirements::BOTH_LISTS, updated::<Hubs>(shape.place()), move |engine, _| {
                let (mut steps, mut iterations) = (engine.values(|_| UNREACHED)?, 0);
                loop {
                    let changed = engine.update(&hubs, &mut steps)?;
                    engine.end_iteration(None);
                    iterations += 1;
                    if changed.is_empty() {
                        return Ok(Outcome::new(vec![Column::new("steps", Values::from(steps))], iterations));
                    }
                }
            })
        };
        Ok((model == Model::Interval).then(plan))
    }
}

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let store = arguments.next().unwrap_or_else(|| "web.outcrop".to_owned());
    let edges = arguments.next().unwrap_or_else(|| "1000".to_owned());
    let graph = Graph::open(store.as_ref(), OpenOptions::default())?;
    let result = graph.run(&RunRequest::of(&StepsToHubs).with("edges", edges)?)?;
    result.table().write_top_to(Box::new(std::io::stdout()), TableFormat::Tsv, 10)
}
