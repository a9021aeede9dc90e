//! From a request to the call of an algorithm, where that takes more than a line.

use crate::parameters::NamedVertices;
use crate::run::Run;
use outcrop_algorithms::{Outcome, bc};
use outcrop_engine::Engine;
use outcrop_store::access::Adjacency;
use outcrop_types::{Error, Result, VertexId};
use std::collections::HashSet;

pub(crate) fn betweenness<A: Adjacency>(
    run: &Run<'_>,
    engine: &Engine<'_, A>,
    named: &NamedVertices,
) -> Result<Outcome> {
    let vertices = engine.vertices();
    let mut seen = HashSet::new();
    let given: Vec<VertexId> = match run.request.samples {
        Some(_) => Vec::new(),
        None => named.sources.iter().copied().filter(|source| seen.insert(*source)).collect(),
    };
    let sources = if run.request.samples.is_some() { &named.sources } else { &given };
    let all = run.request.sources.is_empty() && run.request.samples.is_none_or(|samples| samples >= vertices);
    if run.request.samples.is_none() && all && vertices > bc::MOST_UNASKED {
        let message = format!(
            "betweenness from all {vertices} vertices would take that many searches: ask for a sample, such as \
             --samples 100, or for all with --samples {vertices}"
        );
        return Err(Error::Usage(message));
    }
    let parameters = bc::Parameters {
        sources: (!all).then_some(sources),
        normalized: run.request.normalized(),
        directed: run.graph.store.manifest().directed,
    };
    bc::bc(engine, &parameters)
}
