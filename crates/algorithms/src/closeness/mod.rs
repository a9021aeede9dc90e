//! Closeness and harmonic centrality, estimated or exact.

mod balls;
mod counters;
mod measure;
mod searches;

use crate::algorithm::{Algorithm, Starts};
use crate::params::{Args, InPython, Kind, Param, ParamInfo, Preset};
use crate::plan::Plan;
use crate::shape::Shape;
use crate::spec::{ColumnInfo, Model, Requirements, Spec, Statistic, Weights};
use counters::Counters;
pub use measure::Measure;
use outcrop_types::{Error, Result};

/// Closeness centrality.
pub struct Closeness;

/// Harmonic centrality.
pub struct Harmonic;

const MEMORY_HINT: &str = "each register takes 2 bytes per vertex; use fewer --registers, or --samples";

static SPEC: Spec = Spec {
    name: "closeness",
    python_name: "closeness_centrality",
    summary: "Closeness centrality: the inverse mean distance from the vertices that reach the vertex, times their share",
    paper: "Boldi, Vigna: In-Core Computation of Geometric Centralities with HyperBall, ICDMW 2013; Eppstein, Wang: Fast Approximation of Centrality, JGAA 2004",
    weights: Weights::Ignored,
    columns: &[ColumnInfo {
        name: "closeness", meaning: "inverse of the mean distance from the vertices that reach the vertex, times their fraction of all others; 0 if there are none",
    }],
    statistics: &[("highest closeness", Statistic::Most)],
    memory_hint: Some(MEMORY_HINT),
    details: "
        The inverse of the mean distance, in directed edges, from the other vertices that reach the vertex, times the fraction of the other
        vertices that do (Wasserman and Faust, 1994), as in NetworkX. With --unscaled, the inverse of the mean distance alone. A vertex that
        no other reaches has 0.

        By default, HyperBall estimates how many vertices reach a vertex within each distance. It runs until no vertex is reached within a
        larger distance, and takes 2 bytes per vertex and register. The relative standard error of these numbers is 1.04 divided by the
        square root of --registers: 13% with 64 registers, 3.3% with 1024.

        --samples searches from a random sample of vertices instead, 64 at a time, and --exact from all.
    ",
    example: r#"
        >>> g = oc.build([(1, 2), (2, 3), (3, 4)], "path.outcrop", directed=False)
        >>> oc.closeness_centrality(g, exact=True).to_dict()
        {1: 0.5, 2: 0.75, 3: 0.75, 4: 0.5}
    "#,
    ..Spec::DEFAULT
};

static HARMONIC: Spec = Spec {
    name: "harmonic",
    python_name: "harmonic_centrality",
    summary: "Harmonic centrality: the sum over all other vertices of the inverse of their distance to the vertex",
    paper: "Boldi, Vigna: In-Core Computation of Geometric Centralities with HyperBall, ICDMW 2013; Boldi, Vigna: Axioms for Centrality, Internet Mathematics 2014",
    weights: Weights::Ignored,
    columns: &[ColumnInfo {
        name: "harmonic", meaning: "sum of the inverse distances from all other vertices; those that do not reach the vertex add 0",
    }],
    statistics: &[("highest harmonic centrality", Statistic::Most)],
    memory_hint: Some(MEMORY_HINT),
    details: "
        The sum over all other vertices of 1 divided by their distance, in directed edges, to the vertex; a vertex that does not reach it
        adds 0. As in NetworkX, the sum is not divided by the number of vertices.

        By default, HyperBall estimates how many vertices reach a vertex within each distance. It runs until no vertex is reached within a
        larger distance, and takes 2 bytes per vertex and register. The relative standard error of a value is at most 1.04 divided by the
        square root of --registers: 13% with 64 registers, 3.3% with 1024.

        --samples searches from a random sample of vertices instead, 64 at a time, and --exact from all.
    ",
    example: r#"
        >>> g = oc.build([(1, 2), (2, 3), (3, 4)], "path.outcrop")
        >>> oc.harmonic_centrality(g, exact=True).to_dict()
        {1: 0.0, 2: 1.0, 3: 1.5, 4: 1.8333333333333333}
    "#,
    ..Spec::DEFAULT
};

