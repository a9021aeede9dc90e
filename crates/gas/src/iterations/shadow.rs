//! Shadow iterations (algorithm 1): scatter delayed changes and create new dynamic shards.

use super::state::{GasRun, IntervalStats, Shadow};
use super::workspace::{Workspace, out_edge};
use crate::program::GasProgram;
use crate::requirements::ShardKind;
use crate::shards::{DelayBuffer, Scratch, ShardSet, pairs};
use outcrop_engine::ArrayParts;
use outcrop_store::access::{ArcBlock, BlockId};
use outcrop_types::{BitSet, Error, GasStepFigures, Result, Stopwatch};

/// Whole shards are used again if the updated share of the edges exceeds the threshold for dynamic shards by this
/// factor. If every iteration creates dynamic shards, they move more bytes than whole ones above a share of 44%.
const WIDESPREAD: f64 = 1.5;

impl<'r, P: GasProgram> GasRun<'r, '_, P> {
    /// Runs a shadow iteration, to dynamic shards or back to whole ones.
    pub(crate) fn make_shadow(&mut self, values: &ArrayParts<'_, P::Value>) -> Result<()> {
        let watch = Stopwatch::start();
        let vertices = self.engine.setup.requirements.vertices;
        let delayed = self.delayed()?;
        // Vertices that scattered since the last shadow iteration, or now; in aggressive runs only fresh ones.
        let mut sources = std::mem::replace(&mut self.window, BitSet::empty(vertices));
        if self.options().shards == ShardKind::Aggressive {
            sources.clear();
        }
        for vertex in self.fresh.iter().chain(delayed.iter()) {
            sources.insert(vertex);
        }
        let dirty: Vec<bool> =
            (0..self.intervals()).map(|of| sources.iter_range(self.range(of)).next().is_some()).collect();
        let widespread = self.widespread();
        let made = match (widespread, Self::KEEPS) {
            (false, _) => Some(self.engine.dynamic_set(sources)),
            (true, false) => Some(ShardSet::whole(self.engine.setup.shards, self.engine.store())),
            // All values are written back in any case.
            (true, true) => None,
        };
        let whole = self.whole.take().ok_or_else(|| Error::internal("the run has no shards"))?;
        let dynamic = std::mem::take(&mut self.dynamic);
        let delays = std::mem::replace(&mut self.delays, DelayBuffer::new(dirty.len(), self.engine.store()));
        let shadow = Shadow {
            whole: &whole,
            dynamic: &dynamic,
            made: made.as_ref(),
            delays: &delays,
            delayed: &delayed,
            dirty: &dirty,
        };
        let turns = self.for_each_interval(|interval, space| self.shadow_turn(&shadow, interval, values, space))?;
        let target = self.updates.as_ref().unwrap_or(&whole.values);
        turns.iter().flat_map(|turn| &turn.written).for_each(|block| target.turn(*block));
        self.stamp(&turns);
        let arcs = made.as_ref().unwrap_or(&whole).all_arcs();
        delayed.iter().for_each(|vertex| _ = self.fresh.insert(vertex));
        for (count, turn) in self.fresh_counts.iter_mut().zip(&turns) {
            *count += turn.scattering;
        }
        let updated_arcs = turns.iter().map(|turn| turn.updated_arcs).sum();
        self.fresh_arcs = self.fresh_arcs.saturating_add(updated_arcs);
        let (again, dynamic) = if widespread { (made, None) } else { (None, made) };
        let kept = if Self::KEEPS { Some(whole) } else { again };
        self.whole = kept.or_else(|| Some(ShardSet::whole(self.engine.setup.shards, self.engine.store())));
        self.dynamic = dynamic.into_iter().collect();
        let changed = turns.iter().map(|turn| u64::from(turn.scattering)).sum();
        let figures =
            GasStepFigures { shadow: true, arcs, updated_arcs, changed, delayed: 0, ..GasStepFigures::default() };
        self.engine.end_step(figures, 0, None, &watch);
        Ok(())
    }

    fn shadow_turn(
        &self,
        shadow: &Shadow<'_, 'r, P>,
        interval: u32,
        values: &ArrayParts<'_, P::Value>,
        space: &mut Workspace<P>,
    ) -> Result<IntervalStats> {
        let mut held = std::mem::take(&mut space.vertex_values);
        let turn = match shadow.delays.has(interval as usize) {
            true => values.look(self.range(interval), &mut held, |values| self.shadow(shadow, interval, values, space)),
            false => self.shadow(shadow, interval, &[], space),
        };
        space.vertex_values = held;
        turn
    }

    /// Returns the vertices with delayed changes.
    fn delayed(&self) -> Result<BitSet> {
        let delayed = BitSet::empty(self.engine.setup.requirements.vertices);
        let mut bytes = Vec::new();
        for interval in 0..self.fresh_counts.len() {
            self.delays.for_each(interval, &mut bytes, |vertex, _| _ = delayed.insert(vertex))?;
        }
        Ok(delayed)
    }

    /// Returns true if so many edges are updated that whole shards are better.
    fn widespread(&self) -> bool {
        let share = self.brought as f64 / self.engine.arcs.max(1) as f64;
        !self.dynamic.is_empty() && share > WIDESPREAD * self.options().updated_share
    }
}

