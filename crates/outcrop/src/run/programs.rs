//! Runs requests as programs of the interval model.

use super::{Finished, IntervalWork, Run};
use crate::graph::Graph;
use crate::parameters::NamedVertices;
use crate::request::RunRequest;
use crate::vector::VertexVector;
use outcrop_algorithms::interval::{Place, Real, bfs, pagerank, spmv, sssp, wcc};
use outcrop_algorithms::registry::{Model, Precision};
use outcrop_algorithms::{Algorithm, AtomicFloat, Outcome, Ranks};
use outcrop_engine::interval::{IntervalEngine, IntervalValues, Storage};
use outcrop_store::layout::StoredLists;
use outcrop_types::{Error, Result, Stopwatch};
use std::sync::atomic::{AtomicU32, AtomicU64};

impl Graph {
    /// What `request` asks for in the interval model; `None` of an algorithm that is not written in it.
    pub(super) fn interval_work(&self, request: &RunRequest, on_disk: bool) -> Option<IntervalWork> {
        let place = Place { vertices: self.num_vertices(), weighted: self.store.manifest().weighted, on_disk };
        let along = request.multiplied_along();
        let work = match (request.algorithm, request.precision()) {
            (Algorithm::Bfs, _) => bfs::work(place),
            (Algorithm::Wcc, _) => wcc::work(place),
            (Algorithm::Sssp, Precision::Double) => sssp::work::<f64>(place),
            (Algorithm::Sssp, Precision::Single) => sssp::work::<f32>(place),
            (Algorithm::PageRank, Precision::Double) => pagerank::work::<f64>(place),
            (Algorithm::PageRank, Precision::Single) => pagerank::work::<f32>(place),
            (Algorithm::Spmv, Precision::Double) => spmv::work::<f64>(place, along),
            (Algorithm::Spmv, Precision::Single) => spmv::work::<f32>(place, along),
            _ => return None,
        };
        Some(IntervalWork { needs: request.needs(Model::Interval), demand: work.demand, value_bytes: work.value_bytes })
    }
}

impl Run<'_> {
    pub(super) fn execute_by_intervals(
        &self,
        lists: &[StoredLists],
        named: &NamedVertices,
        vector: Option<VertexVector>,
    ) -> Result<Finished> {
        let (graph, request) = (self.graph, self.request);
        let missing = || Error::Usage(format!("{} has no program", request.algorithm.specification().name));
        let work = graph.interval_work(request, self.way.on_disk).ok_or_else(missing)?;
        let ranks = self.ranks(work.needs)?;
        let unmade = work.vectors() - vector.as_ref().map_or(0, VertexVector::bytes);
        let options = (request.schedule, self.spill.as_ref());
        let engine = graph.interval_engine((&work, unmade), lists, options, (self.budget, self.observer))?;
        let watch = Stopwatch::start();
        let outcome = self.run_program(&engine, named, (Ranks(ranks.as_ref()), vector))?;
        let (seconds, seconds_scheduling) = (watch.seconds(), engine.seconds_scheduling());
        let (figures, value_traffic) = (engine.figures(), engine.value_traffic());
        Ok(Finished { seconds_scheduling, value_traffic, ..Finished::new(outcome, seconds, figures) })
    }

    fn run_program(
        &self,
        engine: &IntervalEngine<'_>,
        named: &NamedVertices,
        (ranks, vector): (Ranks<'_>, Option<VertexVector>),
    ) -> Result<Outcome> {
        match (self.request.algorithm, self.request.precision()) {
            (Algorithm::Bfs, _) => bfs::bfs(engine, &named.sources, ranks),
            (Algorithm::Wcc, _) => wcc::wcc(engine, ranks),
            (Algorithm::Sssp, Precision::Double) => self.shortest_paths::<f64>(engine, named, ranks),
            (Algorithm::Sssp, Precision::Single) => self.shortest_paths::<f32>(engine, named, ranks),
            (Algorithm::Spmv, _) => self.product(engine, vector),
            (_, Precision::Double) => pagerank::pagerank::<f64>(engine, &self.walk(named)),
            (_, Precision::Single) => pagerank::pagerank::<f32>(engine, &self.walk(named)),
        }
    }

    fn shortest_paths<F: Real>(
        &self,
        engine: &IntervalEngine<'_>,
        named: &NamedVertices,
        ranks: Ranks<'_>,
    ) -> Result<Outcome> {
        sssp::sssp::<F>(engine, &named.sources, ranks, |edge| self.negative_weight(edge, ranks))
    }

    fn product(&self, engine: &IntervalEngine<'_>, vector: Option<VertexVector>) -> Result<Outcome> {
        let along = self.request.multiplied_along();
        let double = |storage| spmv::spmv::<f64>(engine, &IntervalValues::from_storage(storage), along);
        let single = |storage| spmv::spmv::<f32>(engine, &IntervalValues::from_storage(storage), along);
        match vector {
            Some(VertexVector::Double(vector)) => double(Storage::Memory(vector.map(AtomicU64::into_plain))),
            Some(VertexVector::DoubleFile(vector)) => double(Storage::Disk(vector)),
            Some(VertexVector::Single(vector)) => single(Storage::Memory(vector.map(AtomicU32::into_plain))),
            Some(VertexVector::SingleFile(vector)) => single(Storage::Disk(vector)),
            None => Err(Error::Usage("spmv needs a vector".to_owned())),
        }
    }
}
