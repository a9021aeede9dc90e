//! Engine of edge maps.

use super::data::{DataBuilder, VertexData};
use super::masked::Masked;
use super::program::{EdgeMap, EdgeMapData, EdgeMapOptions, EdgeMapOutput, Gather};
use super::visits::{Collect, GatherVisit, Plain, Pull, PullGather, Push};
use crate::checkpoint::State;
use crate::context::{Edges, EngineContext};
use crate::frontier::FrontierBuilder;
use crate::schedule::{Estimates, Plan, Schedule, Scheduler};
use crate::values::Residence;
use outcrop_store::access::{Adjacency, OpenLists, Visit, Workers};
use outcrop_types::{
    AccessMode, BitSet, Direction, EdgeDirection, MemoryBudget, Observer, Purpose, Reservation, Result, VertexId,
    VertexRange, VertexSet,
};
use std::ops::Deref;
use std::sync::{Mutex, PoisonError};

/// Engine with the lists requested by an algorithm, the workers, and the observer.
pub struct Engine<'g> {
    context: EngineContext<'g>,
    /// Builder of the next frontier, kept between maps.
    next: Mutex<Option<(FrontierBuilder, Reservation)>>,
}

impl<'g> Deref for Engine<'g> {
    type Target = EngineContext<'g>;

    fn deref(&self) -> &EngineContext<'g> {
        &self.context
    }
}

impl<'g> Engine<'g> {
    /// Creates an engine over `vertices` vertices with the lists `out` and `into`, which are the same for an undirected
    /// graph.
    pub fn new(
        vertices: u32,
        out: Option<&'g dyn Adjacency>,
        into: Option<&'g dyn Adjacency>,
        workers: &'g Workers,
        budget: &'g MemoryBudget,
        observer: &'g dyn Observer,
    ) -> Self {
        let lists = Edges::Lists(OpenLists::new(out, into));
        let context =
            EngineContext::new(vertices, lists, (workers, budget, observer), Residence::Memory(budget, workers));
        Self { context, next: Mutex::default() }
    }

    /// Sets the `scheduler` that decides between select and sweep.
    #[must_use]
    pub fn scheduled_by(mut self, scheduler: Scheduler) -> Self {
        self.context.schedule_by(&scheduler);
        self
    }

    /// Returns true if `set` contains all vertices.
    pub(super) fn is_all(&self, set: &VertexSet) -> bool {
        set.len() == self.vertices() as usize
    }

    /// Returns the memory of frontiers: the current one, the one being collected, and bits of the current one for a
    /// pull, in bytes.
    pub const fn frontier_bytes(vertices: u32) -> u64 {
        VertexSet::bytes(vertices) + FrontierBuilder::bytes(vertices) + BitSet::bytes(vertices)
    }

    /// Applies `program` to the edges that leave `frontier`, along out-lists or in-lists as decided by the schedule;
    /// returns the vertices that became active.
    ///
    /// # Errors
    ///
    /// Returns an error if a read fails or the data is damaged, if the budget is too small for frontiers, or if the run
    /// is interrupted.
    pub fn edge_map<P: EdgeMap>(
        &self,
        frontier: &VertexSet,
        program: &P,
        options: impl Into<EdgeMapOptions>,
    ) -> Result<VertexSet> {
        let options = options.into();
        match options.output {
            EdgeMapOutput::Frontier => self.collect(|next| self.map(frontier, &Plain(program), next, options, None)),
            EdgeMapOutput::Nothing => {
                self.map(frontier, &Plain(program), &(), options, None)?;
                Ok(VertexSet::from_members(Vec::new(), self.vertices()))
            }
        }
    }

    /// Same as [`Engine::edge_map`] for a program that folds lists when pulling: `gather` folds the whole in-lists of
    /// all vertices that can be updated, whether or not sources are active. Vertices that can no longer be updated
    /// after applying the sum became active.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`Engine::edge_map`].
    pub fn edge_map_gather<P: EdgeMap, G: Gather>(
        &self,
        frontier: &VertexSet,
        program: &P,
        gather: &G,
    ) -> Result<VertexSet> {
        self.collect(|collect| {
            let pull = PullGather { program, gather, collect, read_all: self.reads_everything() };
            self.map(frontier, &Plain(program), collect, EdgeMapOutput::Frontier.into(), Some(&pull))
        })
    }

    /// Returns the frontier that `fill` collects.
    ///
    /// # Errors
    ///
    /// Returns the error of `fill`, or an error if the budget is too small for frontiers.
    pub fn collect(&self, fill: impl FnOnce(&FrontierBuilder) -> Result<()>) -> Result<VertexSet> {
        // A failed map leaves vertices in its builder, which is not reused.
        let vacant = self.next.lock().unwrap_or_else(PoisonError::into_inner).take();
        let (mut builder, held) = vacant.map_or_else(|| self.new_builder(), Ok)?;
        fill(&builder)?;
        let active = builder.take();
        *self.next.lock().unwrap_or_else(PoisonError::into_inner) = Some((builder, held));
        Ok(active)
    }

