//! The interval model (LOSC): what its engine is asked for, who gets which memory, and where values on disk go.

use super::Run;
use crate::graph::Graph;
use crate::lists;
use crate::memory_size::CacheSize;
use outcrop_algorithms::Needs;
use outcrop_engine::interval::{Constructs, Demand, IntervalEngine, IntervalSetup};
use outcrop_engine::{DegreeSource, longest_list};
use outcrop_io::SpillFolder;
use outcrop_store::Order;
use outcrop_store::layout::DegreeReader;
use outcrop_store::layout::StoredLists;
use outcrop_store::layout::compact::IndexResidence;
use outcrop_types::{Direction, Error, MemoryBudget, MemoryPlan, Purpose, Result};

/// Memory that the largest windows of values on disk take together, in bytes.
const LARGEST_WINDOWS: u64 = 16 << 20;

/// Residence of the index of lists: where values do not fit the memory, it had better not be there either.
pub(crate) const fn index_residence(values_on_disk: bool) -> IndexResidence {
    if values_on_disk { IndexResidence::STREAMED } else { IndexResidence::Resident }
}

/// Memory that `plan` has for `purpose`, in bytes.
pub(super) fn bytes_of(plan: &MemoryPlan, purpose: Purpose) -> u64 {
    plan.needs().iter().find(|need| need.purpose == purpose).map_or(0, |need| need.bytes)
}

/// Work of a run in the interval model.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IntervalWork {
    pub(crate) needs: Needs,
    pub(crate) demand: Demand,
    /// Bytes a vertex of all vectors of values that exist at once.
    pub(crate) value_bytes: u64,
}

impl IntervalWork {
    /// Bytes of all vectors of values that exist at once.
    pub(crate) fn vectors(&self) -> u64 {
        u64::from(self.demand.vertices) * self.value_bytes
    }

    /// True if lists of `direction` are constructed, of a graph that is `directed` or not.
    fn constructs(&self, direction: Direction, directed: bool) -> bool {
        match self.demand.constructs {
            Constructs::Nothing => false,
            Constructs::One(one) => one == direction,
            Constructs::Both => directed || direction == Direction::Out,
        }
    }

    /// True if the engine looks at the degrees of `direction`.
    fn reads_degrees(&self, direction: Direction, directed: bool) -> bool {
        self.constructs(direction, directed) || (self.demand.degrees && direction == Direction::Out)
    }

    /// Memory that the engine and the values take, without lists.
    pub(crate) fn plan(&self) -> MemoryPlan {
        let least = self.demand.least();
        let needs = least.needs().iter().filter(|need| need.bytes > 0);
        let plan = needs.fold(MemoryPlan::new(), |plan, need| plan.with(need.purpose, need.bytes));
        if self.demand.on_disk { plan } else { plan.with(Purpose::VertexValues, self.vectors()) }
    }

    /// Memory that the engine reserves of its least by itself, whatever it is given for lists.
    fn beside_lists(&self) -> u64 {
        let least = self.demand.least();
        least.total() - bytes_of(&least, Purpose::HeldLists)
    }
}

impl Graph {
    /// Memory that `work` reserves at the least, lists included.
    ///
    /// # Errors
    /// Degrees that are damaged or cannot be read: an interval holds the longest list.
    pub(crate) fn plan_intervals(&self, work: &IntervalWork) -> Result<MemoryPlan> {
        let (mut plan, index) = (work.plan(), index_residence(work.demand.on_disk));
        for direction in self.directions(work.needs) {
            plan = plan.and(&lists::memory_with_index(self, direction, index));
        }
        let (directed, opened) = (self.store.manifest().directed, self.directions(work.needs));
        for direction in [Direction::Out, Direction::In] {
            let stored = self.store.stored(direction);
            if work.reads_degrees(direction, directed) && !opened.contains(&stored) {
                plan = plan.and(&outcrop_store::updates::degrees_memory(&self.store, direction));
            }
        }
        let both = [Direction::Out, Direction::In];
        let constructed =
            both.into_iter().filter(|direction| work.constructs(*direction, self.store.manifest().directed));
        let longest = constructed.map(|direction| self.longest_list(direction)).collect::<Result<Vec<_>>>()?;
        let more = work.demand.one_vertex_bytes(&longest).saturating_sub(bytes_of(&plan, Purpose::HeldLists));
        Ok(if more > 0 && !longest.is_empty() { plan.with(Purpose::HeldLists, more) } else { plan })
    }

