//! Core numbers.

pub mod edge_map;
mod one_core;

use crate::algorithm::Algorithm;
use crate::outcome::InMemoryListBytes;
use crate::params::{Args, Kind, Param, ParamInfo, Preset};
use crate::plan::{EdgeMapWork, Plan};
use crate::session::Session;
use crate::shape::Shape;
use crate::spec::{ColumnInfo, Cost, Model, Requirements, Spec, Statistic};
use outcrop_engine::Engine;
use outcrop_types::{Direction, Result};

/// Core numbers.
pub struct KCore;

static SPEC: Spec = Spec {
    name: "kcore",
    aliases: &["core-number"],
    python_name: "core_number",
    summary: "Core number: the largest k such that the vertex is in a subgraph of minimum degree k",
    paper: "Dhulipala, Blelloch, Shun: Julienne, SPAA 2017 (peeling: Matula, Beck, JACM 1983)",
    columns: &[ColumnInfo {
        name: "core_number", meaning: "largest k such that the k-core contains the vertex; with --k, null outside that core",
    }],
    statistics: &[("largest core", Statistic::Most), ("vertices in it", Statistic::CountOfMost)],
    cost: Some(Cost { entry: 3.2, waits: 0.02, value_bytes: 4, passes: 0.1 }),
    details: "
        The k-core of a graph is its largest subgraph in which every vertex has at least k neighbors; the core number of a vertex is the
        largest k whose k-core contains it. Unlike NetworkX, which reports an error, outcrop ignores self-loops, repeated edges and
        directions.

        With --k, only that core is computed, which is much faster: the value is k for its vertices and null for all others.
    ",
    example: r#"
        >>> oc.core_number(oc.build([(1, 2), (2, 3), (3, 1), (3, 4)], "cores.outcrop")).to_dict()
        {1: 2, 2: 2, 3: 2, 4: 1}
    "#,
    ..Spec::DEFAULT
};

static K: Param<Option<u32>> =
    Param::new("k", Kind::ANY_COUNT, Preset::None("all"), "Compute only this core").shown_as("K");

impl Algorithm for KCore {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn params(&self) -> &'static [&'static ParamInfo] {
        const { &[&K.info] }
    }

    fn plan(&self, model: Model, shape: &Shape, args: &Args) -> Result<Option<Plan>> {
        let k = args.get(&K)?;
        let (needs, memory) = match k {
            None => (Requirements::BOTH_LISTS, edge_map::memory(shape.vertices)),
            Some(_) => (Requirements::BOTH_LISTS.with_frontiers(), one_core::memory(shape.vertices)),
        };
        let program = move |engine: &Engine<'_>, run: Session<'_>| {
            let neighborhoods = run.neighborhoods()?;
            let space = run.neighborhood_buffer(engine)?;
            match k {
                None => edge_map::kcore(engine, &neighborhoods, run.graph.degrees(Direction::Out)?, &space),
                Some(k) => one_core::one_core(engine, &neighborhoods, run.entries()?, k, run.shape.simple, &space),
            }
        };
        let work = EdgeMapWork::holding(memory, InMemoryListBytes::of_batches(shape.entries_of(needs), shape.slots));
        Ok((model == Model::EdgeMap).then(|| Plan::edge_map(needs, work, program).resuming()))
    }
}