static EXACT: Param<bool> = Param::new("exact", Kind::Flag, Preset::Flag(false), "Search from every vertex");

static SAMPLES: Param<Option<u32>> =
    Param::new("samples", Kind::POSITIVE_COUNT, Preset::None(""), "Search from this number of random vertices")
        .excludes(&["exact"]);

static REGISTERS: Param<u32> =
    Param::new("registers", Kind::Count(16, 4096), Preset::Count(64), "Number of registers per counter, a power of 2")
        .excludes(&["exact", "samples"]);

static SEED: Param<u64> = Param::new("seed", Kind::SEED, Preset::Count(1), "Random seed").excludes(&["exact"]);

static UNSCALED: Param<bool> = Param::new(
    "unscaled",
    Kind::Flag,
    Preset::Flag(false),
    "Do not multiply by the fraction of vertices that reach the vertex",
)
.in_python(InPython::Inverse("wf_improved"));

fn validate(args: &Args) -> Result<()> {
    let registers = args.get(&REGISTERS)?;
    match registers.is_power_of_two() {
        true => Ok(()),
        false => Err(Error::Usage(format!("--registers must be a power of 2, not {registers}"))),
    }
}

fn plan(measure: Measure, model: Model, shape: &Shape, args: &Args) -> Result<Option<Plan>> {
    let (all, samples) = (args.get(&EXACT)?, args.get(&SAMPLES)?);
    let needs = Requirements::BOTH_LISTS.with_frontiers();
    let plan = if all || samples.is_some() {
        Plan::edge_map(needs, searches::memory(shape.vertices, measure), move |engine, run| {
            searches::by_searches(engine, (!all).then_some(run.sources), measure)
        })
    } else {
        let counters = Counters::new(args.get(&REGISTERS)?, args.get(&SEED)?);
        Plan::edge_map(needs.with_ranks(), balls::memory(shape.vertices, counters), move |engine, run| {
            balls::by_balls(engine, run.ranks, counters, measure)
        })
    };
    Ok((model == Model::EdgeMap).then(|| plan.following_frontiers().resuming()))
}

fn starts(args: &Args) -> Result<Starts> {
    let seed = args.get(&SEED)?;
    Ok(args.get(&SAMPLES)?.map_or(Starts::NONE, |samples| Starts::sample(samples, seed)))
}

impl Algorithm for Closeness {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn params(&self) -> &'static [&'static ParamInfo] {
        const { &[&EXACT.info, &SAMPLES.info, &REGISTERS.info, &SEED.info, &UNSCALED.info] }
    }

    fn validate(&self, args: &Args) -> Result<()> {
        validate(args)
    }

    fn plan(&self, model: Model, shape: &Shape, args: &Args) -> Result<Option<Plan>> {
        plan(Measure::Closeness { scaled: !args.get(&UNSCALED)? }, model, shape, args)
    }

    fn starts(&self, args: &Args) -> Result<Starts> {
        starts(args)
    }
}

impl Algorithm for Harmonic {
    fn spec(&self) -> &'static Spec {
        &HARMONIC
    }

    fn params(&self) -> &'static [&'static ParamInfo] {
        const { &[&EXACT.info, &SAMPLES.info, &REGISTERS.info, &SEED.info] }
    }

    fn validate(&self, args: &Args) -> Result<()> {
        validate(args)
    }

    fn plan(&self, model: Model, shape: &Shape, args: &Args) -> Result<Option<Plan>> {
        plan(Measure::Harmonic, model, shape, args)
    }

    fn starts(&self, args: &Args) -> Result<Starts> {
        starts(args)
    }
}
