//! Random walks.

mod choice;
pub mod messages;
mod walk_targets;
mod walker;

pub use crate::outcome::Record;
pub use choice::{Choice, MOST_CANDIDATES};
pub use messages::{EVERY, LENGTH, Starts as WalkStarts, Walks as Program, walks, work};
pub use walker::{Carried, FirstOrder, SecondOrder};

use crate::algorithm::{Algorithm, Starts};
use crate::models::MessageWork;
use crate::outcome::Outcome;
use crate::params::shared::SEED;
use crate::params::{Args, Bounds, Kind, Param, ParamInfo, Preset};
use crate::plan::Plan;
use crate::shape::Shape;
use crate::spec::{ColumnInfo, Model, Requirements, Spec, Weights};
use crate::weights::WEIGHTED;
use outcrop_types::Result;

/// Random walks.
pub struct RandomWalks;

static SPEC: Spec = Spec {
    name: "walks",
    aliases: &["random-walks"],
    python_name: "random_walks",
    summary: "Random walks along out-edges, of first or second order (node2vec)",
    paper: "Kyrola: DrunkardMob, RecSys 2013; Grover, Leskovec: node2vec, KDD 2016",
    models: &[Model::Messages],
    weights: Weights::OnRequest,
    columns: &[
        ColumnInfo { name: "walk", meaning: "number of the walk, starting at 0" },
        ColumnInfo { name: "step", meaning: "number of the step; 0 is the start" },
    ],
    details: "
        Walks follow out-edges: one walk per source, in the given order (a repeated source starts several walks), or one per every N-th
        vertex (--every). All out-edges are equally likely; --weighted makes their probability proportional to their weight. Edges of
        weight 0 are never followed; at visited vertices, other weights must be from 1e-280 to 1e270. A walk ends early at a vertex without
        out-edges; --restart returns it to its start instead. --p and --q make steps of second order: an edge back to the previous vertex
        has 1/p of its weight, and an edge to a vertex that is not an out-neighbor of the previous one has 1/q of its weight.

        The result has one row per step, sorted by walk and step, with the original ID of the vertex as `node`. It does not depend on
        threads or memory.
    ",
    example: r#"
        >>> g = oc.build([("a", "b"), ("b", "c")], "letters.outcrop")
        >>> oc.random_walks(g, ["b", "a"]).to_arrow()["node"].to_pylist()
        ['b', 'c', 'a', 'b', 'c']
    "#,
    ..Spec::DEFAULT
};

static SOURCE: Param<Vec<String>> =
    Param::new("source", Kind::Ids, Preset::None(""), "Start vertex of a walk (repeatable)");

static EVERY_KTH: Param<u32> = Param::new(
    "every",
    Kind::POSITIVE_COUNT,
    Preset::Count(EVERY as u64),
    "Start a walk at every N-th vertex in ascending ID order",
)
.excludes(&["source"]);

static STEPS: Param<u32> = Param::new("length", Kind::ANY_COUNT, Preset::Count(LENGTH as u64), "Steps per walk");

static RESTART: Param<f64> = Param::new(
    "restart",
    Kind::Number(Bounds::UNIT),
    Preset::Number(0.0),
    "Probability of returning to the start in a step",
)
.shown_as("P");

static RETURN: Param<f64> = Param::new(
    "p",
    Kind::Number(Bounds::POSITIVE),
    Preset::Number(1.0),
    "Return parameter: weight factor 1/P of edges back (node2vec)",
)
.shown_as("P");

static IN_OUT: Param<f64> = Param::new(
    "q",
    Kind::Number(Bounds::POSITIVE),
    Preset::Number(1.0),
    "In-out parameter: weight factor 1/Q of edges outward (node2vec)",
)
.shown_as("Q");

/// Returns the start vertices: the named ones, or every n-th vertex.
fn walk_starts(args: &Args, named: &[u32]) -> Result<WalkStarts> {
    Ok(match named {
        [] => WalkStarts::Every(args.get(&EVERY_KTH)?),
        named => WalkStarts::at(named),
    })
}

fn choice(args: &Args) -> Result<Choice> {
    Ok(Choice { seed: args.get(&SEED)?, restart: args.get(&RESTART)?, p: args.get(&RETURN)?, q: args.get(&IN_OUT)? })
}

impl Algorithm for RandomWalks {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn params(&self) -> &'static [&'static ParamInfo] {
        const {
            &[
                &SOURCE.info,
                &EVERY_KTH.info,
                &STEPS.info,
                &RESTART.info,
                &RETURN.info,
                &IN_OUT.info,
                &SEED.info,
                &WEIGHTED.info,
            ]
        }
    }

    fn plan(&self, model: Model, shape: &Shape, args: &Args) -> Result<Option<Plan>> {
        if model != Model::Messages || shape.on_disk {
            return Ok(None);
        }
        // The identity of named vertices makes no difference.
        let (named, choice, length) = (vec![0; args.get(&SOURCE)?.len()], choice(args)?, args.get(&STEPS)?);
        let work = work(shape.place().counting(SPEC.weights.count(args)?), &walk_starts(args, &named)?, &choice);
        let (walkers, _) = work.requirements.records;
        let work = MessageWork { records: u64::from(walkers) * (u64::from(length) + 1), ..work };
        let args = args.clone();
        let plan = Plan::messages(Requirements::OUT_LISTS.with_ranks(), work, move |engine, run| {
            let starts = walk_starts(&args, run.sources)?;
            let refuse = |edge| run.refused_weight(edge, &SPEC.needs_summands());
            let (outcome, records) = walks(engine, &starts, run.ranks, length, &choice, refuse)?;
            Ok(Outcome { walks: Some(records), ..outcome })
        });
        Ok(Some(plan.following_frontiers().reading_few_lists()))
    }

    fn starts(&self, args: &Args) -> Result<Starts> {
        Ok(Starts::ids(args.get(&SOURCE)?))
    }
}