impl<P: GasProgram> GasRun<'_, '_, P> {
    /// Processes the out-edges of interval `from` in a shadow iteration.
    fn shadow(
        &self,
        shadow: &Shadow<'_, '_, P>,
        from: u32,
        values: &[P::Value],
        space: &mut Workspace<P>,
    ) -> Result<IntervalStats> {
        let mut turn = IntervalStats::default();
        let writes_back = Self::KEEPS && !shadow.dynamic.is_empty();
        space.blocks.clear();
        let wanted = |block: &BlockId| {
            let dirty = |interval: u32| shadow.dirty[interval as usize];
            shadow.whole.arcs(*block) > 0 && (writes_back || dirty(from) || Self::KEEPS && dirty(block.to))
        };
        space.blocks.extend(self.blocks_from(from).filter(wanted));
        self.collect_delayed(shadow, from, space, &mut turn)?;
        let blocks = std::mem::take(&mut space.blocks);
        // The graph's own shards need no scratch.
        let mut scratch = Scratch::default();
        let outcome = match P::KEEPS_EDGES {
            true => blocks.iter().try_for_each(|block| {
                self.find_opposites(shadow, *block, space)?;
                let one = std::slice::from_ref(block);
                let mut take = |_, arcs: &ArcBlock| self.shadow_block(shadow, (*block, arcs), values, space, &mut turn);
                shadow.whole.read(one, &mut scratch, &mut take)
            }),
            false => {
                let mut take = |position: usize, arcs: &ArcBlock| {
                    self.shadow_block(shadow, (blocks[position], arcs), values, space, &mut turn)
                };
                shadow.whole.read(&blocks, &mut scratch, &mut take)
            }
        };
        space.blocks = blocks;
        outcome.map(|()| turn)
    }

    /// Aggregates the delayed changes of each vertex of an interval.
    fn collect_delayed(
        &self,
        shadow: &Shadow<'_, '_, P>,
        from: u32,
        space: &mut Workspace<P>,
        turn: &mut IntervalStats,
    ) -> Result<()> {
        let range = self.range(from);
        let (changes, touched) = (&mut space.changes, &mut space.touched);
        changes.clear();
        changes.resize(range.len(), bytemuck::Zeroable::zeroed());
        touched.clear();
        touched.resize(range.len(), false);
        shadow.delays.for_each(from as usize, &mut space.bytes, |vertex, change| {
            let at = (vertex - range.start) as usize;
            changes[at] = if touched[at] { self.program.aggregate(changes[at], change) } else { change };
            turn.scattering += u32::from(!touched[at]);
            touched[at] = true;
        })
    }

    /// Finds the reverse edges of a block, with their current values.
    fn find_opposites(&self, shadow: &Shadow<'_, '_, P>, block: BlockId, space: &mut Workspace<P>) -> Result<()> {
        let back = BlockId { from: block.to, to: block.from };
        let mut arcs = std::mem::take(&mut space.opposite.arcs);
        arcs.clear();
        shadow.whole.read(&[back], &mut space.scratch, &mut |_, found| {
            arcs.clone_from(found);
            Ok(())
        })?;
        self.latest(shadow, (back, &arcs), space)?;
        std::mem::swap(&mut space.opposite.values, &mut space.values);
        space.opposite.arcs = arcs;
        space.opposite.begin(self.range(block.to));
        Ok(())
    }

