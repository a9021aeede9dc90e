//! Eigenvector centrality.
//!
//! Definition: the entries of a nonnegative vector x of Euclidean norm 1 with A^T x = lambda x for the eigenvalue
//! lambda of largest absolute value, where A(u, v) is the weight of the edge from u to v. Duplicate edges count with
//! their multiplicity; an edge of an undirected graph counts in both directions, a loop once.
//!
//! Papers: Bonacich, Journal of Mathematical Sociology 1972; power iteration with A^T + I, which also converges in
//! bipartite graphs, from equal values. If all weights are below 1, I is multiplied by the largest, so that the unit of
//! the weights does not matter.
//!
//! Returns: `eigenvector` (f64), never null.
//!
//! Memory: 16 bytes per vertex, and the index of the in-lists.
//!
//! Passes over the edges: one per iteration.
//!
//! Deviations: sums are in the order of the lists, in the pieces of the layout, and in fixed blocks of vertices, so the
//! result does not depend on threads. Other orders and layouts agree up to rounding.

use super::iteration::{Limits, iterate, planned};
use super::product::{ProductWeights, Summands, add, at, column, memory, multiply, norm, replace};
use crate::AtomicFloat;
use crate::algorithm::Algorithm;
use crate::outcome::Outcome;
use crate::params::shared::{MAX_ITERATIONS, TOLERANCE};
use crate::params::{Args, ParamInfo};
use crate::plan::Plan;
use crate::session::Session;
use crate::shape::Shape;
use crate::spec::{ColumnInfo, Model, Requirements, Spec, Statistic, Weights};
use crate::weights::WEIGHTED;
use outcrop_engine::Engine;
use outcrop_types::{Direction, Result};

/// Eigenvector centrality.
pub struct Eigenvector;

static SPEC: Spec = Spec {
    name: "eigenvector",
    python_name: "eigenvector_centrality",
    summary: "Eigenvector centrality: the nonnegative unit vector x with A.T x = c x for the largest c, A the adjacency matrix",
    paper: "Bonacich: Factoring and Weighting Approaches to Status Scores and Clique Identification, 1972",
    weights: Weights::OnRequest,
    columns: &[ColumnInfo { name: "eigenvector", meaning: "entry of the eigenvector, whose Euclidean norm is 1" }],
    statistics: &[("highest centrality", Statistic::Most)],
    details: "
        The centrality of a vertex is proportional to the sum of the centralities of its in-neighbors, multiplied by the weights of their
        edges with --weighted, which must be 0 or from 1e-280 to 1e270. Power iteration starts from equal values and adds the previous
        vector to each product, as in NetworkX, so that it also converges in bipartite graphs. If all weights are below 1, it is multiplied
        by the largest. Weights far above 1 make it negligible: if a run does not converge, build the store with weights of at most 1. Each stored copy of a repeated edge counts.

        A run converges when the sum of absolute changes falls below --tol (NetworkX multiplies its tolerance by the number of vertices);
        it fails if --max-iter comes first. If several eigenvectors belong to the largest eigenvalue, as in a graph of two equal
        components, the result is the one that equal values converge to. In a directed graph without cycles the only eigenvalue is 0, and
        the iteration converges slowly.
    ",
    example: r#"
        >>> g = oc.build([(1, 2), (2, 3)], "path.outcrop", directed=False)
        >>> {node: round(value, 4) for node, value in oc.eigenvector_centrality(g).to_dict().items()}
        {1: 0.5, 2: 0.7071, 3: 0.5}
    "#,
    ..Spec::DEFAULT
};

fn eigenvector(engine: &Engine<'_>, run: &Session<'_>, limits: Limits, weighted: bool) -> Result<Outcome> {
    let equal = 1.0 / f64::from(engine.vertices());
    let current = engine.vertex_values(|_| AtomicFloat::new(equal))?;
    let next = engine.vertex_values(|_| AtomicFloat::new(0.0))?;
    let summands = Summands::default();
    let weights = ProductWeights::summands(weighted, &summands);
    let outcome = iterate(engine, limits, &current, || {
        let before = |vertex| if weighted { 0.0 } else { at(&current, vertex) };
        multiply(engine, Direction::In, &current, &next, weights, |vertex, sum| before(vertex) + sum)?;
        summands.refused.check(|edge| run.refused_weight(edge, &SPEC.needs_summands()))?;
        if weighted {
            add(engine, &next, summands.largest_up_to_1(), &current);
        }
        Ok(replace(engine, &current, &next, norm(engine, &next)))
    })?;
    Ok(Outcome { columns: vec![column("eigenvector", current)], ..outcome })
}

impl Algorithm for Eigenvector {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn params(&self) -> &'static [&'static ParamInfo] {
        const { &[&TOLERANCE.info, &MAX_ITERATIONS.info, &WEIGHTED.info] }
    }

    fn plan(&self, model: Model, shape: &Shape, args: &Args) -> Result<Option<Plan>> {
        let (limits, weighted) = (Limits::of(args)?, SPEC.weights.count(args)?);
        planned(model, Requirements::IN_LISTS, memory(shape.vertices, 2), move |engine, run| {
            eigenvector(engine, run, limits, weighted)
        })
    }
}