    /// Applies `program` to the edges that leave `frontier`, like [`Engine::edge_map`]; returns the targets with their
    /// values. The memory of the result is reserved from the budget as it grows.
    ///
    /// # Errors
    ///
    /// Returns an error if a read fails or the data is damaged, if the budget is too small for frontiers or values, or
    /// if the run is interrupted.
    pub fn edge_map_data<P: EdgeMapData>(
        &self,
        frontier: &VertexSet,
        program: &P,
        options: impl Into<EdgeMapOptions>,
    ) -> Result<VertexData<P::Data>> {
        let builder = DataBuilder::new(self.budget());
        self.map(frontier, program, &builder, options.into(), None)?;
        builder.finish()
    }

    fn map<P: EdgeMapData>(
        &self,
        frontier: &VertexSet,
        program: &P,
        collect: &impl Collect<P::Data>,
        options: EdgeMapOptions,
        pull: Option<&dyn Visit>,
    ) -> Result<()> {
        let (out, into) = (self.lists(options.along)?, self.open_lists().of(options.along.opposite()));
        let (plan, estimates) = self.plan_map(out, into, frontier, options, |vertex| program.cond(vertex));
        self.note_map(plan, frontier.len() as u64, estimates);
        match (plan, into) {
            (Plan { direction: EdgeDirection::Pull, .. }, Some(into)) => {
                let read_all = self.reads_everything();
                as_bits(frontier, |frontier| {
                    let plain = Pull { program, frontier, collect, read_all };
                    into.sweep(self.everything(), pull.unwrap_or(&plain))
                })
            }
            (Plan { access: AccessMode::Sweep, .. }, _) if !self.is_all(frontier) => as_bits(frontier, |bits| {
                let push = Push { program, collect, frontier: Some(bits), read_all: self.reads_everything() };
                out.sweep(self.everything(), &push)
            }),
            (Plan { access: AccessMode::Sweep, .. }, _) => {
                out.sweep(self.everything(), &Push { program, collect, frontier: None, read_all: false })
            }
            _ => {
                collect.set_alone(out.selects_alone(frontier));
                let done = out.select(frontier, &Push { program, collect, frontier: None, read_all: false });
                collect.set_alone(false);
                done
            }
        }
    }

    /// Returns true if sweeps read everything, as requested.
    pub(super) fn reads_everything(&self) -> bool {
        self.schedule == Schedule::Sweep
    }

    fn new_builder(&self) -> Result<(FrontierBuilder, Reservation)> {
        let held = self.budget().reserve(Self::frontier_bytes(self.vertices()), Purpose::Frontier)?;
        Ok((FrontierBuilder::new(self.vertices()), held))
    }

    /// Folds the in-lists of all vertices.
    ///
    /// # Errors
    ///
    /// Returns an error if a read fails or the data is damaged, or if the run is interrupted.
    pub fn gather<G: Gather>(&self, program: &G) -> Result<()> {
        self.gather_along(Direction::In, program)
    }

    /// Folds the lists of all vertices in `direction`.
    ///
    /// # Errors
    ///
    /// Returns an error if a read fails or the data is damaged, or if the run is interrupted.
    pub fn gather_along<G: Gather>(&self, direction: Direction, program: &G) -> Result<()> {
        self.gather_in_pieces(direction, program, None, |_| Ok(()))
    }

