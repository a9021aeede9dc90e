//! Runs requests as programs of the messages model.

use super::{Finished, MessageWork, Run};
use crate::graph::Graph;
use crate::parameters::NamedVertices;
use crate::request::RunRequest;
use crate::result::{StepRows, StepWriter};
use outcrop_algorithms::messages::{Place, bfs, cdlp, coloring, mis, pagerank, pagerank_delta, walks, wcc};
use outcrop_algorithms::registry::{Model, Precision};
use outcrop_algorithms::{Algorithm, Outcome, Ranks};
use outcrop_engine::messages::{MessageEngine, Records};
use outcrop_io::SpillFolder;
use outcrop_store::layout::StoredLists;
use outcrop_types::{Error, Purpose, Result, Stopwatch};

/// Bytes of a value in a column of a result, at the most.
const COLUMN_BYTES: u64 = 8;

/// Memory in which the steps of some walks are brought together, in bytes, if there is as much.
const SORTED_AT_ONCE: u64 = 64 << 20;

impl Graph {
    /// What `request` asks for in the messages model; `None` of an algorithm that is not written in it.
    pub(super) fn message_work(&self, request: &RunRequest, on_disk: bool) -> Option<MessageWork> {
        let place = Place { vertices: self.num_vertices(), weighted: self.store.manifest().weighted, on_disk };
        let (single, changes) = (request.precision() == Precision::Single, request.delta.is_some());
        let work = match request.algorithm {
            Algorithm::Bfs => bfs::work(place, request.messages.options().delivery),
            Algorithm::Wcc => wcc::work(place),
            Algorithm::PageRank => match (changes, single) {
                (false, false) => pagerank::work::<f64>(place),
                (false, true) => pagerank::work::<f32>(place),
                (true, false) => pagerank_delta::work::<f64>(place),
                (true, true) => pagerank_delta::work::<f32>(place),
            },
            Algorithm::LabelPropagation => cdlp::work(place, request.by_weights()),
            Algorithm::Coloring => coloring::work(place),
            Algorithm::IndependentSet => mis::work(place),
            // Which vertices are named makes no difference.
            Algorithm::Walks => walks::work(place, &request.starts(&vec![0; request.sources.len()]), &request.choice()),
            _ => return None,
        };
        let (needs, (keys, _)) = (request.needs(Model::Messages), work.demand.records);
        let records = u64::from(keys) * (u64::from(request.length()) + 1);
        let (demand, value_bytes) = (work.demand, work.value_bytes);
        Some(MessageWork { needs, demand, value_bytes, column_bytes: COLUMN_BYTES, records })
    }
}

