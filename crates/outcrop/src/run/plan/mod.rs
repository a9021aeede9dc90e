//! Memory and disk needs of a run, and the choice of its model.

mod machine_shortage;
mod time;

use machine_shortage::quoted;
pub(crate) use machine_shortage::room_in;
pub use machine_shortage::{MachineShortage, Shortage};
pub use time::RunTime;
pub(crate) use time::RunVariant;

use super::arriving_edges::list_bytes;
use super::context::{Choice, GROWTH_SHARE, ModelRun};
use super::gas::Gas;
use super::model::Planned;
use super::named_vertices::NamedVertices;
use super::purposes::{with_results, with_some};
use crate::checkpoints::copy_bytes;
use crate::graph::Graph;
use crate::lists::{self, cache_bytes_for_all};
use crate::memory_size::memory_of_machine;
use crate::request::{ExecutionPlan, RunRequest};
use crate::result::{new_id_bytes, top_bytes};
use outcrop_algorithms::models::GasWork;
use outcrop_algorithms::params::gas_options;
use outcrop_algorithms::{ModelWork, Plan, Requirements, Shape};
use outcrop_gas::{ArrivingArc, GasRequirements};
use outcrop_io::Bandwidths;
use outcrop_store::layout::has_first_neighbors;
use outcrop_store::{Dedup, SelfLoops};
use outcrop_types::{Direction, Error, MemoryPlan, Purpose, Result, length_from};
use serde::Serialize;

/// Needs of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// Model of the run: the first whose plan fits in the graph's memory, or else the one with the lowest minimum.
    pub model: &'static str,
    /// `true` if vertex values are in temporary files.
    pub values_on_disk: bool,
    /// Minimum budget of the run, in bytes: the sum of [`Estimate::plan`].
    pub minimum: u64,
    /// Minimum memory that the run reserves, by purpose.
    pub plan: MemoryPlan,
    /// Budget with which every list read by the run stays in memory, in bytes.
    pub all_in_memory: u64,
    /// Memory for the store's selections of these lists, taken from the caches, in bytes; 0 without selections.
    pub static_cache: u64,
    /// Maximum space for temporary files, in bytes.
    pub temporary_bytes: u64,
    /// Bytes of lists read by a full pass.
    pub lists_bytes: u64,
    /// Other models for the run, in order of preference.
    pub others: Vec<Alternative>,
    /// Run time, if comparable runs were measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<RunTime>,
    /// Shortages of the machine; `None` if it is large enough, or for a planned graph (see [`crate::Capacity`]).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(rename = "outgrown")]
    pub shortage: Option<MachineShortage>,
}

/// Alternative model for the same request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Alternative {
    /// The model.
    pub model: &'static str,
    /// `true` if vertex values are in temporary files.
    pub values_on_disk: bool,
    /// Minimum budget, in bytes.
    pub minimum: u64,
    /// Maximum space for temporary files, in bytes.
    pub temporary_bytes: u64,
}

/// Reason for the refusal of a run whose vertex values outgrew their memory, without and with checkpoints.
const OUTGROWN: &str = "distances above 254 need up to 6 bytes per vertex";
const OUTGROWN_AFTER_CHECKPOINT: &str =
    "distances above 254 need up to 6 bytes per vertex; add --resume to continue from a checkpoint";

/// Returns the reason for choosing `plan` instead of `first`.
fn note(first: ExecutionPlan, plan: ExecutionPlan) -> String {
    let (wanted, model) = (first.model.name(), plan.model.name());
    match plan.on_disk {
        true => format!("vertex values do not fit in memory: using --model {model} --values disk"),
        false => format!("--model {wanted} does not fit in memory: using --model {model}"),
    }
}

impl Estimate {
    /// Estimates the first of `ways` that fits in the memory of the machine, or else the one with the lowest minimum,
    /// on a graph with the given numbers of vertices and entries. Also returns the required lists and tables.
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

    /// Returns the memory and temporary disk space of each way to run, the chosen one first.
    pub(crate) fn all_ways(&self) -> Vec<(u64, u64)> {
        let others = self.others.iter().map(|other| (other.minimum, other.temporary_bytes));
        std::iter::once((self.minimum, self.temporary_bytes)).chain(others).collect()
    }
}

impl Graph {
    /// Estimates the needs of `request`, without running it.
    ///
    /// # Errors
    /// Returns an error if parameters are invalid.
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
            let Choice { needs, model, plan, .. } = self.planned(request, execution, 0)?;
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

