//! Belief propagation in a pairwise binary Markov random field.

pub mod gas;

use crate::algorithm::{Algorithm, VectorUse};
use crate::models::Real;
use crate::params::engine::SHARDS;
use crate::params::shared::{MAX_ITERATIONS, PRECISION};
use crate::params::{Args, Bounds, InputVector, Kind, Param, ParamInfo, Preset};
use crate::plan::Plan;
use crate::session::bad_value;
use crate::shape::Shape;
use crate::spec::{ColumnInfo, Model, Precision, Spec, Statistic, Weights};
use outcrop_gas::ShardKind;
use outcrop_types::{Error, Result};

/// Belief propagation in a pairwise binary Markov random field.
pub struct Beliefs;

static SPEC: Spec = Spec {
    name: "bp",
    aliases: &["belief-propagation"],
    python_name: "belief_propagation",
    summary: "Belief propagation: marginal probabilities of a binary pairwise Markov random field, exact on trees",
    paper: "Pearl: Reverend Bayes on Inference Engines, AAAI 1982; Vora, Xu, Gupta: Load the Edges You Need, USENIX ATC 2016",
    models: &[Model::Gas],
    weights: Weights::Ignored,
    columns: &[ColumnInfo { name: "belief", meaning: "probability of state 1" }],
    statistics: &[("mean belief", Statistic::Mean), ("highest belief", Statistic::Most)],
    details: "
        Every vertex is in state 0 or 1. The joint probability of all states is proportional to the product of the priors (--vector) of
        all vertices and, for every edge, of --coupling if its ends have the same state and one minus --coupling otherwise: below 1/2,
        neighbors tend to differ. Beliefs are exact on trees; on other graphs they are the result of loopy belief propagation. Vertices
        without a value in the vector have prior 1/2; a prior of exactly 0 or 1 never changes. Self-loops, repeated edges and directions
        are ignored.

        Messages are stored per edge, in temporary files if they do not fit in memory. A run ends when no message changes by more than
        --tol in log-odds; --damping stabilizes oscillating messages. Single precision halves the space for messages; changes then bottom
        out at about 1e-7 of a message.
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
    "Prior probabilities of state 1: .npy (one value per vertex by ascending ID), or .parquet, .csv or .tsv (ID and value)",
)
.needed(", the prior probability of state 1 per vertex");

static COUPLING: Param<f64> = Param::new(
    "coupling",
    Kind::Number(Bounds::BETWEEN),
    Preset::Number(0.9),
    "Probability that the ends of an edge have the same state",
)
.shown_as("P");

static DAMPING: Param<f64> = Param::new(
    "damping",
    Kind::Number(Bounds::BELOW_ONE),
    Preset::Number(0.0),
    "Fraction of the previous message kept in each new message",
);

static TOLERANCE: Param<f64> = Param::new(
    "tol",
    Kind::Number(Bounds::POSITIVE),
    Preset::Number(1e-6),
    "Stop when no message changes by more than this in log-odds",
);

/// Returns the plan of a run in the precision of `F`.
fn planned<F: Real>(shape: &Shape, args: &Args) -> Plan {
    let args = args.clone();
    Plan::gas(gas::work::<F>(shape.place()).from_vector(), move |engine, mut run| {
        let parameters = gas::BpParams {
            coupling: args.get(&COUPLING)?,
            damping: args.get(&DAMPING)?,
            tolerance: args.get(&TOLERANCE)?,
            at_most: args.get(&MAX_ITERATIONS)?,
        };
        gas::bp::<F>(engine, run.take_vector()?.into_doubles()?, parameters, bad_value)
    })
}

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
                "`bp` does not support --shards edge-list: a message depends on the one in the opposite direction, which a stream of \
                 edges does not contain; use ods, ads or static"
                    .to_owned(),
            )),
            _ => Ok(()),
        }
    }

    fn plan(&self, model: Model, shape: &Shape, args: &Args) -> Result<Option<Plan>> {
        let plan = match args.get(&PRECISION)? {
            Precision::Double => planned::<f64>(shape, args),
            Precision::Single => planned::<f32>(shape, args),
        };
        Ok((model == Model::Gas).then(|| plan.reading_few_lists()))
    }

    fn vector(&self, _: &Args) -> Result<Option<VectorUse>> {
        Ok(Some(VectorUse {
            // Probability of an unknown state.
            unnamed: 0.5,
            allows: |value| (0.0..=1.0).contains(&value),
            refusal: "is not a probability, from 0 to 1",
            ..VectorUse::ANY
        }))
    }
}
