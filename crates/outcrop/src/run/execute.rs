//! Opens what a run reads, makes the engine of its model, and has the algorithm run on it.

use super::gas::GasWork;
use super::named_vertices::NamedVertices;
use super::{Finished, ModelWork, Reading, Run};
use crate::graph::Graph;
use crate::lists;
use outcrop_algorithms::{GraphTables, IdOrder, ModelEngine, Needs, Outcome, Session, VertexVector};
use outcrop_engine::Engine;
use outcrop_store::RankReader;
use outcrop_store::layout::{StoredLists, degrees};
use outcrop_types::{Direction, Error, Phase, ProgressUnit, Result, Stopwatch, VertexId, VertexRange, VertexValues};

impl GraphTables for Run<'_> {
    fn degrees(&self, direction: Direction) -> Result<VertexValues<u32>> {
        let Graph { store, workers, io, .. } = self.graph;
        degrees(store, direction, *io, self.budget, workers.cancellation())
    }

    fn name_of(&self, vertex: VertexId) -> Result<String> {
        let Graph { store, io, .. } = self.graph;
        let mut rank = vec![vertex];
        if let Some(mut ranks) = RankReader::open(store, *io)? {
            ranks.read(VertexRange::new(vertex, vertex.saturating_add(1)), &mut rank)?;
        }
        crate::result::name_of_rank(store, *io, rank.first().copied().unwrap_or(vertex))
    }

    fn place(&self) -> String {
        self.graph.store.folder().display().to_string()
    }
}

