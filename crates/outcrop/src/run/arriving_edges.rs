//! Reads the edges that arrive during a run from a file.

use crate::graph::Graph;
use crate::request::ArrivingEdges;
use crate::update::as_in;
use crate::update::edges::{NamedEdges, Origin};
use outcrop_engine::Directions;
use outcrop_formats::edges::{EdgeListOptions, open_edges};
use outcrop_gas::ArrivingArc;
use outcrop_types::{MemoryBudget, Reservation, Result};

/// Arriving edges, and their reserved memory.
#[derive(Default)]
pub(crate) struct LoadedArrivals {
    pub(crate) edges: Vec<ArrivingArc>,
    _held: Vec<Reservation>,
}

impl Graph {
    /// Reads the arriving edges. An undirected edge arrives in both directions, as does every edge if the program runs
    /// `along` both directions.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, if the graph does not have an ID, or if the budget is too small.
    pub(crate) fn arrivals(
        &self,
        arriving: Option<&ArrivingEdges>,
        along: Directions,
        budget: &MemoryBudget,
    ) -> Result<LoadedArrivals> {
        let Some(ArrivingEdges { file, after }) = arriving else { return Ok(LoadedArrivals::default()) };
        let (store, cancellation) = (&self.store, self.cancellation());
        let text = as_in(store, true, EdgeListOptions::default());
        let text = EdgeListOptions { weight_type: None, timed: false, ..text };
        let inputs = [file.into()];
        let open = |budget: &_, threads| open_edges(&inputs, &text, budget, threads);
        let origin = Origin::Files(&inputs, &open);
        let named = NamedEdges::read(origin, store, self.workers.threads(), budget, cancellation)?.accepted()?;
        let (edges, held) = named.known(store, file, self.io, cancellation)?;
        let both = along == Directions::Both || !store.manifest().graph.directed;
        let back = |(source, target, weight): (u32, u32, f64)| (target, source, weight);
        let backwards = edges.iter().copied().filter(|edge| both && edge.0 != edge.1).map(back);
        let arrival = |(source, target, weight)| ArrivingArc { after: *after, source, target, weight };
        let edges = edges.iter().copied().chain(backwards).map(arrival).collect();
        Ok(LoadedArrivals { edges, _held: held })
    }
}
