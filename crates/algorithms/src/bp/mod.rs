//! Beliefs of a pairwise binary Markov random field.

pub mod gas;

use crate::algorithm::{Algorithm, VectorUse};
use crate::outcome::Outcome;
use crate::params::engine::SHARDS;
use crate::params::shared::{MAX_ITERATIONS, PRECISION};
use crate::params::{Args, Bounds, InputVector, Kind, Param, ParamInfo, Preset};
use crate::plan::{Plan, Shape};
use crate::session::{Session, bad_value};
use crate::spec::{ColumnInfo, Model, Precision, Spec, Statistic, Weights};
use outcrop_engine::gas::ShardKind;
use outcrop_types::{Error, Result};

/// Beliefs of a pairwise binary Markov random field.
pub struct Beliefs;

static SPEC: Spec = Spec {
    name: "bp",
    aliases: &["belief-propagation"],
    python_name: "belief_propagation",
    summary: "Beliefs of a pairwise binary Markov random field by loopy belief propagation, the graph taken as undirected",
    paper: "Pearl: Reverend Bayes on Inference Engines, AAAI 1982; Vora, Xu, Gupta: Load the Edges You Need, USENIX ATC 2016",
    models: &[Model::Gas],
    weights: Weights::Ignored,
    columns: &[ColumnInfo { name: "belief", meaning: "the probability of state 1" }],
    statistics: &[("mean belief", Statistic::Mean), ("highest belief", Statistic::Most)],
    details: "
        Every vertex is in state 0 or 1. How likely the states of all vertices are together is the product of what --vector says of each
        and, for every edge, of --coupling where its ends are in the same state, and one minus it where they are not: below 1/2 neighbours
        tend to differ. The belief is exact in trees; elsewhere it is what loopy belief propagation comes to. Vertices that the vector does
        not name have 1/2; one with exactly 0 or 1 is certain and stays so. Loops, repeated edges and directions are ignored.

        Messages are on edges, in temporary files where memory does not hold them. A run ends when no message changes by more than --tol in
        log-odds; --damping calms messages that swing. With single precision they take half the room, and bottom out at about 1e-7 of their
        size.
    ",
    example: r#"
        >>> g = oc.build([(1, 2), (2, 3)], "chain.outcrop", directed=False)
        >>> beliefs = oc.belief_propagation(g, {1: 0.9}, coupling=0.75).to_dict()
        >>> [round(beliefs[node], 6) for node in (1, 2, 3)]
        [0.9, 0.7, 0.6]
    "#,
    ..Spec::DEFAULT
};

static VECTOR: Param<Option<InputVector>> = Param::new(
    "vector",
    Kind::Vector,
    Preset::None(""),
    "The probabilities of state 1 before anything is known of neighbours: .npy with a value a vertex in ascending id, or .parquet, .csv \
     or .tsv with an id and a value a row",
)
.needed(": the probability of state 1 of each vertex");

static COUPLING: Param<f64> = Param::new(
    "coupling",
    Kind::Number(Bounds::BETWEEN),
    Preset::Number(0.9),
    "How likely the ends of an edge are in the same state",
)
.shown_as("P");

static DAMPING: Param<f64> = Param::new(
    "damping",
    Kind::Number(Bounds::BELOW_ONE),
    Preset::Number(0.0),
    "Take this share of a message from the one before",
)
.shown_as("SHARE");

static TOLERANCE: Param<f64> = Param::new(
    "tol",
    Kind::Number(Bounds::POSITIVE),
    Preset::Number(1e-6),
    "Stop when the log-odds of all messages change by less than this",
);

impl Algorithm for Beliefs {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn params(&self) -> &'static [&'static ParamInfo] {
        const { &[&VECTOR.info, &COUPLING.info, &DAMPING.info, &TOLERANCE.info, &MAX_ITERATIONS.info, &PRECISION.info] }
    }

    fn validate(&self, args: &Args) -> Result<()> {
        match args.get(&SHARDS)? {
            ShardKind::EdgeList => Err(Error::Usage(
                "bp takes no --shards edge-list: a message depends on the one in the other direction, which a stream of edges does not \
                 bring; use ods, ads or static"
                    .to_owned(),
            )),
            _ => Ok(()),
        }
    }

    fn plan(&self, model: Model, shape: &Shape, args: &Args) -> Result<Option<Plan>> {
        let work = match args.get(&PRECISION)? {
            Precision::Double => gas::work::<f64>(shape.place()),
            Precision::Single => gas::work::<f32>(shape.place()),
        };
        Ok((model == Model::Gas).then(|| Plan::gas(work).from_vector().reading_few_lists()))
    }

    fn run(&self, mut session: Session<'_, '_>, args: &Args) -> Result<Outcome> {
        let (engine, values) = (session.gas()?, session.take_vector()?.into_doubles()?);
        let parameters = gas::BpParams {
            coupling: args.get(&COUPLING)?,
            damping: args.get(&DAMPING)?,
            tolerance: args.get(&TOLERANCE)?,
            at_most: args.get(&MAX_ITERATIONS)?,
        };
        match args.get(&PRECISION)? {
            Precision::Double => gas::bp::<f64>(engine, values, parameters, bad_value),
            Precision::Single => gas::bp::<f32>(engine, values, parameters, bad_value),
        }
    }

    fn vector(&self, _: &Args) -> Result<Option<VectorUse>> {
        Ok(Some(VectorUse {
            // A state of which nothing is known.
            unnamed: 0.5,
            allows: |value| (0.0..=1.0).contains(&value),
            refusal: "is not a probability, from 0 to 1",
            ..VectorUse::ANY
        }))
    }
}