    /// Writes the current values of the whole graph's edges into `space.values`. Later shards overwrite earlier ones.
    fn latest(
        &self,
        shadow: &Shadow<'_, '_, P>,
        (block, arcs): (BlockId, &ArcBlock),
        space: &mut Workspace<P>,
    ) -> Result<()> {
        space.values.clear();
        if !Self::KEEPS && self.fresh_counts[block.from as usize] == 0 {
            // These edges have no values to gather yet.
            space.values.resize(arcs.len(), bytemuck::Zeroable::zeroed());
            return Ok(());
        }
        if Self::KEEPS || shadow.dynamic.is_empty() {
            shadow.whole.values.get_all(block, arcs.len(), &mut space.values, &mut space.bytes)?;
        }
        space.values.resize(arcs.len(), bytemuck::Zeroable::zeroed());
        let later = if Self::KEEPS { 0 } else { shadow.dynamic.len().saturating_sub(1) };
        for set in &shadow.dynamic[later.min(shadow.dynamic.len())..] {
            if set.arcs(block) == 0 {
                continue;
            }
            let (values, overlay, bytes) = (&mut space.values, &mut space.held, &mut space.bytes);
            set.read(&[block], &mut space.scratch, &mut |_, part| {
                set.values.get_all(block, part.len(), overlay, bytes)?;
                overwrite(arcs, values, part, overlay);
                Ok(())
            })?;
        }
        Ok(())
    }

    fn shadow_block(
        &self,
        shadow: &Shadow<'_, '_, P>,
        (block, arcs): (BlockId, &ArcBlock),
        values: &[P::Value],
        space: &mut Workspace<P>,
        turn: &mut IntervalStats,
    ) -> Result<()> {
        if self.updates.is_none() {
            self.latest(shadow, (block, arcs), space)?;
        }
        if !Self::KEEPS {
            // The new shards use the memory.
            std::iter::once(shadow.whole).chain(shadow.dynamic).for_each(|set| set.release(block));
        }
        space.values.resize(arcs.len(), bytemuck::Zeroable::zeroed());
        self.begin_updates(block, space)?;
        let (first, before) = (self.range(block.from).start, turn.updated_arcs);
        for (position, source) in arcs.sources.iter().enumerate() {
            if !shadow.delayed.contains(*source) {
                continue;
            }
            let (at, target) = ((*source - first) as usize, arcs.targets[position]);
            let reverse = match P::KEEPS_EDGES {
                true => space.opposite.of(*source, target, self.fresh.contains(target)),
                false => None,
            };
            let edge = out_edge(arcs, position, space.values[position], reverse);
            let value = self.program.scatter(self.vertex(*source), &values[at], space.changes[at], edge);
            turn.updated_arcs += 1;
            match self.updates {
                None => space.values[position] = value,
                Some(_) => {
                    space.numbers.push(target);
                    space.held.push(value);
                }
            }
        }
        match &self.updates {
            Some(updates) if turn.updated_arcs > before => self.put_updates(updates, block, space, turn)?,
            Some(_) => {}
            None if Self::KEEPS && (!shadow.dynamic.is_empty() || turn.updated_arcs > before) => {
                turn.written.push(block);
                shadow.whole.values.put(block, &space.values)?;
            }
            None => {}
        }
        let fresh = |vertex| self.fresh.contains(vertex) || shadow.delayed.contains(vertex);
        shadow.made.map_or(Ok(()), |made| self.succeed(made, (block, arcs), fresh, space))
    }

    /// Starts with the ungathered updates of a block; the updates of a shadow iteration follow.
    fn begin_updates(&self, block: BlockId, space: &mut Workspace<P>) -> Result<()> {
        let Some(updates) = &self.updates else { return Ok(()) };
        space.numbers.clear();
        space.held.clear();
        if self.is_recent(block) {
            updates.get(block, &mut space.bytes)?;
            for (target, value) in pairs(&space.bytes) {
                space.numbers.push(target);
                space.held.push(value);
            }
        }
        Ok(())
    }
}

/// Overwrites the values of the `arcs` in `part`, which is a subset in the same order: of repeated arcs all or none.
fn overwrite<E: Copy>(arcs: &ArcBlock, values: &mut [E], part: &ArcBlock, by: &[E]) {
    let mut at = 0;
    for ((source, target), value) in part.sources.iter().zip(&part.targets).zip(by) {
        let before = |at: &usize| (arcs.sources[*at], arcs.targets[*at]) < (*source, *target);
        while at < arcs.len() && before(&at) {
            at += 1;
        }
        if let Some(place) = values.get_mut(at) {
            *place = *value;
            // The same edge may occur again, with its own position.
            at += 1;
        }
    }
}