impl Run<'_> {
    pub(super) fn execute_by_messages(&self, lists: &[StoredLists], named: &NamedVertices) -> Result<Finished> {
        let (graph, request) = (self.graph, self.request);
        let missing = || Error::Usage(format!("{} has no program", request.algorithm.specification().name));
        let work = graph.message_work(request, self.way.on_disk).ok_or_else(missing)?;
        let spill = self.spill.as_ref().ok_or_else(|| Error::Usage("messages need a folder".to_owned()))?;
        let ranks = self.ranks(work.needs)?;
        let options = (request.messages.options(), spill);
        let engine = graph.message_engine(&work, lists, options, (self.budget, self.observer))?;
        let watch = Stopwatch::start();
        let (outcome, records) = self.run_message_program(&engine, named, Ranks(ranks.as_ref()))?;
        let (seconds, figures) = (watch.seconds(), engine.figures());
        let (messages, (read, written)) = (engine.message_figures(), engine.value_traffic());
        drop(engine);
        // The engine counts logs of messages with values.
        let value_traffic = (read.saturating_sub(messages.log_bytes_read), written + messages.edge_log_bytes_written);
        let rows = (request.algorithm == Algorithm::Walks).then(|| self.step_rows(records, spill)).transpose()?;
        Ok(Finished { value_traffic, messages: Some(messages), rows, ..Finished::new(outcome, seconds, figures) })
    }

    fn run_message_program(
        &self,
        engine: &MessageEngine<'_>,
        named: &NamedVertices,
        ranks: Ranks<'_>,
    ) -> Result<(Outcome, Option<Records<walks::Record>>)> {
        let request = self.request;
        let outcome = match request.algorithm {
            Algorithm::Bfs => bfs::bfs(engine, &named.sources, ranks, request.messages.options().delivery),
            Algorithm::Wcc => wcc::wcc(engine, ranks),
            Algorithm::LabelPropagation => cdlp::cdlp(engine, ranks, request.rounds(), request.by_weights()),
            Algorithm::Coloring => coloring::coloring(engine, ranks, request.seed()),
            Algorithm::IndependentSet => mis::mis(engine, ranks, request.seed()),
            Algorithm::Walks => {
                let starts = request.starts(&named.sources);
                return walks::walks(engine, &starts, ranks, request.length(), &request.choice());
            }
            _ => self.message_ranks(engine, named),
        }?;
        Ok((outcome, None))
    }

    fn message_ranks(&self, engine: &MessageEngine<'_>, named: &NamedVertices) -> Result<Outcome> {
        let parameters = self.walk(named);
        match (self.request.delta, self.request.precision()) {
            (None, Precision::Double) => pagerank::pagerank::<f64>(engine, &parameters),
            (None, Precision::Single) => pagerank::pagerank::<f32>(engine, &parameters),
            (Some(delta), Precision::Double) => pagerank_delta::pagerank_delta::<f64>(engine, &parameters, delta),
            (Some(delta), Precision::Single) => pagerank_delta::pagerank_delta::<f32>(engine, &parameters, delta),
        }
    }

    /// Walks as rows, those of each in the order of steps.
    fn step_rows(&self, records: Option<Records<walks::Record>>, spill: &SpillFolder) -> Result<StepRows> {
        let _held = self.budget.reserve(StepWriter::MEMORY_BYTES, Purpose::Results)?;
        let mut writer = StepWriter::create(spill)?;
        if let Some(records) = records {
            records.for_each_block(SORTED_AT_ONCE, |walks, starts, steps| {
                for (walk, ends) in walks.iter().zip(starts.windows(2)) {
                    let [from, to] = [ends[0], ends[1]].map(|end| end as usize);
                    let steps = steps.get_mut(from..to).unwrap_or_default();
                    steps.sort_unstable();
                    steps.iter().try_for_each(|[step, rank]| writer.push([walk, *step, *rank]))?;
                }
                Ok(())
            })?;
        }
        writer.finish()
    }
}

impl RunRequest {
    /// Whether labels count by the weights of edges.
    fn by_weights(&self) -> bool {
        self.weighted.unwrap_or(false)
    }

    /// How often labels are handed on, at the most.
    pub(crate) fn rounds(&self) -> u32 {
        self.iterations.or(self.max_iterations).unwrap_or(cdlp::ITERATIONS)
    }

    /// Steps of a walk.
    pub(crate) fn length(&self) -> u32 {
        self.length.unwrap_or(walks::LENGTH)
    }

    /// Where walks start, at the vertices that are named or at every so many.
    fn starts(&self, named: &[u32]) -> walks::Starts {
        match named {
            [] => walks::Starts::Every(self.every()),
            named => walks::Starts::at(named),
        }
    }

    /// Of how many vertices one is a start.
    pub(crate) fn every(&self) -> u32 {
        self.every.unwrap_or(walks::EVERY)
    }

    /// How walks choose their next vertex.
    pub(crate) fn choice(&self) -> walks::Choice {
        walks::Choice {
            seed: self.seed(),
            restart: self.restart.unwrap_or(0.0),
            p: self.return_parameter.unwrap_or(1.0),
            q: self.in_out_parameter.unwrap_or(1.0),
        }
    }
}
