//! Memory and disk that a run needs, and the model in which it runs.

mod machine_shortage;
mod time;

use machine_shortage::quoted;
pub(crate) use machine_shortage::room_in;
pub use machine_shortage::{MachineShortage, Shortage};
pub use time::RunTime;
pub(crate) use time::RunVariant;

use super::context::{Choice, ModelRun};
use super::gas::Gas;
use super::model::Planned;
use super::named_vertices::NamedVertices;
use super::purposes::{with_results, with_some};
use crate::checkpoints::copy_bytes;
use crate::graph::Graph;
use crate::lists::{self, cache_bytes_for_all};
use crate::memory_size::memory_of_machine;
use crate::request::{ExecutionPlan, RunRequest};
use crate::result::top_bytes;
use outcrop_algorithms::models::GasWork;
use outcrop_algorithms::params::gas_options;
use outcrop_algorithms::{ModelWork, Plan, Requirements, Shape};
use outcrop_io::Bandwidths;
use outcrop_store::layout::has_first_neighbors;
use outcrop_store::{Dedup, Order, SelfLoops};
use outcrop_types::{Direction, Error, MemoryPlan, Purpose, Result, VertexValues};
use serde::Serialize;

/// Needs of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The model that the run is in: the first whose plan the graph's memory holds, or else the one that needs least.
    pub model: &'static str,
    /// True if the values of vertices are in temporary files.
    pub values_on_disk: bool,
    /// The least budget that the run fits, in bytes: [`Estimate::plan`] summed.
    pub minimum: u64,
    /// Minimum memory that the run reserves, by purpose.
    pub plan: MemoryPlan,
    /// The budget with which every list that the run reads stays in memory, in bytes.
    pub all_in_memory: u64,
    /// Memory that holding the store's selections of these lists takes of what is left for caches, in bytes; 0 without
    /// selections.
    pub static_cache: u64,
    /// Maximum space for temporary files that the run needs, in bytes.
    pub temporary_bytes: u64,
    /// Lists that a pass over all of them reads, in bytes.
    pub lists_bytes: u64,
    /// The other models in which the run would be tried, in this order.
    pub others: Vec<Alternative>,
    /// Time that the run takes, where that of such runs was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<RunTime>,
    /// Machine that is too small for the run; none if it is large enough, or if a graph that is not there has more to
    /// say.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(rename = "outgrown")]
    pub shortage: Option<MachineShortage>,
}

/// Another way to run the same request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Alternative {
    /// The model.
    pub model: &'static str,
    /// True if the values of vertices are in temporary files.
    pub values_on_disk: bool,
    /// The least budget that it fits, in bytes.
    pub minimum: u64,
    /// Maximum space for temporary files that it needs, in bytes.
    pub temporary_bytes: u64,
}

/// Reason that a run goes by `plan` rather than by the `first`.
fn note(first: ExecutionPlan, plan: ExecutionPlan) -> String {
    let (wanted, model) = (first.model.name(), plan.model.name());
    match plan.on_disk {
        true => format!("vertex values do not fit in memory: using --model {model} --values disk"),
        false => format!("--model {wanted} does not fit in memory: using --model {model}"),
    }
}

impl Estimate {
    /// The first of `ways` that the memory of a machine holds, else the one that needs least, on a graph of so many
    /// vertices and entries; and the lists and tables that it needs.
    pub(crate) fn of(
        request: &RunRequest<'_>,
        mut ways: Vec<RunVariant>,
        extent: (u64, u64),
        machine: (u64, usize, &Bandwidths),
    ) -> Result<(Requirements, Self)> {
        let fits = ways.iter().position(|way| way.plan.total() <= machine.0);
        let least = || (0..ways.len()).min_by_key(|place| ways[*place].plan.total());
        let chosen = fits.or_else(least).ok_or_else(|| Error::internal("a valid request has no execution plan"))?;
        let way = ways.remove(chosen);
        let ((vertices, entries), (memory, threads, disk)) = (extent, machine);
        let time = RunTime::of(request, vertices, entries, &way, memory, threads, disk)?;
        let RunVariant { execution, needs, plan, all_in_memory, temporary_bytes, lists_bytes } = way;
        let others = ways.iter().map(|way| Alternative {
            model: way.execution.model.name(),
            values_on_disk: way.execution.on_disk,
            minimum: way.plan.total(),
            temporary_bytes: way.temporary_bytes,
        });
        let estimate = Self {
            model: execution.model.name(),
            values_on_disk: execution.on_disk,
            minimum: plan.total(),
            all_in_memory,
            static_cache: 0,
            plan,
            temporary_bytes,
            lists_bytes,
            others: others.collect(),
            time,
            shortage: None,
        };
        Ok((needs, estimate))
    }

    /// Memory and temporary disk space of each way to run, the chosen one first.
    pub(crate) fn all_ways(&self) -> Vec<(u64, u64)> {
        let others = self.others.iter().map(|other| (other.minimum, other.temporary_bytes));
        std::iter::once((self.minimum, self.temporary_bytes)).chain(others).collect()
    }
}

impl Graph {
    /// Estimates what `request` would need, without running it.
    ///
    /// # Errors
    /// Parameters that make no sense.
    pub fn estimate(&self, request: &RunRequest<'_>) -> Result<Estimate> {
        request.validate()?;
        request.require_weights(self.store.manifest().graph.weighted)?;
        let extent = (self.num_vertices().into(), lists::arcs(self, Direction::Out));
        let machine = (self.memory, self.workers.threads(), &self.bandwidths()?);
        let (needs, estimate) = Estimate::of(request, self.ways(request)?, extent, machine)?;
        let directions = self.directions(needs);
        let static_cache = directions.iter().map(|d| self.selection_bytes(*d)).sum::<Result<u64>>()?;
        let memory = self.memory.max(memory_of_machine());
        let shortage = MachineShortage::of(&estimate.all_ways(), memory, room_in(&self.temp_folder)?);
        let store = quoted(&self.store.folder().display().to_string());
        let shortage = shortage.map(|shortage| shortage.with_command(request, &store));
        Ok(Estimate { static_cache, shortage, ..estimate })
    }

