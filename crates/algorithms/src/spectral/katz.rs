//! Katz centrality.
//!
//! Definition: x = alpha A^T x + beta, where A(u, v) is the weight of the edge from u to v: the sum over all walks that
//! end at the vertex of beta times alpha to the power of their length. By default, the values are divided by their
//! Euclidean norm. Duplicate edges count with their multiplicity; an edge of an undirected graph counts in both
//! directions, a loop once.
//!
//! Paper: Katz, Psychometrika 1953; fixed-point iteration from zeros, which converges if alpha is less than the inverse
//! of the largest absolute eigenvalue of A.
//!
//! Returns: `katz` (f64), never null.
//!
//! Memory: 16 bytes per vertex, and the index of the in-lists.
//!
//! Passes over the edges: one per iteration.
//!
//! Deviations: sums are in the order of the lists, in the pieces of the layout, and in fixed blocks of vertices, so the
//! result does not depend on threads. Other orders and layouts agree up to rounding.

use super::iteration::{Limits, iterate, planned};
use super::product::{ProductWeights, column, divide, memory, multiply, norm, replace};
use crate::AtomicFloat;
use crate::algorithm::Algorithm;
use crate::outcome::Outcome;
use crate::params::{Args, Bounds, InPython, Kind, Param, ParamInfo, Preset};
use crate::plan::Plan;
use crate::shape::Shape;
use crate::spec::{ColumnInfo, Model, Requirements, Spec, Statistic, Weights};
use crate::weights::WEIGHTED;
use outcrop_engine::Engine;
use outcrop_types::{Direction, Result};

/// Katz centrality.
pub struct Katz;

static SPEC: Spec = Spec {
    name: "katz",
    python_name: "katz_centrality",
    summary: "Katz centrality: the solution x of x = alpha * A.T x + beta with the adjacency matrix A, of norm 1",
    paper: "Katz: A New Status Index Derived from Sociometric Analysis, Psychometrika 1953",
    weights: Weights::OnRequest,
    columns: &[ColumnInfo { name: "katz", meaning: "Katz centrality; the Euclidean norm of all values is 1, unless --unnormalized is given" }],
    statistics: &[("highest centrality", Statistic::Most)],
    details: "
        The sum over all walks that end at the vertex of --beta times --alpha to the power of their length, multiplied by the weights of
        their edges with --weighted. The sums are divided by their Euclidean norm unless --unnormalized is given. Each stored copy of a
        repeated edge counts.

        The sums exist if --alpha is less than 1 divided by the largest absolute eigenvalue of the adjacency matrix, which is at most the
        largest in-degree (the largest sum of in-weights). Otherwise the run fails when values overflow or at --max-iter. A run converges
        when the mean absolute change falls below --tol, as in NetworkX.
    ",
    example: r#"
        >>> g = oc.build([(1, 2), (2, 3)], "path.outcrop")
        >>> oc.katz_centrality(g, 0.5, normalized=False).to_dict()
        {1: 1.0, 2: 1.5, 3: 1.75}
    "#,
    ..Spec::DEFAULT
};

static ALPHA: Param<f64> =
    Param::new("alpha", Kind::Number(Bounds::POSITIVE), Preset::Number(0.1), "Factor of each further edge of a walk");

static BETA: Param<f64> =
    Param::new("beta", Kind::Number(Bounds::POSITIVE), Preset::Number(1.0), "Value of the walk without edges");

static TOLERANCE: Param<f64> =
    Param::new("tol", Kind::Number(Bounds::POSITIVE), Preset::Number(1e-6), "Tolerance for the mean absolute change");

static MAX_ITERATIONS: Param<u32> =
    Param::new("max-iter", Kind::ANY_COUNT, Preset::Count(1000), "Maximum number of iterations");

static UNNORMALIZED: Param<bool> =
    Param::new("unnormalized", Kind::Flag, Preset::Flag(false), "Do not divide by the Euclidean norm")
        .in_python(InPython::Inverse("normalized"));

/// Parameters of a run.
#[derive(Clone, Copy)]
struct KatzParams {
    alpha: f64,
    beta: f64,
    limits: Limits,
    normalized: bool,
    weighted: bool,
}

fn katz(engine: &Engine<'_>, parameters: KatzParams) -> Result<Outcome> {
    let KatzParams { alpha, beta, limits, normalized, weighted } = parameters;
    let weights = if weighted { ProductWeights::Any } else { ProductWeights::Ones };
    let zeros = || engine.vertex_values(|_| AtomicFloat::new(0.0));
    let (current, next) = (zeros()?, zeros()?);
    let outcome = iterate(engine, limits, &current, || {
        multiply(engine, Direction::In, &current, &next, weights, |_, sum| alpha * sum + beta)?;
        Ok(replace(engine, &current, &next, 1.0) / f64::from(engine.vertices().max(1)))
    })?;
    if normalized {
        divide(engine, &current, norm(engine, &current));
    }
    Ok(Outcome { columns: vec![column("katz", current)], ..outcome })
}

impl Algorithm for Katz {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn params(&self) -> &'static [&'static ParamInfo] {
        const { &[&ALPHA.info, &BETA.info, &TOLERANCE.info, &MAX_ITERATIONS.info, &UNNORMALIZED.info, &WEIGHTED.info] }
    }

    fn plan(&self, model: Model, shape: &Shape, args: &Args) -> Result<Option<Plan>> {
        let parameters = KatzParams {
            alpha: args.get(&ALPHA)?,
            beta: args.get(&BETA)?,
            limits: Limits { tolerance: args.get(&TOLERANCE)?, at_most: args.get(&MAX_ITERATIONS)? },
            normalized: !args.get(&UNNORMALIZED)?,
            weighted: SPEC.weights.count(args)?,
        };
        planned(model, Requirements::IN_LISTS, memory(shape.vertices, 2), move |engine, _| katz(engine, parameters))
    }
}