    /// The entries of the longest list of `direction`, from one pass over the degrees.
    pub(super) fn longest_list(&self, direction: Direction) -> Result<u64> {
        let mut reader = DegreeReader::open(&self.store, direction, self.io, &MemoryBudget::new(self.memory))?;
        longest_list(&mut reader, self.num_vertices(), self.cancellation()).map(u64::from)
    }

    /// The part of the `rest` bytes beyond the plan that the engine gets for what it constructs. The page cache gets what is left.
    ///
    /// With values on disk, all source values are read once for each interval: twice the edges in memory are half of that, while a page
    /// cache saves no more than its own size. In memory, values cost nothing to look at, and most programs construct nothing.
    pub(crate) fn constructed_bytes(&self, work: &IntervalWork, rest: u64) -> u64 {
        let entry = if work.demand.weighted { 12 } else { 4 }
            + if work.demand.interleaved { work.demand.value_bytes } else { 0 };
        let arcs: u64 = self.directions(work.needs).into_iter().map(|direction| lists::arcs(self, direction)).sum();
        let vertices = u64::from(self.num_vertices()) * (work.demand.copy_bytes + 24);
        let everything = arcs.saturating_mul(entry).saturating_add(vertices).saturating_add(LARGEST_WINDOWS);
        let share = match (work.demand.on_disk, work.demand.constructs, self.page_cache) {
            (false, Constructs::Nothing, _) => 0,
            (false, _, CacheSize::Rest) => rest / 2,
            (true, _, CacheSize::Rest) => rest,
            (_, _, cache) => rest.saturating_sub(cache.bytes(self.memory, rest)),
        };
        share.min(everything)
    }

    /// Room for temporary files that `work` needs, in bytes: its values, and a column of the result that comes into another order.
    pub(crate) fn temporary_room(&self, work: &IntervalWork) -> u64 {
        let reordered = if self.store.manifest().order == Order::Original { 0 } else { work.demand.value_bytes };
        match work.demand.on_disk {
            true => work.vectors() + u64::from(work.demand.vertices) * reordered,
            false => 0,
        }
    }

    /// The folder for values on disk, which has room for those of `work`; `None` where they are in memory.
    ///
    /// # Errors
    /// [`Error::DiskFull`] with what is needed and what is free; the folder cannot be written to.
    pub(crate) fn spill_folder(&self, work: &IntervalWork) -> Result<Option<SpillFolder>> {
        if !work.demand.on_disk {
            return Ok(None);
        }
        let (folder, needed) = (SpillFolder::new(&self.temp_folder)?, self.temporary_room(work));
        match folder.free_bytes()? {
            Some(free) if free < needed => {
                Err(Error::DiskFull { path: self.temp_folder.clone(), needed: Some((needed, free)) })
            }
            _ => Ok(Some(folder)),
        }
    }
}

impl Run<'_> {
    /// An engine over open lists, with what the budget has left beside values, of which `unmade` bytes are not held yet.
    pub(super) fn interval_engine<'s>(
        &'s self,
        work: &IntervalWork,
        lists: &'s [StoredLists],
        unmade: u64,
    ) -> Result<IntervalEngine<'s>> {
        let Run { graph, budget, observer, .. } = *self;
        let mut source = DegreeSource::default();
        for direction in [Direction::Out, Direction::In] {
            if work.reads_degrees(direction, graph.store.manifest().directed) {
                source = source.with(direction, DegreeReader::open(&graph.store, direction, graph.io, budget)?);
            }
        }
        let beside = if work.demand.on_disk { 0 } else { unmade + work.beside_lists() };
        let (out, into) = lists::sides(lists, work.needs);
        let setup = IntervalSetup {
            out,
            into,
            degrees: source,
            demand: work.demand,
            memory: budget.available().saturating_sub(beside),
            spill: self.spill.as_ref(),
            workers: &graph.workers,
            budget,
            observer,
        };
        Ok(IntervalEngine::new(setup)?.scheduled_by(self.scheduler()?))
    }
}