    /// Same as [`Engine::gather_along`] with a location of checkpoints, at which `visit` serializes the applied values
    /// ([`EngineContext::in_pieces`]).
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`Engine::gather_along`] and [`EngineContext::checkpoint`].
    pub fn gather_in_pieces<G: Gather>(
        &self,
        direction: Direction,
        program: &G,
        place: Option<&str>,
        visit: impl FnMut(&mut State<'_>) -> Result<()>,
    ) -> Result<()> {
        let lists = self.lists(direction)?;
        let plan = Plan { direction: flow(direction), access: AccessMode::Sweep };
        self.note_map(plan, u64::from(self.vertices()), Estimates::of(lists.cost_of_sweep()));
        let work = |piece: VertexRange| lists.sweep(piece, &GatherVisit(program)).map(|()| piece.end);
        self.in_pieces(place, work, visit)
    }

    /// Reports to the observer that the lists of `set`, or all lists, are visited without the engine.
    pub fn note_visit(&self, set: Option<&VertexSet>) {
        let open = self.open_lists();
        let Some(lists) = open.of(Direction::Out).or_else(|| open.of(Direction::In)) else { return };
        let (access, active, estimates) = match set.filter(|set| !self.is_all(set)) {
            Some(set) => (AccessMode::Select, set.len() as u64, self.note_of(lists, set)),
            None => {
                let estimates = Estimates::of(lists.cost_of_sweep());
                (AccessMode::Sweep, u64::from(self.vertices()), estimates)
            }
        };
        self.note_map(Plan { direction: EdgeDirection::Push, access }, active, estimates);
    }

    /// Visits the lists of the vertices of `set` in `lists`, along which values flow in `direction`, by select or sweep
    /// as decided by the schedule. Reports a map to the observer.
    ///
    /// # Errors
    ///
    /// Returns an error if a read fails or the data is damaged, or if the run is interrupted.
    pub fn visit(
        &self,
        lists: &dyn Adjacency,
        set: &VertexSet,
        direction: EdgeDirection,
        visit: &dyn Visit,
    ) -> Result<()> {
        let (plan, estimates) = self.plan_visit(lists, set, direction);
        self.note_map(plan, set.len() as u64, estimates);
        match plan.access {
            AccessMode::Select => lists.select(set, visit),
            AccessMode::Sweep if self.is_all(set) => lists.sweep(self.everything(), visit),
            AccessMode::Sweep => as_bits(set, |members| {
                lists.sweep(self.everything(), &Masked { members, visit, read_all: self.reads_everything() })
            }),
        }
    }

    /// Folds the lists of the vertices of `set` in `direction`. Each list is folded by one thread in its own order, so
    /// that sums of floats do not depend on the number of threads.
    ///
    /// # Errors
    ///
    /// Returns an error if a read fails or the data is damaged, or if the run is interrupted.
    pub fn gather_over<G: Gather>(&self, set: &VertexSet, direction: Direction, program: &G) -> Result<()> {
        self.visit(self.lists(direction)?, set, flow(direction), &GatherVisit(program))
    }

    /// Calls `apply` with every vertex of `set`, in parallel.
    pub fn vertex_map(&self, set: &VertexSet, apply: impl Fn(VertexId) + Sync) {
        self.workers().map_blocks(set.positions(), BLOCK, |positions| set.for_each_in(positions, &apply));
    }

    /// Returns the vertices of `set` for which `keep` holds. Filtering a list does not access other vertices.
    pub fn vertex_filter(&self, set: &VertexSet, keep: impl Fn(VertexId) -> bool + Sync) -> VertexSet {
        if let VertexSet::Sparse { members, universe } = set {
            let kept_of = |positions: VertexRange| -> Vec<VertexId> {
                let block = &members[positions.start as usize..positions.end as usize];
                block.iter().copied().filter(|vertex| keep(*vertex)).collect()
            };
            let kept = self.workers().map_blocks(set.positions(), BLOCK, kept_of).concat();
            return VertexSet::Sparse { members: kept, universe: *universe };
        }
        let kept = BitSet::empty(self.vertices());
        self.vertex_map(set, |vertex| {
            if keep(vertex) {
                kept.insert(vertex);
            }
        });
        VertexSet::from_bits(kept)
    }

    /// Returns the maximum of `number` over all vertices; 0 without vertices.
    pub fn maximum(&self, number: impl Fn(VertexId) -> u32 + Sync) -> u32 {
        let of_block = |block: VertexRange| block.iter().map(&number).fold(0, u32::max);
        self.workers().map_blocks(self.vertices(), BLOCK, of_block).into_iter().fold(0, u32::max)
    }

    /// Returns the sum of `term` over all vertices, independent of the number of threads.
    pub fn sum(&self, term: impl Fn(VertexId) -> f64 + Sync) -> f64 {
        let of_block = |block: VertexRange| block.iter().map(&term).sum::<f64>();
        // The sum of no numbers is -0.
        self.workers().map_blocks(self.vertices(), BLOCK, of_block).into_iter().sum::<f64>() + 0.0
    }
}

/// Returns the flow of values through gathered lists of a direction.
const fn flow(lists: Direction) -> EdgeDirection {
    match lists {
        Direction::Out => EdgeDirection::Push,
        Direction::In => EdgeDirection::Pull,
    }
}

/// Calls `with` with the members as bits.
fn as_bits<T>(set: &VertexSet, with: impl FnOnce(&BitSet) -> T) -> T {
    match set {
        VertexSet::Dense { bits, .. } => with(bits),
        VertexSet::Sparse { .. } => with(&set.to_bits()),
    }
}

/// Number of vertices per unit of work of a thread.
const BLOCK: u32 = 1 << 13;
