//! Reads the edges that arrive during a run from a file, before the memory of the run is divided: only then is their
//! number known.

use crate::graph::Graph;
use crate::request::{ArrivingEdges, RunRequest};
use crate::update::as_in;
use crate::update::edges::{NamedEdges, Origin};
use outcrop_algorithms::{Model, ModelWork};
use outcrop_engine::Directions;
use outcrop_formats::edges::{EdgeListOptions, open_edges};
use outcrop_gas::ArrivingArc;
use outcrop_store::OriginalIdReader;
use outcrop_types::{MemoryBudget, MemoryPlan, Purpose, Result, length_from};

/// Returns the memory of a list of `count` arriving edges, in bytes. The engine needs more, which its plan contains.
pub(super) fn list_bytes(count: u64) -> u64 {
    count.saturating_mul(length_from(size_of::<ArrivingArc>()))
}

impl Graph {
    /// Reads the arriving edges of `request`. An undirected edge arrives in both directions, as does every edge if the
    /// program runs along both directions. All reservations are released: the caller reserves [`list_bytes`].
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, if the graph does not have an ID, or if the budget is too small for
    /// reading the edges, with enough memory for the whole run.
    pub(super) fn arrivals(&self, request: &RunRequest<'_>, budget: &MemoryBudget) -> Result<Vec<ArrivingArc>> {
        let Some(arriving) = request.arrivals()? else { return Ok(Vec::new()) };
        let store = &self.store;
        let text = as_in(store, true, EdgeListOptions::default());
        let text = EdgeListOptions { weight_type: None, timed: false, ..text };
        let inputs = [arriving.file.as_path().into()];
        let open = |budget: &_, threads| open_edges(&inputs, &text, budget, threads);
        let origin = Origin::Files(&inputs, &open);
        let named = NamedEdges::read(origin, store, self.workers.threads(), budget, self.cancellation())?;
        let both = !store.manifest().graph.directed || self.runs_both_ways(request)?;
        let (size, count) = (named.size, if both { 2 * named.size.edges } else { named.size.edges });
        let searching = || {
            let edges = MemoryPlan::new().with(Purpose::InputBuffers, size.bytes() + list_bytes(count));
            Ok(edges.with(Purpose::IoBuffers, OriginalIdReader::memory(store.manifest())))
        };
        let arrivals = named.accepted().and_then(|named| self.arriving_arcs(named, &arriving, both, budget));
        arrivals.map_err(|error| error.at_least(searching).at_least(|| Ok(self.choose(request, count, 0)?.plan)))
    }

    /// Returns true if the program of `request` runs along both directions.
    fn runs_both_ways(&self, request: &RunRequest<'_>) -> Result<bool> {
        let plan = request.algorithm().plan(Model::Gas, &self.shape(request, false), request.args())?;
        Ok(match plan.map(|plan| plan.work) {
            Some(ModelWork::Gas(work, _)) => work.requirements.along == Directions::Both,
            _ => false,
        })
    }

    /// Finds the vertices of edges that arrive after an iteration.
    fn arriving_arcs(
        &self,
        named: NamedEdges,
        ArrivingEdges { file, after }: &ArrivingEdges,
        both: bool,
        budget: &MemoryBudget,
    ) -> Result<Vec<ArrivingArc>> {
        let reader = budget.reserve(OriginalIdReader::memory(self.store.manifest()), Purpose::IoBuffers)?;
        let (edges, _held) = named.known(&self.store, file, self.io, budget, self.cancellation())?;
        drop(reader);
        let backwards = edges.iter().filter(|(source, target, _)| both && source != target);
        let count = edges.len() + backwards.clone().count();
        let _list = budget.reserve(list_bytes(length_from(count)), Purpose::InputBuffers)?;
        let mut arrivals = Vec::with_capacity(count);
        let arrival = |source, target, weight| ArrivingArc { after: *after, source, target, weight };
        arrivals.extend(edges.iter().map(|(source, target, weight)| arrival(*source, *target, *weight)));
        arrivals.extend(backwards.map(|(source, target, weight)| arrival(*target, *source, *weight)));
        Ok(arrivals)
    }
}
