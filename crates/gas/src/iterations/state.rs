//! State of a run, of an interval's part of an iteration, and of a shadow iteration.

use super::workspace::Workspace;
use crate::aggregation::Aggregation;
use crate::engine::GasEngine;
use crate::program::{GasProgram, GasStep, GasVertex, Totals};
use crate::requirements::{GasOptions, ShardKind};
use crate::shards::{ArrivingArcs, DelayBuffer, EdgeValues, ShardSet, intervals_of, lock};
use outcrop_engine::ArrayParts;
use outcrop_engine::State;
use outcrop_store::access::BlockId;
use outcrop_types::{BitSet, Error, Result, VertexId, VertexRange};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Running program.
pub(crate) struct GasRun<'r, 'g, P: GasProgram> {
    pub(crate) engine: &'r GasEngine<'g>,
    pub(crate) program: &'r P,
    pub(crate) degrees: Option<&'r [u32]>,
    pub(crate) iteration: u32,
    /// Vertices whose out-edges have updates for this iteration, and their number per interval.
    pub(crate) fresh: BitSet,
    pub(crate) fresh_counts: Vec<u32>,
    /// Vertices whose out-edges have updates for the next iteration.
    pub(crate) next: BitSet,
    /// Vertices that changed in the previous iteration, and those that change in this one, if the program needs them.
    pub(crate) active: BitSet,
    pub(crate) next_active: BitSet,
    /// Vertices that scattered on dynamic shards since the last shadow iteration.
    pub(crate) window: BitSet,
    pub(crate) delays: DelayBuffer<'r, P::Change>,
    /// Update lists, and the time of each write, in edge-centric runs.
    pub(crate) updates: Option<EdgeValues<'r>>,
    pub(crate) stamps: Vec<AtomicU32>,
    pub(crate) recent: u32,
    /// Dynamic shards being created by an iteration.
    pub(crate) successor: Option<ShardSet<'r>>,
    pub(crate) whole: Option<ShardSet<'r>>,
    pub(crate) dynamic: Vec<ShardSet<'r>>,
    pub(crate) spaces: Vec<Mutex<Workspace<P>>>,
    /// Changes to propagate, if they are stored until all vertices have applied.
    pub(crate) changes: Vec<Mutex<Vec<P::Change>>>,
    pub(crate) fresh_arcs: u64,
    /// Number of edges with updates for the last iteration.
    pub(crate) brought: u64,
    /// Number of vertices that changed in the previous iteration.
    pub(crate) changed: u64,
    pub(crate) arrivals: ArrivingArcs<P::Edge>,
}

impl<'r, 'g, P: GasProgram> GasRun<'r, 'g, P> {
    pub(crate) fn new(engine: &'r GasEngine<'g>, program: &'r P) -> Self {
        let (setup, intervals) = (&engine.setup, intervals_of(engine.setup.shards));
        let vertices = setup.requirements.vertices;
        let empty = || BitSet::empty(vertices);
        let (fresh, next, active, next_active, window) = (empty(), empty(), empty(), empty(), empty());
        let edge_list = setup.options.shards == ShardKind::EdgeList;
        Self {
            engine,
            program,
            degrees: setup.degrees.as_deref(),
            iteration: 0,
            fresh,
            fresh_counts: vec![0; intervals],
            next,
            active,
            next_active,
            window,
            delays: DelayBuffer::new(intervals, engine.store()),
            updates: edge_list.then(|| EdgeValues::new(intervals, engine.store())),
            stamps: (0..if edge_list { intervals * intervals } else { 0 }).map(|_| AtomicU32::new(0)).collect(),
            recent: 0,
            successor: None,
            whole: Some(ShardSet::whole(setup.shards, engine.store())),
            dynamic: Vec::new(),
            spaces: (0..setup.workers.slots()).map(|_| Mutex::default()).collect(),
            changes: (0..intervals).map(|_| Mutex::default()).collect(),
            fresh_arcs: u64::MAX,
            brought: u64::MAX,
            changed: 0,
            arrivals: ArrivingArcs::new(setup.arrivals),
        }
    }

    pub(crate) const fn options(&self) -> &GasOptions {
        &self.engine.setup.options
    }

    pub(crate) fn bounds(&self) -> &[VertexId] {
        self.engine.setup.shards.bounds()
    }

    pub(crate) fn intervals(&self) -> u32 {
        self.fresh_counts.len() as u32
    }

    pub(crate) fn range(&self, interval: u32) -> VertexRange {
        let bounds = self.bounds();
        VertexRange::new(bounds[interval as usize], bounds[interval as usize + 1])
    }

    pub(crate) fn blocks_into(&self, to: u32) -> impl Iterator<Item = BlockId> + use<P> {
        (0..self.intervals()).map(move |from| BlockId { from, to })
    }

    pub(crate) fn blocks_from(&self, from: u32) -> impl Iterator<Item = BlockId> + use<P> {
        (0..self.intervals()).map(move |to| BlockId { from, to })
    }

