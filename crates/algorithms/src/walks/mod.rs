//! Random walks.

mod choice;
pub mod messages;
mod prospects;
mod walker;

pub use crate::outcome::Record;
pub use choice::{Choice, MOST_CANDIDATES};
pub use messages::{EVERY, LENGTH, Starts as WalkStarts, Walks as Program, walks, work};
pub use walker::{Carried, FirstOrder, SecondOrder};

use crate::algorithm::{Algorithm, Starts};
use crate::outcome::Outcome;
use crate::params::shared::SEED;
use crate::params::{Args, Bounds, Kind, Param, ParamInfo, Preset};
use crate::plan::{Plan, Shape, Work};
use crate::session::Session;
use crate::spec::{ColumnInfo, Model, Requirements, Spec, Weights};
use crate::weights::WEIGHTED;
use outcrop_types::Result;

/// Random walks.
pub struct RandomWalks;

static SPEC: Spec = Spec {
    name: "walks",
    aliases: &["random-walks"],
    python_name: "random_walks",
    summary: "Random walks from every so many vertices or from given ones, of first or second order (node2vec)",
    paper: "Kyrola: DrunkardMob, RecSys 2013; Grover, Leskovec: node2vec, KDD 2016",
    models: &[Model::Messages],
    weights: Weights::OnRequest,
    columns: &[
        ColumnInfo { name: "walk", meaning: "the number of the walk; the first is 0" },
        ColumnInfo { name: "step", meaning: "how many steps were made before; 0 is the start" },
    ],
    details: "
        Walks along out-edges, all of them at once: one from each source, in the order in which they are given, or from every so many
        vertices. Each edge is as likely as any other; with --weighted one is drawn by its weight: one of weight 0 is never followed, and a negative weight at a vertex of a walk is an error. A walk ends before its length where
        there is no edge to follow, but with --restart goes back to its start there. With --p or --q steps are of second order: an edge back
        to the vertex before has 1/p of the weight of others, and one to a vertex to which no edge leads from the vertex before, 1/q.

        The result has a row a step, in ascending walk and step, with `node` as the original id of the vertex; neither threads nor memory
        change it.
    ",
    example: r#"
        >>> g = oc.build([("a", "b"), ("b", "c")], "letters.outcrop")
        >>> oc.random_walks(g, ["b", "a"]).to_arrow()["node"].to_pylist()
        ['b', 'c', 'a', 'b', 'c']
    "#,
    ..Spec::DEFAULT
};

static SOURCE: Param<Vec<String>> = Param::new(
    "source",
    Kind::Ids,
    Preset::None(""),
    "A vertex from which a walk starts; may be given several times, and the same several times too",
);

static EVERY_KTH: Param<u32> = Param::new(
    "every",
    Kind::POSITIVE_COUNT,
    Preset::Count(EVERY as u64),
    "Start a walk from every K-th vertex in ascending id",
)
.shown_as("K")
.excludes(&["source"]);

static STEPS: Param<u32> = Param::new("length", Kind::ANY_COUNT, Preset::Count(LENGTH as u64), "Steps of a walk");

static RESTART: Param<f64> = Param::new(
    "restart",
    Kind::Number(Bounds::UNIT),
    Preset::Number(0.0),
    "The probability that a walk goes back to its start instead of along an edge",
)
.shown_as("P");

static RETURN: Param<f64> = Param::new(
    "p",
    Kind::Number(Bounds::POSITIVE),
    Preset::Number(1.0),
    "Walk back to the vertex before with 1/P of the weight (node2vec)",
)
.shown_as("P");

static IN_OUT: Param<f64> = Param::new(
    "q",
    Kind::Number(Bounds::POSITIVE),
    Preset::Number(1.0),
    "Walk to vertices that are no neighbours of the one before with 1/Q of the weight (node2vec)",
)
.shown_as("Q");

/// Starts of walks, at the vertices that are named or at every so many.
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
        // Which vertices are named makes no difference.
        let named = vec![0; args.get(&SOURCE)?.len()];
        let work = work(shape.place().counting(SPEC.weights.count(args)?), &walk_starts(args, &named)?, &choice(args)?);
        let (walks, _) = work.requirements.records;
        let records = u64::from(walks) * (u64::from(args.get(&STEPS)?) + 1);
        let plan = Plan::messages(Requirements::OUT_LISTS.with_ranks(), work);
        Ok(Some(Plan { work: Work::Messages { work, records }, ..plan.following_frontiers().reading_few_lists() }))
    }

    fn run(&self, session: Session<'_, '_>, args: &Args) -> Result<Outcome> {
        let starts = walk_starts(args, session.sources)?;
        let (engine, length) = (session.messages()?, args.get(&STEPS)?);
        let refuse = |edge| session.refused_weight(edge, "walks by weight need weights of at least 0");
        let (outcome, records) = walks(engine, &starts, session.ranks, length, &choice(args)?, refuse)?;
        Ok(Outcome { walks: Some(records), ..outcome })
    }

    fn starts(&self, args: &Args) -> Result<Starts> {
        Ok(Starts::ids(args.get(&SOURCE)?))
    }
}
