//! Hubs and authorities (HITS).
//!
//! Definition: authorities a and hubs h are the right and the left singular vector of the adjacency matrix A for its
//! largest singular value, where A(u, v) is the weight of the edge from u to v: a is proportional to A^T h, and h to
//! A a. Each sums to 1. Duplicate edges count with their multiplicity; an edge of an undirected graph counts in both
//! directions, a loop once.
//!
//! Paper: Kleinberg, "Authoritative Sources in a Hyperlinked Environment", JACM 1999: power iteration with A A^T, from
//! equal hub values.
//!
//! Returns: `hub` and `authority` (f64), never null; 0 in a graph without edges.
//!
//! Memory: 24 bytes per vertex, and both indexes.
//!
//! Passes over the edges: two per iteration, one along the in-lists and one along the out-lists.
//!
//! Deviations: sums are in the order of the lists, in the pieces of the layout, and in fixed blocks of vertices, so the
//! result does not depend on threads. Other orders and layouts agree up to rounding.

use super::iteration::{Limits, iterate, planned};
use super::product::{ProductWeights, Summands, at, column, divide, divisor, memory, multiply, norm, replace};
use crate::AtomicFloat;
use crate::algorithm::Algorithm;
use crate::outcome::Outcome;
use crate::params::shared::{MAX_ITERATIONS, TOLERANCE};
use crate::params::{Args, ParamInfo};
use crate::plan::Plan;
use crate::session::Session;
use crate::shape::Shape;
use crate::spec::{ColumnInfo, Model, Requirements, Spec, Statistic, Weights};
use crate::weights::UNWEIGHTED;
use outcrop_engine::Engine;
use outcrop_types::{Direction, Result};

/// Hubs and authorities.
pub struct Hits;

static SPEC: Spec = Spec {
    name: "hits",
    python_name: "hits",
    summary: "Hubs and authorities (HITS): the singular vectors of the adjacency matrix for its largest singular value",
    paper: "Kleinberg: Authoritative Sources in a Hyperlinked Environment, JACM 1999",
    weights: Weights::ByDefault,
    columns: &[
        ColumnInfo { name: "hub", meaning: "sum over out-edges of weight times authority, scaled so that all values sum to 1" },
        ColumnInfo { name: "authority", meaning: "sum over in-edges of weight times hub value, scaled so that all values sum to 1" },
    ],
    statistics: &[("highest hub value", Statistic::Most)],
    details: "
        A good hub has edges to good authorities, and a good authority has edges from good hubs: the hub values are proportional to the
        sums of the authorities over out-edges, and the authorities to the sums of the hub values over in-edges. Both sum to 1. They are
        the same in an undirected graph with a cycle of odd length in each component. In a weighted graph, edges count by weight, which must
        be 0 or from 1e-280 to 1e270, unless --unweighted is given. Each stored copy of a repeated edge counts.

        Power iteration starts from equal hub values. A run converges when the sum of absolute changes of the hub values, scaled to Euclidean
        norm 1, falls below --tol; it fails if --max-iter comes first. If several vectors belong to the largest singular value, the result
        is the one nearest to equal values.
    ",
    example: r#"
        >>> g = oc.build([(1, 3), (2, 3), (2, 4)], "links.outcrop")
        >>> [(row["node"], round(row["hub"], 3)) for row in oc.hits(g).top(2)]
        [(2, 0.618), (1, 0.382)]
    "#,
    ..Spec::DEFAULT
};

fn hits(engine: &Engine<'_>, run: &Session<'_>, limits: Limits, weighted: bool) -> Result<Outcome> {
    let equal = 1.0 / f64::from(engine.vertices()).sqrt();
    let hubs = engine.vertex_values(|_| AtomicFloat::new(equal))?;
    let zeros = || engine.vertex_values(|_| AtomicFloat::new(0.0));
    let (authorities, next) = (zeros()?, zeros()?);
    let summands = Summands::default();
    let weights = ProductWeights::summands(weighted, &summands);
    let outcome = iterate(engine, limits, &hubs, || {
        multiply(engine, Direction::In, &hubs, &authorities, weights, |_, sum| sum)?;
        summands.refused.check(|edge| run.refused_weight(edge, &SPEC.needs_summands()))?;
        if weighted {
            // So that values are proportional to weights, and not to their squares.
            divide(engine, &authorities, norm(engine, &authorities));
        }
        multiply(engine, Direction::Out, &authorities, &next, weights, |_, sum| sum)?;
        Ok(replace(engine, &hubs, &next, norm(engine, &next)))
    })?;
    drop(next);
    for vector in [&hubs, &authorities] {
        divide(engine, vector, divisor(engine.sum(|vertex| at(vector, vertex))));
    }
    Ok(Outcome { columns: vec![column("hub", hubs), column("authority", authorities)], ..outcome })
}

impl Algorithm for Hits {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn params(&self) -> &'static [&'static ParamInfo] {
        const { &[&TOLERANCE.info, &MAX_ITERATIONS.info, &UNWEIGHTED.info] }
    }

    fn plan(&self, model: Model, shape: &Shape, args: &Args) -> Result<Option<Plan>> {
        let (limits, weighted) = (Limits::of(args)?, SPEC.weights.count(args)?);
        planned(model, Requirements::BOTH_LISTS, memory(shape.vertices, 3), move |engine, run| {
            hits(engine, run, limits, weighted)
        })
    }
}