    /// Returns true if the update list of a block must be gathered.
    pub(crate) fn is_recent(&self, block: BlockId) -> bool {
        let slot = self.updates.as_ref().map_or(0, |updates| updates.slot(block));
        self.stamps.get(slot).is_some_and(|stamp| stamp.load(Relaxed) == self.recent)
    }
}

impl<P: GasProgram> GasRun<'_, '_, P> {
    /// Serializes the state between two iterations, of which the first has ended.
    pub(crate) fn visit(
        &mut self,
        values: &ArrayParts<'_, P::Value>,
        (ended, came): (&mut GasStep, &mut bool),
        state: &mut State<'_>,
    ) -> Result<()> {
        let mut bounds = self.bounds().to_vec();
        state.list(&mut bounds, u64::from(u32::MAX))?;
        if bounds != self.bounds() {
            return Err(Error::Usage(
                "a run of the model gas resumes only with the same --memory and --threads, because its intervals depend on them"
                    .to_owned(),
            ));
        }
        let mut numbers = [ended.changed, ended.delayed, self.fresh_arcs, self.brought, self.changed];
        state.number(&mut numbers)?;
        [ended.changed, ended.delayed, self.fresh_arcs, self.brought, self.changed] = numbers;
        [&mut ended.iteration, &mut self.iteration, &mut self.recent]
            .into_iter()
            .try_for_each(|one| state.number(one))?;
        state.number(&mut ended.totals)?;
        state.flag(came)?;
        let sets = [&mut self.fresh, &mut self.active, &mut self.window];
        sets.into_iter().try_for_each(|set| state.members(set))?;
        state.values(&mut self.fresh_counts)?;
        state.shared(&self.stamps)?;
        self.program.visit(state)?;
        values.visit(state)?;
        self.visit_edges(state)?;
        self.arrivals.visit(self.iteration, state)
    }

    /// Serializes shards and edge values through the block memory of a thread.
    fn visit_edges(&mut self, state: &mut State<'_>) -> Result<()> {
        let mut dynamic = self.dynamic.len() as u32;
        state.number(&mut dynamic)?;
        if state.restores() {
            let vertices = self.engine.setup.requirements.vertices;
            self.dynamic = (0..dynamic).map(|_| self.engine.dynamic_set(BitSet::empty(vertices))).collect();
        }
        let mut bytes = self.spaces.first().map_or_else(Vec::new, |space| std::mem::take(&mut lock(space).bytes));
        self.delays.visit(&mut bytes, state)?;
        self.updates.iter().try_for_each(|updates| updates.visit(&mut bytes, state))?;
        self.whole.iter_mut().chain(&mut self.dynamic).try_for_each(|set| set.visit(&mut bytes, state))?;
        self.spaces.first().into_iter().for_each(|space| lock(space).bytes = std::mem::take(&mut bytes));
        Ok(())
    }

    /// `true` if edge values are read later than in the next iteration.
    pub(crate) const KEEPS: bool = P::KEEPS_EDGES || Self::SHOWS_ALL;
    /// `true` if vertices see all of their in-edges.
    pub(crate) const SHOWS_ALL: bool = matches!(P::AGGREGATION, Aggregation::None);

    pub(crate) fn vertex(&self, id: VertexId) -> GasVertex {
        let degree = self.degrees.and_then(|degrees| degrees.get(id as usize)).copied();
        let out_degree = match degree {
            Some(degree) if !self.arrivals.is_empty() => degree + self.arrivals.degrees(id).0,
            degree => degree.unwrap_or(0),
        };
        GasVertex { id, out_degree, iteration: self.iteration }
    }
}

/// Result of an interval.
#[derive(Clone, Debug, Default)]
pub(crate) struct IntervalStats {
    /// Number of vertices whose value changed.
    pub(crate) changed: u64,
    /// Number of changed vertices that scatter.
    pub(crate) scattering: u32,
    /// Number of edges that received a value.
    pub(crate) updated_arcs: u64,
    pub(crate) totals: Totals,
    /// Blocks of values to switch.
    pub(crate) written: Vec<BlockId>,
}

/// Vertices that an iteration applies.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ActiveSet {
    /// Every vertex, at the beginning of the run.
    Beginning,
    /// Every vertex.
    All,
    /// Vertices with updates, and vertices that stay active.
    Touched,
}

/// Input of a shadow iteration.
pub(crate) struct Shadow<'s, 'g, P: GasProgram> {
    /// Shards of the graph.
    pub(crate) whole: &'s ShardSet<'g>,
    /// Dynamic shards since the last shadow iteration; the last iteration used the last of them.
    pub(crate) dynamic: &'s [ShardSet<'g>],
    /// Shards of the next iteration, if they are new.
    pub(crate) made: Option<&'s ShardSet<'g>>,
    /// Delayed changes, and their vertices.
    pub(crate) delays: &'s DelayBuffer<'g, P::Change>,
    pub(crate) delayed: &'s BitSet,
    /// `true` per interval with sources whose edges go into the new shards.
    pub(crate) dirty: &'s [bool],
}
