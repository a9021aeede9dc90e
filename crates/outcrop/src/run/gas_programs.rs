//! Runs requests as programs on values of edges.

use super::gas::{GasWork, gas_needs};
use super::{Finished, Reading, Run};
use crate::graph::Graph;
use crate::parameters::NamedVertices;
use crate::request::RunRequest;
use crate::vector::VertexVector;
use outcrop_algorithms::gas::{BadValue, Place, bfs, bp, heat, pagerank, pagerank_delta, sssp, wcc};
use outcrop_algorithms::registry::{Model, Precision};
use outcrop_algorithms::{Algorithm, AtomicFloat, Outcome, Ranks};
use outcrop_engine::gas::GasEngine;
use outcrop_types::{Error, Location, Result, Stopwatch, VertexValues};
use std::sync::atomic::AtomicU64;

impl Graph {
    /// What `request` asks for in the model of values on edges; `None` of an algorithm that is not written in it.
    pub(super) fn gas_work(&self, request: &RunRequest, on_disk: bool) -> Option<GasWork> {
        let place = Place { vertices: self.num_vertices(), weighted: self.store.manifest().weighted, on_disk };
        let single = request.precision() == Precision::Single;
        let work = match (request.algorithm, single) {
            (Algorithm::Bfs, _) => bfs::work(place),
            (Algorithm::Wcc, _) => wcc::work(place),
            (Algorithm::Heat, _) => heat::work(place),
            (Algorithm::Sssp, false) => sssp::work::<f64>(place),
            (Algorithm::Sssp, true) => sssp::work::<f32>(place),
            (Algorithm::Beliefs, false) => bp::work::<f64>(place),
            (Algorithm::Beliefs, true) => bp::work::<f32>(place),
            (Algorithm::PageRank, false) if request.delta.is_some() => pagerank_delta::work::<f64>(place),
            (Algorithm::PageRank, true) if request.delta.is_some() => pagerank_delta::work::<f32>(place),
            (Algorithm::PageRank, false) => pagerank::work::<f64>(place),
            (Algorithm::PageRank, true) => pagerank::work::<f32>(place),
            _ => return None,
        };
        Some(GasWork {
            needs: gas_needs(work.demand.along),
            demand: work.demand,
            options: request.gas_options(),
            result_bytes: work.result_bytes,
            vector_bytes: if matches!(request.algorithm, Algorithm::Beliefs | Algorithm::Heat) { 8 } else { 0 },
            beside: self.rank_bytes(request, Model::Gas) + NamedVertices::planned_bytes(request, self.num_vertices()),
        })
    }
}

impl Run<'_> {
    /// Opens shards, and runs the program on them.
    pub(super) fn execute_on_shards(
        &self,
        named: &NamedVertices,
        vector: Option<VertexVector>,
    ) -> Result<(Finished, Reading)> {
        let (graph, request) = (self.graph, self.request);
        let missing = || Error::Usage(format!("{} has no program", request.algorithm.specification().name));
        let work = graph.gas_work(request, self.way.on_disk).ok_or_else(missing)?;
        let spill = self.spill.as_ref().ok_or_else(|| Error::Usage("shards need a folder".to_owned()))?;
        let mut shards = graph.open_shards(&work, spill, (self.budget, self.observer))?;
        let ranks = self.ranks(request.needs(self.way.model))?;
        self.begin();
        let (read, seconds, reading) = (shards.figures, shards.seconds, shards.reading);
        let prepared_bytes = shards.written_bytes();
        let arrivals = graph.arrivals(request.arrivals.as_ref(), work.demand.along, self.budget)?;
        let engine = graph.gas_engine(&work, (&mut shards, &arrivals), spill, (self.budget, self.observer))?;
        let watch = Stopwatch::start();
        let outcome = self.run_gas_program(&engine, named, (Ranks(ranks.as_ref()), vector))?;
        let mut gas = engine.gas_figures();
        gas.prepared_bytes = prepared_bytes;
        let (values_read, values_written) = engine.value_traffic();
        let value_traffic = (values_read + gas.bytes_read, values_written + gas.bytes_written + prepared_bytes);
        let finished = Finished::new(outcome, watch.seconds(), read + engine.figures());
        Ok((Finished { value_traffic, gas: Some((gas, seconds)), ..finished }, reading))
    }

    fn run_gas_program(
        &self,
        engine: &GasEngine<'_>,
        named: &NamedVertices,
        (ranks, vector): (Ranks<'_>, Option<VertexVector>),
    ) -> Result<Outcome> {
        let refuse_edge = |edge| self.negative_weight(edge, ranks);
        match (self.request.algorithm, self.request.precision()) {
            (Algorithm::Bfs, _) => bfs::bfs(engine, &named.sources, ranks),
            (Algorithm::Wcc, _) => wcc::wcc(engine, ranks),
            (Algorithm::Sssp, Precision::Double) => sssp::sssp::<f64>(engine, &named.sources, ranks, refuse_edge),
            (Algorithm::Sssp, Precision::Single) => sssp::sssp::<f32>(engine, &named.sources, ranks, refuse_edge),
            (Algorithm::Beliefs | Algorithm::Heat, _) => self.field(engine, begun(vector)?),
            _ => self.ranks_on_edges(engine, named),
        }
    }

    fn ranks_on_edges(&self, engine: &GasEngine<'_>, named: &NamedVertices) -> Result<Outcome> {
        let parameters = self.walk(named);
        match (self.request.delta, self.request.precision()) {
            (None, Precision::Double) => pagerank::pagerank::<f64>(engine, &parameters),
            (None, Precision::Single) => pagerank::pagerank::<f32>(engine, &parameters),
            (Some(delta), Precision::Double) => pagerank_delta::pagerank_delta::<f64>(engine, &parameters, delta),
            (Some(delta), Precision::Single) => pagerank_delta::pagerank_delta::<f32>(engine, &parameters, delta),
        }
    }

    /// Beliefs from prior probabilities, or temperatures from those of the start.
    fn field(&self, engine: &GasEngine<'_>, values: VertexValues<f64>) -> Result<Outcome> {
        let refuse = |value: BadValue| {
            let message = format!("the value {} of some vertex is beyond what can be computed with", value.value);
            Error::bad_input(Location::file("the vector"), message)
        };
        if self.request.algorithm == Algorithm::Heat {
            let tolerance = self.request.tolerance.unwrap_or(0.0);
            let parameters = heat::Parameters { rate: self.request.rate, steps: self.request.steps(), tolerance };
            return heat::heat(engine, values, parameters, refuse);
        }
        let parameters = bp::Parameters {
            coupling: self.request.coupling(),
            damping: self.request.damping(),
            tolerance: self.request.tolerance(),
            at_most: self.request.most_iterations(),
        };
        match self.request.precision() {
            Precision::Double => bp::bp::<f64>(engine, values, parameters, refuse),
            Precision::Single => bp::bp::<f32>(engine, values, parameters, refuse),
        }
    }
}

/// The values that vertices begin with.
fn begun(vector: Option<VertexVector>) -> Result<VertexValues<f64>> {
    match vector {
        Some(VertexVector::Double(values)) => Ok(values.map(AtomicU64::into_plain)),
        _ => Err(Error::Usage("there is no --vector to begin with".to_owned())),
    }
}
