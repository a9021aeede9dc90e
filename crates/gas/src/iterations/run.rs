//! A run of a program: iterations, and shadow iterations between them.

use super::state::{ActiveSet, GasRun, IntervalStats};
use super::workspace::Workspace;
use crate::aggregation::Aggregation;
use crate::engine::GasEngine;
use crate::memory::MOST_SETS;
use crate::program::{GasProgram, GasStep, TOTALS};
use crate::requirements::{GasRequirements, ShardKind};
use crate::shards::{ShardSet, lock};
use outcrop_engine::{ArrayParts, VertexArray};
use outcrop_store::access::BlockId;
use outcrop_types::{BitSet, Error, GasStepFigures, Result, Stopwatch};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Result of a run.
#[derive(Debug)]
pub struct GasResult<V> {
    /// Value of each vertex.
    pub values: VertexArray<V>,
    /// Number of iterations, without shadow iterations and the initial one.
    pub iterations: u32,
}

/// Inverse of the share of the last iteration's changes that can be delayed without a shadow iteration.
const MOST_DELAYED: u64 = 4;

/// Number of edges below which one thread runs an iteration.
const LITTLE: u64 = 1 << 13;

impl GasEngine<'_> {
    /// Runs `program` until no edge has an update and no change is delayed, the program does not continue, or `limit`
    /// iterations after the initial one have run.
    ///
    /// # Errors
    /// Returns an error if a program without an aggregation runs on dynamic shards, if a program that reads previous
    /// edge values runs on edge lists, if value sizes differ from the requirements, if a read fails or is damaged, if
    /// the disk is full, or on interruption.
    pub fn run<P: GasProgram>(&self, program: &P, limit: u32) -> Result<GasResult<P::Value>> {
        self.check::<P>()?;
        self.begin_run(limit);
        let mut values = self.values(|_| bytemuck::Zeroable::zeroed())?;
        let before = values.traffic();
        let iterations = {
            let parts = ArrayParts::new(&mut values, self.setup.shards.bounds());
            GasRun::new(self, program).go(&parts, limit)?
        };
        let after = values.traffic();
        self.set_value_traffic((after.0 - before.0, after.1 - before.1));
        Ok(GasResult { values, iterations })
    }

    fn check<P: GasProgram>(&self) -> Result<()> {
        let (requirements, shards) = (&self.setup.requirements, self.setup.options.shards);
        if P::AGGREGATION == Aggregation::None && shards != ShardKind::Static {
            return Err(Error::Usage(
                "this program is not incremental: the value of a vertex depends on all of its in-edges, and no function aggregates changes; use --shards static, or write it for the model messages"
                    .to_owned(),
            ));
        }
        if P::KEEPS_EDGES && shards == ShardKind::EdgeList {
            return Err(Error::Usage(
                "this program needs the previous edge values, which --shards edge-list does not provide; use ods, ads or static"
                    .to_owned(),
            ));
        }
        if !P::TAKES_ARRIVALS && !self.setup.arrivals.is_empty() {
            return Err(Error::Usage("this program does not support edges that arrive during the run".to_owned()));
        }
        let of = GasRequirements::of::<P>(requirements.vertices, requirements.on_disk, requirements.along);
        let sizes = |requirements: &GasRequirements| {
            [requirements.value_bytes, requirements.edge_bytes, requirements.sum_bytes, requirements.change_bytes]
        };
        if sizes(&of) != sizes(requirements) || of.keeps_edges != requirements.keeps_edges {
            return Err(Error::internal("the value sizes of a program differ from its requirements"));
        }
        Ok(())
    }
}