impl Run<'_> {
    pub(super) fn execute_on_lists(
        &self,
        named: &NamedVertices,
        vector: Option<VertexVector>,
    ) -> Result<(Finished, Reading)> {
        let mut lists = self.open_lists(vector.as_ref())?;
        lists.show_weights(self.weighted()?);
        if self.planned.reads_most_lists {
            self.observer.phase(&Phase { name: "loading lists", unit: ProgressUnit::Bytes, total: None });
            lists.load()?;
        }
        self.begin();
        let ranks = self.ranks(self.planned.needs)?;
        let ranks = IdOrder(ranks.as_ref());
        let finished = match &self.planned.work {
            ModelWork::EdgeMap(work) => {
                let rest = self.graph.memory.saturating_sub(self.plan.total());
                let held = work.held.least + self.graph.held_beyond_least(work, rest);
                self.map_edges(&lists, ranks, named, vector, held)
            }
            ModelWork::Interval(work) => {
                let unmade = work.vectors() - vector.as_ref().map_or(0, VertexVector::bytes);
                let engine = self.interval_engine(work, &lists, unmade)?;
                let watch = Stopwatch::start();
                let outcome = self.compute(ModelEngine::Interval(&engine), ranks, named, vector)?;
                let (seconds, seconds_scheduling) = (watch.seconds(), engine.seconds_scheduling());
                let (figures, value_traffic) = (engine.figures(), engine.value_traffic());
                Ok(Finished { seconds_scheduling, value_traffic, ..Finished::new(outcome, seconds, figures) })
            }
            ModelWork::Messages(work) => {
                let engine = self.message_engine(work, &lists)?;
                let watch = Stopwatch::start();
                let mut outcome = self.compute(ModelEngine::Messages(&engine), ranks, named, vector)?;
                let (seconds, figures) = (watch.seconds(), engine.figures());
                let (messages, (read, written)) = (engine.message_figures(), engine.value_traffic());
                drop(engine);
                // The engine counts logs of messages with values.
                let value_traffic =
                    (read.saturating_sub(messages.log_bytes_read), written + messages.edge_log_bytes_written);
                let rows = outcome.walks.take().map(|records| self.step_rows(records)).transpose()?;
                let finished = Finished::new(outcome, seconds, figures);
                Ok(Finished { value_traffic, messages: Some(messages), rows, ..finished })
            }
            ModelWork::Gas(_) => Err(Error::internal("the model gas reads shards")),
        }?;
        let reading = Reading::of(&lists);
        if let Some(warm) = self.warm {
            warm.put(lists);
        }
        Ok((finished, reading))
    }

    /// Runs the algorithm as maps over edges.
    fn map_edges(
        &self,
        lists: &[StoredLists],
        ranks: IdOrder<'_>,
        named: &NamedVertices,
        vector: Option<VertexVector>,
        held: u64,
    ) -> Result<Finished> {
        let (out, into) = lists::sides(lists, self.planned.needs);
        let Run { graph, budget, observer, .. } = *self;
        let engine = Engine::new(graph.num_vertices(), out, into, &graph.workers, budget, observer)
            .scheduled_by(self.scheduler()?);
        let watch = Stopwatch::start();
        let session = self.session(ModelEngine::EdgeMap(&engine), ranks, named, vector);
        let session = Session { lists: [out, into], held, ..session };
        let outcome = self.request.algorithm().run(session, self.request.args())?;
        let (seconds, seconds_scheduling) = (watch.seconds(), engine.seconds_scheduling());
        Ok(Finished { seconds_scheduling, ..Finished::new(outcome, seconds, engine.figures()) })
    }

    /// Opens shards, and runs the algorithm on them.
    pub(super) fn execute_on_shards(
        &self,
        work: &GasWork,
        named: &NamedVertices,
        vector: Option<VertexVector>,
    ) -> Result<(Finished, Reading)> {
        let mut shards = self.open_shards(work)?;
        let ranks = self.ranks(self.planned.needs)?;
        self.begin();
        let (read, seconds, reading) = (shards.figures, shards.seconds, shards.reading);
        let prepared_bytes = shards.written_bytes();
        let arrivals = self.graph.arrivals(self.request.arrivals()?.as_ref(), work.demand.along, self.budget)?;
        let engine = self.gas_engine(work, &mut shards, &arrivals)?;
        let watch = Stopwatch::start();
        let outcome = self.compute(ModelEngine::Gas(&engine), IdOrder(ranks.as_ref()), named, vector)?;
        let mut gas = engine.gas_figures();
        gas.prepared_bytes = prepared_bytes;
        let (values_read, values_written) = engine.value_traffic();
        let value_traffic = (values_read + gas.bytes_read, values_written + gas.bytes_written + prepared_bytes);
        let finished = Finished::new(outcome, watch.seconds(), read + engine.figures());
        Ok((Finished { value_traffic, gas: Some((gas, seconds)), ..finished }, reading))
    }

    fn compute(
        &self,
        engine: ModelEngine<'_, '_>,
        ranks: IdOrder<'_>,
        named: &NamedVertices,
        vector: Option<VertexVector>,
    ) -> Result<Outcome> {
        self.request.algorithm().run(self.session(engine, ranks, named, vector), self.request.args())
    }

    /// The run as an algorithm sees it.
    fn session<'s, 'e>(
        &'s self,
        engine: ModelEngine<'s, 'e>,
        ranks: IdOrder<'s>,
        named: &'s NamedVertices,
        vector: Option<VertexVector>,
    ) -> Session<'s, 'e> {
        Session {
            engine,
            shape: self.graph.shape(self.way.on_disk),
            ranks,
            sources: &named.sources,
            source_names: &named.names,
            personalization: named.personalization.as_deref(),
            vector,
            lists: [None, None],
            held: 0,
            batch: self.batch.unwrap_or(1),
            graph: self,
        }
    }

    /// The ranks of vertices, where they are needed and are not the numbers of the vertices.
    fn ranks(&self, needs: Needs) -> Result<Option<VertexValues<u32>>> {
        let Graph { store, workers, io, .. } = self.graph;
        match needs.ranks {
            true => outcrop_store::ranks(store, *io, self.budget, workers.cancellation()),
            false => Ok(None),
        }
    }
}
