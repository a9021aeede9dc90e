//! Needs of a run, and the model in which it runs.

use super::named_vertices::NamedVertices;
use super::work::{ModelWork, Planned};
use crate::graph::Graph;
use crate::lists::cache_bytes_for_all;
use crate::request::{RunRequest, Way};
use crate::result::BATCH_MEMORY;
use outcrop_types::{Error, MemoryPlan, Purpose, Result};
use serde::Serialize;

/// Needs of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Estimate {
    /// The model that the run is in: the first whose plan the graph's memory holds, or else the one that needs least.
    pub model: &'static str,
    /// True if the values of vertices are in temporary files.
    pub values_on_disk: bool,
    /// The least budget that the run fits, in bytes: [`Estimate::plan`] summed.
    pub minimum: u64,
    /// Memory that the run reserves at the least, by purpose.
    pub plan: MemoryPlan,
    /// The budget with which every list that the run reads stays in memory, in bytes.
    pub all_in_memory: u64,
    /// Memory that holding the store's selections of these lists takes of what is left for caches, in bytes; 0 without selections.
    pub static_cache: u64,
    /// Room that the run needs for temporary files at the most, in bytes.
    pub temporary_bytes: u64,
    /// The other ways in which the run would be tried, in this order.
    pub others: Vec<OtherWay>,
}

/// Another way to run the same request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OtherWay {
    /// The model.
    pub model: &'static str,
    /// True if the values of vertices are in temporary files.
    pub values_on_disk: bool,
    /// The least budget that it fits, in bytes.
    pub minimum: u64,
    /// Room that it needs for temporary files at the most, in bytes.
    pub temporary_bytes: u64,
}

/// The way that a request is run.
pub(super) struct Choice {
    pub(super) way: Way,
    pub(super) planned: Planned,
    /// Memory that it reserves at the least.
    pub(super) plan: MemoryPlan,
    /// Note about it for the user.
    pub(super) note: Option<String>,
}

/// Reason that a run goes in `way` rather than in the `first`.
fn note(first: Way, way: Way) -> String {
    let (wanted, model) = (first.model.name(), way.model.name());
    match way.on_disk {
        true => format!("vertex values do not fit in memory: running in the {model} model with values on disk"),
        false => format!("the model {wanted} does not fit in memory: running in the {model} model"),
    }
}

/// `plan` with what writing a result takes, once the read buffers are given back: only what it takes beyond these counts.
pub(super) fn with_results(plan: MemoryPlan) -> MemoryPlan {
    let buffers = plan.needs().iter().find(|need| need.purpose == Purpose::IoBuffers).map_or(0, |need| need.bytes);
    match BATCH_MEMORY.saturating_sub(buffers) {
        0 => plan,
        more => plan.with(Purpose::Results, more),
    }
}

impl Graph {
    /// Estimates what `request` would need, without running it.
    ///
    /// # Errors
    /// Parameters that make no sense.
    pub fn estimate(&self, request: &RunRequest<'_>) -> Result<Estimate> {
        request.validate()?;
        let Choice { way, planned, plan, .. } = self.choose(request)?;
        let directions = self.directions(planned.needs);
        let caches: u64 = directions.iter().map(|d| cache_bytes_for_all(self, *d)).sum();
        let beside = match &planned.work {
            ModelWork::Messages(work) => self.engine_bytes_beside(work, caches),
            ModelWork::Gas(work) => self.gas_bytes_beside(work),
            ModelWork::EdgeMap(_) | ModelWork::Interval(_) => 0,
        };
        let static_cache = directions.iter().map(|d| self.selection_bytes(*d)).sum::<Result<u64>>()?;
        let others = request.ways()?.into_iter().filter(|other| *other != way);
        let others = others.map(|other| self.other_way(request, other)).collect::<Result<_>>()?;
        Ok(Estimate {
            model: way.model.name(),
            values_on_disk: way.on_disk,
            minimum: plan.total(),
            all_in_memory: plan.total() + caches + beside,
            static_cache,
            plan,
            temporary_bytes: self.temporary_bytes(&planned),
            others,
        })
    }

    fn other_way(&self, request: &RunRequest<'_>, way: Way) -> Result<OtherWay> {
        let planned = self.planned(request, way)?;
        Ok(OtherWay {
            model: way.model.name(),
            values_on_disk: way.on_disk,
            minimum: self.plan(request, &planned)?.total(),
            temporary_bytes: self.temporary_bytes(&planned),
        })
    }

    /// The first way to run a valid `request` whose plan the graph's memory holds; where there is none, the one that needs least.
    pub(super) fn choose(&self, request: &RunRequest<'_>) -> Result<Choice> {
        request.require_weights(self.store.manifest().weighted)?;
        let (ways, mut refused) = (request.ways()?, Vec::new());
        for way in &ways {
            let planned = self.planned(request, *way)?;
            let plan = self.plan(request, &planned)?;
            if plan.total() <= self.memory {
                let note = ways.first().filter(|first| *first != way).map(|first| note(*first, *way));
                return Ok(Choice { way: *way, planned, plan, note });
            }
            refused.push(Choice { way: *way, planned, plan, note: None });
        }
        let least = refused.into_iter().min_by_key(|choice| choice.plan.total());
        least.ok_or_else(|| Error::internal("there is no way to run a valid request"))
    }

    fn plan(&self, request: &RunRequest<'_>, planned: &Planned) -> Result<MemoryPlan> {
        let mut plan = match &planned.work {
            ModelWork::EdgeMap(work) => self.plan_edge_map(work, planned.needs),
            ModelWork::Interval(work) => self.plan_intervals(work)?,
            ModelWork::Messages(work) => self.plan_messages(work)?,
            ModelWork::Gas(work) => self.plan_gas(work),
        };
        let ranks = self.planned_rank_bytes(planned);
        if ranks > 0 {
            plan = plan.with(Purpose::IdMap, ranks);
        }
        let named = NamedVertices::planned_bytes(request, self.num_vertices())?;
        if named > 0 {
            plan = plan.with(Purpose::VertexValues, named);
        }
        Ok(with_results(plan))
    }
}