impl<'r, P: GasProgram> GasRun<'r, '_, P> {
    /// Runs until there are no updates, the program does not continue, or after `limit` iterations. Returns the number
    /// of iterations.
    pub(crate) fn go(&mut self, values: &ArrayParts<'_, P::Value>, limit: u32) -> Result<u32> {
        let mut ended = self.iterate(values, ActiveSet::Beginning)?;
        // Updates on newly arrived edges are in no iteration's sum yet.
        let mut came = false;
        let engine = self.engine;
        loop {
            engine.checkpoint("iterations", |state| self.visit(values, (&mut ended, &mut came), state))?;
            let should_continue = self.program.continues(&ended);
            if (should_continue || came) && self.iteration < limit && self.wants_shadow() {
                self.make_shadow(values)?;
            }
            let everywhere = self.program.everywhere();
            let quiet = self.nothing_new() && !everywhere && (!P::CONTINUES || ended.changed == 0);
            let settled = quiet || !should_continue && !came;
            if self.iteration >= limit || settled && !self.arrivals.more() {
                return Ok(self.iteration);
            }
            self.iteration += 1;
            if settled {
                // Nothing happens before the next edges arrive.
                self.iteration = self.iteration.max(self.arrivals.next_iteration()).min(limit);
            }
            came = self.arrivals.comes_before(self.iteration);
            if came && self.delays.len() > 0 {
                self.make_shadow(values)?;
            }
            self.arrivals.admit(self.iteration);
            ended = self.iterate(values, if everywhere { ActiveSet::All } else { ActiveSet::Touched })?;
        }
    }

    /// Returns true if no edge has an update.
    const fn nothing_new(&self) -> bool {
        self.fresh_arcs == 0
    }

    /// Returns true if a shadow iteration is due (section 5.1).
    fn wants_shadow(&self) -> bool {
        let options = self.options();
        if options.shards == ShardKind::Static {
            return false;
        }
        let nothing_new = self.nothing_new();
        if self.dynamic.is_empty() {
            let share = self.fresh_arcs as f64 / self.engine.arcs.max(1) as f64;
            return share < options.updated_share && !nothing_new;
        }
        // If many changes are delayed, the shards lack the required edges, and the run needs more iterations.
        let stale = MOST_DELAYED * self.delays.len() >= self.changed.max(1);
        stale
            || self.delays.bytes() > options.delay_bytes
            || nothing_new && self.delays.len() > 0
            || Self::KEEPS && self.dynamic.len() > MOST_SETS
    }

    /// Runs one iteration over the current shards.
    fn iterate(&mut self, values: &ArrayParts<'_, P::Value>, which: ActiveSet) -> Result<GasStep> {
        let (watch, earlier) = (Stopwatch::start(), self.delays.len());
        self.brought = self.fresh_arcs;
        let set = match self.dynamic.pop() {
            Some(set) => set,
            None => self.whole.take().ok_or_else(|| Error::internal("the run has no shards"))?,
        };
        let aggressive = self.options().shards == ShardKind::Aggressive && set.sources.is_some();
        let turns = match aggressive {
            true => self.iterate_twice(&set, values, which)?,
            false => self.for_each_interval(|interval, space| self.whole_turn(&set, interval, values, which, space))?,
        };
        let arcs = set.all_arcs();
        let target = self.updates.as_ref().unwrap_or(&set.values);
        turns.iter().flat_map(|turn| &turn.written).for_each(|block| target.turn(*block));
        self.recent = self.iteration + 1;
        self.stamp(&turns);
        self.put_back(set);
        Ok(self.end_iteration(&turns, arcs, earlier, &watch))
    }

    /// Runs gather, apply and scatter on an interval.
    fn whole_turn(
        &self,
        set: &ShardSet<'_>,
        interval: u32,
        values: &ArrayParts<'_, P::Value>,
        which: ActiveSet,
        space: &mut Workspace<P>,
    ) -> Result<IntervalStats> {
        if which == ActiveSet::Touched && self.options().shards != ShardKind::Static && !self.concerns(set, interval) {
            return Ok(IntervalStats::default());
        }
        let mut held = std::mem::take(&mut space.vertex_values);
        let turn = values.change(self.range(interval), &mut held, |values| {
            let mut turn = self.gather_and_apply(set, interval, values, which, space)?;
            self.scatter(set, interval, values, space, &mut turn)?;
            Ok(turn)
        });
        space.vertex_values = held;
        turn
    }

    /// Returns true if an interval has vertices to apply.
    fn concerns(&self, set: &ShardSet<'_>, interval: u32) -> bool {
        let brings = |block: BlockId| self.fresh_counts[block.from as usize] > 0 && set.arcs(block) > 0;
        let should_continue = P::CONTINUES && self.active.iter_range(self.range(interval)).next().is_some();
        should_continue || self.arrivals.concerns(self.range(interval)) || self.blocks_into(interval).any(brings)
    }

    fn gather_and_apply(
        &self,
        set: &ShardSet<'_>,
        interval: u32,
        values: &mut [P::Value],
        which: ActiveSet,
        space: &mut Workspace<P>,
    ) -> Result<IntervalStats> {
        if which != ActiveSet::Beginning {
            self.gather(set, interval, values, space)?;
        }
        self.apply(set, interval, which, values, space)
    }

    /// Runs an iteration that creates dynamic shards for the next. Their edges are known once all vertices have
    /// applied.
    fn iterate_twice(
        &mut self,
        set: &ShardSet<'_>,
        values: &ArrayParts<'_, P::Value>,
        which: ActiveSet,
    ) -> Result<Vec<IntervalStats>> {
        let applied = self.for_each_interval(|interval, space| {
            let mut held = std::mem::take(&mut space.vertex_values);
            let turn = values.change(self.range(interval), &mut held, |values| {
                self.gather_and_apply(set, interval, values, which, space)
            });
            space.vertex_values = held;
            std::mem::swap(&mut *lock(&self.changes[interval as usize]), &mut space.changes);
            turn
        })?;
        let sources = std::mem::replace(&mut self.next, BitSet::empty(0));
        self.successor = Some(self.engine.dynamic_set(sources));
        self.next = self.copy_of_sources();
        self.for_each_interval(|interval, space| {
            let mut turn = applied[interval as usize].clone();
            std::mem::swap(&mut *lock(&self.changes[interval as usize]), &mut space.changes);
            let mut held = std::mem::take(&mut space.vertex_values);
            let outcome = values
                .look(self.range(interval), &mut held, |values| self.scatter(set, interval, values, space, &mut turn));
            space.vertex_values = held;
            outcome.map(|()| turn)
        })
    }

    /// Returns the vertices that scatter in this iteration: the sources of the dynamic shards that it creates.
    fn copy_of_sources(&self) -> BitSet {
        let copy = BitSet::empty(self.engine.setup.requirements.vertices);
        let sources = self.successor.as_ref().and_then(|successor| successor.sources.as_ref());
        sources.into_iter().flat_map(BitSet::iter).for_each(|vertex| _ = copy.insert(vertex));
        copy
    }

    /// Stores the shards that an iteration used, if they are needed later, and the shards that it created.
    fn put_back(&mut self, set: ShardSet<'r>) {
        let successor = self.successor.take();
        match (set.sources.is_some(), &successor) {
            (false, _) => self.whole = Some(set),
            (true, Some(_)) if !Self::KEEPS => {}
            (true, _) => self.dynamic.push(set),
        }
        self.dynamic.extend(successor);
    }

    pub(crate) fn stamp(&self, turns: &[IntervalStats]) {
        let Some(updates) = &self.updates else { return };
        for block in turns.iter().flat_map(|turn| &turn.written) {
            self.stamps[updates.slot(*block)].store(self.recent, Relaxed);
        }
    }

    fn end_iteration(&mut self, turns: &[IntervalStats], arcs: u64, earlier: u64, watch: &Stopwatch) -> GasStep {
        std::mem::swap(&mut self.fresh, &mut self.next);
        self.next.clear();
        std::mem::swap(&mut self.active, &mut self.next_active);
        self.next_active.clear();
        for (count, turn) in self.fresh_counts.iter_mut().zip(turns) {
            *count = turn.scattering;
        }
        if !self.dynamic.is_empty() {
            self.fresh.iter().for_each(|vertex| _ = self.window.insert(vertex));
        }
        let mut totals = [0.0; TOTALS];
        for turn in turns {
            totals.iter_mut().zip(turn.totals).for_each(|(total, part)| *total += part);
        }
        let changed = turns.iter().map(|turn| turn.changed).sum();
        self.changed = changed;
        self.fresh_arcs = turns.iter().map(|turn| turn.updated_arcs).sum::<u64>() + self.arrivals.turn();
        let (updated_arcs, delayed) = (self.fresh_arcs, self.delays.len());
        let step = GasStep { iteration: self.iteration, changed, delayed: earlier, totals };
        let figures =
            GasStepFigures { shadow: false, arcs, updated_arcs, changed, delayed, ..GasStepFigures::default() };
        self.engine.end_step(figures, self.delays.bytes(), self.program.change_of(&step), watch);
        step
    }

    /// Runs `work` for every interval, several in parallel. Returns the results in interval order.
    pub(crate) fn for_each_interval(
        &self,
        work: impl Fn(u32, &mut Workspace<P>) -> Result<IntervalStats> + Sync,
    ) -> Result<Vec<IntervalStats>> {
        let workers = self.engine.setup.workers;
        self.engine.begin_parts(self.fresh_counts.len() as u64);
        let (next, turns) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(self.fresh_counts.len())));
        workers.run(self.fresh_arcs < LITTLE || self.fresh_counts.len() == 1, &|slot| {
            let mut space = lock(&self.spaces[slot]);
            loop {
                let interval = next.fetch_add(1, Relaxed);
                if interval >= self.fresh_counts.len() {
                    return Ok(());
                }
                workers.cancellation().check()?;
                let turn = work(interval as u32, &mut space)?;
                self.engine.end_parts(1);
                lock(&turns).push((interval, turn));
            }
        })?;
        let mut turns = turns.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        turns.sort_unstable_by_key(|(interval, _)| *interval);
        Ok(turns.into_iter().map(|(_, turn)| turn).collect())
    }
}
