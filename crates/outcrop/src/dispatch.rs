//! From a request to the call of an algorithm, where that takes more than a line.

use crate::method::Method as Choice;
use crate::parameters::NamedVertices;
use crate::run::Run;
use crate::vector::VertexVector;
use outcrop_algorithms::registry::Precision;
use outcrop_algorithms::sssp::Method;
use outcrop_algorithms::{Outcome, Ranks, Values, bc, pagerank, pagerank_delta, ppr, spmv, sssp};
use outcrop_engine::Engine;
use outcrop_types::{Error, Result};
use std::sync::atomic::{AtomicU32, AtomicU64};

impl Run<'_> {
    /// The parameters of PageRank.
    pub(crate) fn walk<'n>(&self, named: &'n NamedVertices) -> pagerank::Parameters<'n> {
        pagerank::Parameters {
            alpha: self.request.alpha(),
            stop: self.request.stop(),
            personalization: named.personalization.as_deref(),
        }
    }
}

pub(crate) fn pagerank(run: &Run<'_>, engine: &Engine<'_>, named: &NamedVertices) -> Result<Outcome> {
    let degrees = run.out_degrees()?;
    let parameters = run.walk(named);
    match (run.request.delta, run.request.precision()) {
        (None, Precision::Double) => pagerank::pagerank::<AtomicU64>(engine, degrees, &parameters, Values::Float64),
        (None, Precision::Single) => pagerank::pagerank::<AtomicU32>(engine, degrees, &parameters, Values::Float32),
        (Some(delta), Precision::Double) => {
            pagerank_delta::pagerank_delta::<AtomicU64>(engine, degrees, &parameters, delta, Values::Float64)
        }
        (Some(delta), Precision::Single) => {
            pagerank_delta::pagerank_delta::<AtomicU32>(engine, degrees, &parameters, delta, Values::Float32)
        }
    }
}

pub(crate) fn sssp(run: &Run<'_>, engine: &Engine<'_>, named: &NamedVertices, ranks: Ranks<'_>) -> Result<Outcome> {
    let refuse = |edge| run.negative_weight(edge, ranks);
    // Where every edge counts 1, distances fall in order by themselves.
    let method = match run.request.method {
        Some(Choice::BellmanFord) => Method::BellmanFord,
        None if run.request.bucket_width.is_none() && !run.graph.store.manifest().weighted => Method::BellmanFord,
        _ => Method::DeltaStepping(run.request.bucket_width.unwrap_or_default()),
    };
    let sources = &named.sources;
    match run.request.precision() {
        Precision::Double => sssp::sssp::<AtomicU64>(engine, sources, ranks, method, Values::Float64, refuse),
        Precision::Single => sssp::sssp::<AtomicU32>(engine, sources, ranks, method, Values::Float32, refuse),
    }
}

pub(crate) fn spmv(run: &Run<'_>, engine: &Engine<'_>, vector: Option<VertexVector>) -> Result<Outcome> {
    let along = run.request.multiplied_along();
    match vector {
        Some(VertexVector::Double(vector)) => spmv::spmv(engine, vector, along, Values::Float64),
        Some(VertexVector::Single(vector)) => spmv::spmv(engine, vector, along, Values::Float32),
        Some(VertexVector::DoubleFile(_) | VertexVector::SingleFile(_)) | None => {
            Err(Error::Usage("spmv needs a vector".to_owned()))
        }
    }
}

pub(crate) fn ppr(run: &Run<'_>, engine: &Engine<'_>, named: &NamedVertices) -> Result<Outcome> {
    let degrees = run.out_degrees()?;
    let source = named.sources.first().copied().ok_or_else(|| Error::Usage("ppr needs a --source".to_owned()))?;
    let parameters = ppr::Parameters { source, alpha: run.request.alpha(), tolerance: run.request.tolerance() };
    match run.request.precision() {
        Precision::Double => ppr::ppr::<AtomicU64>(engine, degrees, &parameters, Values::Float64),
        Precision::Single => ppr::ppr::<AtomicU32>(engine, degrees, &parameters, Values::Float32),
    }
}

pub(crate) fn betweenness(run: &Run<'_>, engine: &Engine<'_>, named: &NamedVertices) -> Result<Outcome> {
    let vertices = engine.vertices();
    let all = run.request.sources.is_empty() && run.request.samples.is_none_or(|samples| samples >= vertices);
    if run.request.samples.is_none() && all && vertices > bc::MOST_UNASKED {
        let message = format!(
            "betweenness from all {vertices} vertices would take that many searches: ask for a sample, such as \
             --samples 100, or for all with --samples {vertices}"
        );
        return Err(Error::Usage(message));
    }
    let parameters = bc::Parameters {
        sources: (!all).then_some(&named.sources),
        normalized: run.request.normalized(),
        directed: run.graph.store.manifest().directed,
        batch: run.batch,
    };
    bc::bc(engine, &parameters)
}