    /// Returns the first way to run a valid `request` with this number of arriving edges whose plan fits in the graph's
    /// memory, or else the one with the lowest minimum; without the first `tried` ones.
    pub(super) fn choose(&self, request: &RunRequest<'_>, arrivals: u64, tried: usize) -> Result<Choice<'_>> {
        request.require_weights(self.store.manifest().graph.weighted)?;
        let (plans, mut refused) = (request.execution_plans()?, Vec::new());
        for (place, execution) in plans.iter().enumerate().skip(tried) {
            let choice = Choice { place, ..self.planned(request, *execution, arrivals)? };
            if self.fits(&choice) {
                let note = plans.first().filter(|first| *first != execution).map(|first| note(*first, *execution));
                // Checkpoints of one execution are not those of another.
                let share = self.memory.saturating_sub(choice.plan.total()) / GROWTH_SHARE;
                let changes = choice.growth > share && request.checkpoints().is_none();
                let next = changes.then(|| self.choose(request, arrivals, place + 1));
                let can_change = next.is_some_and(|next| next.is_ok_and(|next| self.fits(&next)));
                return Ok(Choice { note, can_change, ..choice });
            }
            refused.push(choice);
        }
        let least = refused.into_iter().min_by_key(|choice| choice.plan.total());
        least.ok_or_else(|| Error::internal("a valid request has no execution plan"))
    }

    /// Returns true if the plan of `choice` fits in the graph's memory.
    fn fits(&self, choice: &Choice<'_>) -> bool {
        let needed = choice.plan.total();
        needed.saturating_add(self.page_cache.beside(needed)) <= self.memory
    }

    /// Returns the next way to run `request` after `choice`, whose vertex values outgrew their memory.
    ///
    /// # Errors
    /// Returns [`Error::BudgetTooSmall`] with the memory that `choice` needs if it cannot change.
    pub(super) fn choose_after(
        &self,
        choice: Choice<'_>,
        request: &RunRequest<'_>,
        arrivals: &[ArrivingArc],
    ) -> Result<Choice<'_>> {
        if !choice.can_change {
            let plan = choice.plan.with(Purpose::VertexValues, choice.growth);
            let hint = if request.checkpoints().is_some() { OUTGROWN_AFTER_CHECKPOINT } else { OUTGROWN };
            return Err(Error::BudgetTooSmall { budget: self.memory, plan, retry: None, hint: Some(hint) });
        }
        let next = self.choose(request, length_from(arrivals.len()), choice.place + 1)?;
        let model = next.execution.model.name();
        let note = format!("distances above 254 do not fit in the remaining memory: restarting with --model {model}");
        Ok(Choice { note: Some(note), ..next })
    }

    /// Returns the run of `request` with the plan `execution` and this number of arriving edges.
    ///
    /// # Errors
    /// Returns [`Error::Internal`] if the algorithm has no program for the model, contrary to its list of models.
    fn planned(&self, request: &RunRequest<'_>, execution: ExecutionPlan, arrivals: u64) -> Result<Choice<'_>> {
        let ExecutionPlan { model, on_disk } = execution;
        let name = request.spec().name;
        let plan = request.algorithm().plan(model, &self.shape(request, on_disk), request.args())?;
        let missing = || Error::internal(format!("`{name}` has no program for the model {}", model.name()));
        let Plan { needs, follows_frontiers, list_use, resumes, repairs: _, work } = plan.ok_or_else(missing)?;
        let ranks = self.rank_bytes(needs);
        let named = NamedVertices::planned_bytes(request, self.num_vertices())?;
        let (graph, listed, mut growth) = (self, list_bytes(arrivals), 0);
        let model: Box<dyn ModelRun + '_> = match work {
            ModelWork::EdgeMap(work, driver) => {
                growth = work.growth;
                Box::new(Planned { graph, needs, on_disk, work, driver })
            }
            ModelWork::Interval(work, driver) => Box::new(Planned { graph, needs, on_disk, work, driver }),
            ModelWork::Messages(work, driver) => Box::new(Planned { graph, needs, on_disk, work, driver }),
            ModelWork::Gas(work, driver) => {
                let options = gas_options(request.args(), work.exact_steps)?;
                let GasWork { requirements, result_bytes, vector_bytes, .. } = work;
                let (requirements, beside) = (GasRequirements { arrivals, ..requirements }, ranks + named);
                let work = Gas { requirements, options, result_bytes, vector_bytes, beside, listed };
                Box::new(Planned { graph, needs, on_disk, work, driver })
            }
        };
        let plan = with_some(model.memory()?, Purpose::IdMap, ranks);
        let kept = request.top_rows().map_or(0, |count| top_bytes(count, self.num_vertices()));
        let kept = kept + new_id_bytes(&self.store);
        let plan = with_results(with_some(plan, Purpose::VertexValues, named), kept);
        let plan = with_some(plan, Purpose::IoBuffers, copy_bytes(request));
        let plan = with_some(plan, Purpose::InputBuffers, listed);
        let (note, place, can_change) = (None, 0, false);
        Ok(Choice {
            execution,
            needs,
            follows_frontiers,
            list_use,
            resumes,
            model,
            plan,
            note,
            growth,
            place,
            can_change,
        })
    }

    /// Returns the properties of this graph that affect runs of `request`.
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

    /// Returns the memory of the ranks of vertices; 0 if they are not required or equal the vertex numbers.
    fn rank_bytes(&self, needs: Requirements) -> u64 {
        if needs.ranks { outcrop_store::ranks_memory(self.store.manifest()) } else { 0 }
    }

    /// Returns a hint for a run whose `plan` does not fit: merging pending updates if that is enough, otherwise an
    /// option that saves memory.
    pub(super) fn memory_hint(&self, request: &RunRequest<'_>, plan: &MemoryPlan) -> Option<&'static str> {
        let updates = plan.needs().iter().find(|need| need.purpose == Purpose::Updates).map(|need| need.bytes);
        let enough = updates.is_some_and(|updates| plan.total().saturating_sub(updates) <= self.memory);
        let merge = updates.map(|_| outcrop_store::updates::MERGE_HINT);
        if enough { merge } else { request.spec().memory_hint.or(merge) }
    }
}