    /// Returns all ways to run a valid `request` in order of preference.
    pub(crate) fn ways(&self, request: &RunRequest<'_>) -> Result<Vec<RunVariant>> {
        let way = |execution| {
            let Choice { needs, model, plan, .. } = self.planned(request, execution)?;
            let caches: u64 = self.directions(needs).iter().map(|d| cache_bytes_for_all(self, *d)).sum();
            Ok(RunVariant {
                execution,
                needs,
                all_in_memory: plan.total() + caches + model.useful_memory(caches),
                temporary_bytes: model.temporary_bytes(),
                lists_bytes: self.lists_bytes(needs),
                plan,
            })
        };
        request.execution_plans()?.into_iter().map(way).collect()
    }

    /// Returns the first way to run a valid `request` whose plan fits the graph's memory, or else the one that needs
    /// least.
    pub(super) fn choose(&self, request: &RunRequest<'_>) -> Result<Choice<'_>> {
        request.require_weights(self.store.manifest().graph.weighted)?;
        let (plans, mut refused) = (request.execution_plans()?, Vec::new());
        for execution in &plans {
            let choice = self.planned(request, *execution)?;
            let needed = choice.plan.total();
            if needed.saturating_add(self.page_cache.beside(needed)) <= self.memory {
                let note = plans.first().filter(|first| *first != execution).map(|first| note(*first, *execution));
                return Ok(Choice { note, ..choice });
            }
            refused.push(choice);
        }
        let least = refused.into_iter().min_by_key(|choice| choice.plan.total());
        least.ok_or_else(|| Error::internal("a valid request has no execution plan"))
    }

    /// The run that `request` asks for in this way.
    ///
    /// # Errors
    /// [`Error::Internal`] where the algorithm has no program for it: its models say otherwise.
    fn planned(&self, request: &RunRequest<'_>, execution: ExecutionPlan) -> Result<Choice<'_>> {
        let ExecutionPlan { model, on_disk } = execution;
        let name = request.spec().name;
        let plan = request.algorithm().plan(model, &self.shape(request, on_disk), request.args())?;
        let missing = || Error::internal(format!("`{name}` has no program for the model {}", model.name()));
        let Plan { needs, follows_frontiers, reads_most_lists, resumes, repairs: _, work } =
            plan.ok_or_else(missing)?;
        let ranks = self.rank_bytes(needs);
        let named = NamedVertices::planned_bytes(request, self.num_vertices())?;
        let graph = self;
        let model: Box<dyn ModelRun + '_> = match work {
            ModelWork::EdgeMap(work, driver) => Box::new(Planned { graph, needs, on_disk, work, driver }),
            ModelWork::Interval(work, driver) => Box::new(Planned { graph, needs, on_disk, work, driver }),
            ModelWork::Messages(work, driver) => Box::new(Planned { graph, needs, on_disk, work, driver }),
            ModelWork::Gas(work, driver) => {
                let options = gas_options(request.args(), work.exact_steps)?;
                let GasWork { requirements, result_bytes, vector_bytes, .. } = work;
                let work = Gas { requirements, options, result_bytes, vector_bytes, beside: ranks + named };
                Box::new(Planned { graph, needs, on_disk, work, driver })
            }
        };
        let plan = with_some(model.memory()?, Purpose::IdMap, ranks);
        let kept = request.top_rows().map_or(0, |count| top_bytes(count, self.num_vertices()));
        let plan = with_results(with_some(plan, Purpose::VertexValues, named), kept);
        let plan = with_some(plan, Purpose::IoBuffers, copy_bytes(request));
        Ok(Choice { execution, needs, follows_frontiers, reads_most_lists, resumes, model, plan, note: None })
    }

    /// Properties of this graph that runs of `request` depend on.
    pub(super) fn shape(&self, request: &RunRequest<'_>, on_disk: bool) -> Shape {
        let manifest = self.store.manifest();
        Shape {
            vertices: manifest.graph.vertices,
            directed: manifest.graph.directed,
            weighted: manifest.graph.weighted,
            entries: [Direction::Out, Direction::In].map(|direction| lists::arcs(self, self.store.stored(direction))),
            slots: self.workers.slots(),
            on_disk,
            first_neighbors: has_first_neighbors(&self.store),
            incremental: request.incremental().is_some(),
            simple: manifest.rules.dedup != Dedup::Keep && manifest.rules.self_loops == SelfLoops::Drop,
        }
    }

    /// Memory of the ranks of vertices, where they are needed and are not the numbers of the vertices.
    fn rank_bytes(&self, needs: Requirements) -> u64 {
        match needs.ranks && self.store.manifest().numbering.order != Order::Original {
            true => VertexValues::<u32>::bytes(u64::from(self.num_vertices())),
            false => 0,
        }
    }

    /// Way to make a run fit whose `plan` does not: what takes less memory, or no updates beside the lists where it
    /// would fit without.
    pub(super) fn memory_hint(&self, request: &RunRequest<'_>, plan: &MemoryPlan) -> Option<&'static str> {
        let updates = plan.needs().iter().find(|need| need.purpose == Purpose::Updates).map(|need| need.bytes);
        let enough = updates.is_some_and(|updates| plan.total().saturating_sub(updates) <= self.memory);
        let merge = updates.map(|_| outcrop_store::updates::MERGE_HINT);
        if enough { merge } else { request.spec().memory_hint.or(merge) }
    }
}
